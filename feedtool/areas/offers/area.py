"""Offers, as the area declares itself."""

from feedtool.areas.offers.export import EXPORT
from feedtool.areas.offers.feeds import FEEDS
from feedtool.areas.offers.fixes import FIXES
from feedtool.areas.offers.rules import RULES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area("offers", tr("Offers"), feeds=FEEDS, rules=RULES, fixes=FIXES, exports=(EXPORT,))
