"""The declaration of the area `legacy`."""

from feedtool.areas.legacy.conversions import CONVERSIONS, OUTPUTS, facts_of
from feedtool.areas.legacy.feeds import FULL_FEED, RULES, STOCK_AND_PRICE_FEED
from feedtool.areas.legacy.reader import is_legacy
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.source import open_offers, write_workbook
from feedtool.feeds.area import Area, FileFormat
from feedtool.model.text import tr

AREA = Area(
    "legacy",
    tr("Offers.xml"),
    feeds=(FULL_FEED, STOCK_AND_PRICE_FEED),
    rules=RULES,
    conversions=CONVERSIONS,
    formats=(FileFormat("offers-xml", is_legacy, open_offers, write_workbook, facts_of, OUTPUTS),),
    settings=(LegacySettings,),
)
