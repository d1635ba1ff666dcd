"""Rules about offers: a module each; its docstring is the user's page."""
