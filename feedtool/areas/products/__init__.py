"""Products: their integration, their sheets, and the catalogue that these are part of."""
