"""Offers in packages: created, changed and removed."""
