"""The records in which areas declare themselves, and the types of cells."""
