"""Finance, as the area declares itself."""

from feedtool.areas.finance.codes import RULES
from feedtool.areas.finance.operations import OPERATION_EXPORT, PAYMENT_EXPORT
from feedtool.feeds.area import Area

AREA = Area("finance", rules=RULES, exports=(OPERATION_EXPORT, PAYMENT_EXPORT))
"""The seller's money: operations, payments, invoices, the journal."""
