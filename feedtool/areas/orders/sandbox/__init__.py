"""The sandbox's orders.

Reading order: `orders` (the routes) and `filters`, `shipments`, `cancellations` and `gestures`,
`life` (what orders do by themselves), `shop` and `made_up` (where they come from), `store`.
"""

from feedtool.areas.orders.sandbox import orders, shop, store
from feedtool.areas.orders.sandbox.cancellations import CANCELLATIONS, GESTURES
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (shop, orders, CANCELLATIONS, GESTURES, store)
