"""The sheets whose offers travel in a legacy zip: a module for each kind."""
