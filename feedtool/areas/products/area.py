"""Products, as the area declares itself."""

from feedtool.areas.products.export import EXPORT
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.fixes import FIXES
from feedtool.areas.products.rules import RULES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "products",
    tr("Products"),
    feeds=(FEED,),
    rules=RULES,
    fixes=FIXES,
    exports=(EXPORT,),
)
