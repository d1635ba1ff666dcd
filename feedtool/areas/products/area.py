"""The declaration of the area `products`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.rules import FIXES, RULES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Return the exports, which only a few commands import."""
    from feedtool.areas.products.export import EXPORT

    return (EXPORT,)


AREA = Area(
    "products",
    tr("Products"),
    feeds=(FEED,),
    rules=RULES,
    fixes=FIXES,
    exports=exports,
)
