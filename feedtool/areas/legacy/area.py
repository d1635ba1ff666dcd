"""Legacy zips, as the area declares itself."""

from feedtool.areas.legacy.feeds import offers, stock_and_price
from feedtool.feeds.area import Area
from feedtool.feeds.rule import rules_of

AREA = Area(
    "legacy",
    feeds=(offers.FEED, stock_and_price.FEED),
    rules=tuple(rules_of("feedtool.areas.legacy.rules")),
)
