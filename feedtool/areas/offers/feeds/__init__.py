"""The sheets of offers: a module for each kind."""
