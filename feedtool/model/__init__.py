"""The nouns that travel through the house, and what every room may use."""
