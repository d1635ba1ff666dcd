"""Products, as the area declares itself."""

from feedtool.areas.products.export import EXPORT
from feedtool.areas.products.feeds import FEED
from feedtool.feeds.area import Area
from feedtool.feeds.rule import rules_of

AREA = Area(
    "products",
    feeds=(FEED,),
    rules=tuple(rules_of("feedtool.areas.products.rules")),
    exports=(EXPORT,),
)
