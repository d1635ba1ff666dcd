"""What leaves the warehouses, as the area declares itself."""

from feedtool.areas.outbound.export import RETURN_EXPORT, SHIPMENT_EXPORT
from feedtool.areas.outbound.feeds import FEEDS
from feedtool.areas.outbound.labels import LABELS
from feedtool.areas.outbound.rules import RULES
from feedtool.areas.outbound.waits import waits
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "outbound",
    tr("Parcels from the warehouses"),
    feeds=FEEDS,
    rules=RULES,
    exports=(SHIPMENT_EXPORT, RETURN_EXPORT, LABELS),
    waits=waits,
)
