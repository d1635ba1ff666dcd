"""The sandbox's warehouses: `products` that they know, and `shipments` to them."""

from feedtool.areas.inbound.sandbox.products import PRODUCTS
from feedtool.areas.inbound.sandbox.shipments import SHIPMENTS
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (PRODUCTS, SHIPMENTS)
"""The behaviour of the sandbox's warehouses."""
