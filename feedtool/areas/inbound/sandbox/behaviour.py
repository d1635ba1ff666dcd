"""The behaviour of the sandbox's warehouses."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InboundBehaviour:
    """Of fulfilment products, and of shipments to the warehouses."""

    opening_products: int = 8
    """At most so many products of a seller are referenced when the shop opens; 0 for tests."""
