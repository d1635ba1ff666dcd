"""Offers of other sellers for the same products."""
