"""Fulfilment, the way out: parcels that a warehouse sends to customers, and what comes back."""
