"""Invoices, as the area declares itself."""

from feedtool.areas.invoices.feeds import FEED
from feedtool.areas.invoices.folders import FILE_LIST
from feedtool.areas.invoices.rules import RULES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "invoices", tr("Invoices of orders"), feeds=(FEED,), rules=RULES, file_lists=(FILE_LIST,)
)
