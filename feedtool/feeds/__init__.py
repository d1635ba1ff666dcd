"""The contracts that areas declare themselves by, and the types of cells."""
