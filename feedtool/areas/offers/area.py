"""Offers, as the area declares itself."""

from feedtool.areas.offers.export import EXPORT
from feedtool.areas.offers.feeds import delete, update, upsert
from feedtool.feeds.area import Area
from feedtool.feeds.rule import rules_of

AREA = Area(
    "offers",
    feeds=(upsert.FEED, update.FEED, delete.FEED),
    rules=tuple(rules_of("feedtool.areas.offers.rules")),
    exports=(EXPORT,),
)
