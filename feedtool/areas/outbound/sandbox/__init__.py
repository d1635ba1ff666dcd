"""The sandbox's parcels: what its warehouses send to customers, and what these send back.

Reading order: `parcels` (shipments and returns), `cancellations`, `history` (the parcels of a shop
before it opened).
"""

from feedtool.areas.outbound.sandbox.cancellations import CANCELLATIONS
from feedtool.areas.outbound.sandbox.parcels import RETURNS, SHIPMENTS
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (SHIPMENTS, CANCELLATIONS, RETURNS)
"""The behaviour of what leaves the sandbox's warehouses."""
