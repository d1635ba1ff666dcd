"""Finance, as the area declares itself."""

from feedtool.areas.finance.codes import RULES
from feedtool.areas.finance.invoices import DETAIL_EXPORT, DOCUMENT_EXPORT
from feedtool.areas.finance.journal import JOURNAL
from feedtool.areas.finance.operations import OPERATION_EXPORT, PAYMENT_EXPORT
from feedtool.areas.finance.waits import waits
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "finance",
    tr("Payments"),
    rules=RULES,
    exports=(OPERATION_EXPORT, PAYMENT_EXPORT, DETAIL_EXPORT, DOCUMENT_EXPORT, JOURNAL),
    waits=waits,
)
"""The seller's money: operations, payments, invoices, the journal."""
