"""The way into the warehouses, as the area declares itself."""

from feedtool.areas.inbound.export import EXPORTS
from feedtool.areas.inbound.feeds import FEEDS
from feedtool.areas.inbound.rules import RULES
from feedtool.areas.inbound.waits import waits
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "inbound",
    tr("Stock sent to the warehouses"),
    feeds=FEEDS,
    rules=RULES,
    exports=EXPORTS,
    waits=waits,
)
"""Products that the warehouses know, and shipments to them."""
