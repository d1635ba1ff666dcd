"""Offers, as the area declares itself."""

from feedtool.areas.offers.export import EXPORT
from feedtool.areas.offers.feeds import delete, update, upsert
from feedtool.areas.offers.rules import RULES
from feedtool.feeds.area import Area

AREA = Area(
    "offers",
    feeds=(upsert.FEED, update.FEED, delete.FEED),
    rules=RULES,
    exports=(EXPORT,),
)
