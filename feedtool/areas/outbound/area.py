"""Declaration of the area: shipments that leave the warehouses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.outbound.feeds import FEEDS
from feedtool.areas.outbound.rules import RULES
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.statuses import STATUSES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.outbound.export import RETURN_EXPORT, SHIPMENT_EXPORT
    from feedtool.areas.outbound.labels import LABELS

    return SHIPMENT_EXPORT, RETURN_EXPORT, LABELS


AREA = Area(
    "outbound",
    tr("Parcels from the warehouses"),
    feeds=FEEDS,
    rules=RULES,
    exports=exports,
    settings=(OutboundSettings,),
    statuses=STATUSES,
)
