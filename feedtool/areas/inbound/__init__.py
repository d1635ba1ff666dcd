"""Fulfilment, the way in: products that a warehouse knows, and shipments to it."""
