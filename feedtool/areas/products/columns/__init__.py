"""The types of cells that only products have."""
