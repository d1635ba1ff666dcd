"""Proposals: which column of a merchant's own sheet is which field, and how sure that is."""
