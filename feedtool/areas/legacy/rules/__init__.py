"""Rules about legacy zips: a module each; its docstring is the user's page."""
