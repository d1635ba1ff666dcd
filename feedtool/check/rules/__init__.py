"""Rules about any sheet: a module each; its docstring is the user's page."""
