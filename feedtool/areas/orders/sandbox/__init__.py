"""The sandbox's orders.

Reading order: `orders` (the routes, shipments too) and `filters`, `cancellations` (gestures too),
`states` (the states that orders go through by themselves), `shop` (their source), `store`.
"""

from feedtool.areas.orders.sandbox import orders, shop, store
from feedtool.areas.orders.sandbox.cancellations import CANCELLATIONS, GESTURES
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (shop, orders, CANCELLATIONS, GESTURES, store)
