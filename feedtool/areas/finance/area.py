"""Finance, as the area declares itself."""

from feedtool.feeds.area import Area

AREA = Area("finance")
"""The seller's money: operations, payments, invoices, the journal."""
