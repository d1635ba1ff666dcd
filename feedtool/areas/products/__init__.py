"""Products, their categories and their properties."""
