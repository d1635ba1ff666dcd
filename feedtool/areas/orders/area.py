"""Orders, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.orders.feeds import FEEDS
from feedtool.areas.orders.guards import GUARDS
from feedtool.areas.orders.rules import RULES
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.statuses import STATUSES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.orders.export import ORDERS, SHIPMENT_EXPORT
    from feedtool.areas.orders.lists import LISTS, PICKING

    return ORDERS, SHIPMENT_EXPORT, PICKING, *LISTS


AREA = Area(
    "orders",
    tr("Orders"),
    feeds=FEEDS,
    rules=(*RULES, *GUARDS),
    exports=exports,
    settings=(OrderSettings,),
    statuses=STATUSES,
)
"""Orders of customers: accept, refuse, ship, cancel, compensate."""
