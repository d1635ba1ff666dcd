"""A toy area: orders of toys, of which each parcel is one call."""
