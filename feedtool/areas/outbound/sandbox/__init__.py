"""The sandbox's parcels: what its warehouses send to customers, and what these send back.

Reading order: `shipments`, `cancellations` and `returns` (the routes, and what happens by itself),
`past` (what there was when a shop opened), `store`.
"""

from feedtool.areas.outbound.sandbox import cancellations, returns, shipments
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (shipments, cancellations, returns)
"""The behaviour of what leaves the sandbox's warehouses."""
