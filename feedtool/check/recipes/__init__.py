"""Recipes: how a merchant's own sheet becomes the rows of a kind of feed."""
