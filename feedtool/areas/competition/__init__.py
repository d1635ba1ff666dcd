"""What other sellers ask for the same products."""
