"""Competing offers: what other sellers ask for a product."""
