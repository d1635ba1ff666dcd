"""Statuses of outbound shipments whose request was done."""

from feedtool.model.nouns import RowStatus, Status
from feedtool.model.text import plural, tr

CANCELLED = Status("Cancelled")

STATUSES = (
    RowStatus(
        CANCELLED,
        tr("Cancelled"),
        lambda count: plural("{count:,} Cancelled", "{count:,} Cancelled", count),
        tr("The service shows the line as cancelled, as the row asks."),
    ),
)
