"""The way into the warehouses, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.inbound.feeds import FEEDS
from feedtool.areas.inbound.rules import RULES
from feedtool.areas.inbound.settings import InboundSettings
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.inbound.export import EXPORTS

    return EXPORTS


AREA = Area(
    "inbound",
    tr("Stock sent to the warehouses"),
    feeds=FEEDS,
    rules=RULES,
    exports=exports,
    settings=(InboundSettings,),
)
"""Products that the warehouses know, and shipments to them."""
