"""Finance, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.finance.columns import RULES
from feedtool.areas.finance.settings import JournalSettings
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.finance.invoices import DETAIL_EXPORT, DOCUMENT_EXPORT
    from feedtool.areas.finance.journal import JOURNAL
    from feedtool.areas.finance.operations import OPERATION_EXPORT, PAYMENT_EXPORT

    return OPERATION_EXPORT, PAYMENT_EXPORT, DETAIL_EXPORT, DOCUMENT_EXPORT, JOURNAL


AREA = Area("finance", tr("Payments"), rules=RULES, exports=exports, settings=(JournalSettings,))
"""The seller's money: operations, payments, invoices, the journal."""
