"""The sandbox's warehouses: `products` that they know, and `shipments` to them.

Reading order: `products`, `shipments` (the routes), `store` (and the shop), `life` (what shipments
do by themselves), `notes`.
"""

from feedtool.areas.inbound.sandbox import products, shipments, store
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (products, shipments, store)
