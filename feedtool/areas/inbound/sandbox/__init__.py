"""The sandbox's warehouses: what they know of products."""

from feedtool.areas.inbound.sandbox import products
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (products,)
