"""Invoices, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.invoices.feeds import FEED, RULES
from feedtool.areas.invoices.folders import FILE_LIST
from feedtool.areas.invoices.settings import InvoiceSettings
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.invoices.export import EXPORTS

    return EXPORTS


AREA = Area(
    "invoices",
    tr("Invoices of orders"),
    feeds=(FEED,),
    rules=RULES,
    exports=exports,
    file_lists=(FILE_LIST,),
    settings=(InvoiceSettings,),
)
