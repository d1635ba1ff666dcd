"""The declaration of the area `offers`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.offers.feeds import FEEDS
from feedtool.areas.offers.rules import FIXES, RULES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Return the exports, which only a few commands import."""
    from feedtool.areas.offers.export import EXPORTS

    return EXPORTS


AREA = Area("offers", tr("Offers"), feeds=FEEDS, rules=RULES, fixes=FIXES, exports=exports)
