"""Legacy zips, as the area declares itself."""

from feedtool.areas.legacy.conversions import CONVERSIONS
from feedtool.areas.legacy.feeds import offers, stock_and_price
from feedtool.areas.legacy.output import OUTPUTS, facts_of
from feedtool.areas.legacy.reader import is_legacy
from feedtool.areas.legacy.rules import RULES
from feedtool.areas.legacy.source import open_offers
from feedtool.areas.legacy.workbook import write_workbook
from feedtool.feeds.area import Area, FileFormat

AREA = Area(
    "legacy",
    feeds=(offers.FEED, stock_and_price.FEED),
    rules=RULES,
    conversions=CONVERSIONS,
    formats=(FileFormat("offers-xml", is_legacy, open_offers, write_workbook, facts_of, OUTPUTS),),
)
