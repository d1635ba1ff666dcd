"""Rules about products: a module each; its docstring is the user's page."""
