"""Offers in packages: made, changed and removed."""
