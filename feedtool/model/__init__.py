"""The nouns of the whole program, and functions that every room may use."""
