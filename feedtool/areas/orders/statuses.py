"""Statuses of rows of orders whose request was done."""

from feedtool.model.nouns import RowStatus, Status
from feedtool.model.text import plural, tr

ORDER_REFUSED = Status("OrderRefused")
SHIPPED = Status("Shipped")
CANCELLED = Status("Cancelled")

STATUSES = (
    RowStatus(
        ORDER_REFUSED,
        tr("OrderRefused"),
        lambda count: plural("{count:,} OrderRefused", "{count:,} OrderRefused", count),
        tr("The order is refused, as the row asks: the service's word for the order is Refused."),
    ),
    RowStatus(
        SHIPPED,
        tr("Shipped"),
        lambda count: plural("{count:,} Shipped", "{count:,} Shipped", count),
        tr("The service shows the line as shipped, with the parcel that the row names."),
    ),
    RowStatus(
        CANCELLED,
        tr("Cancelled"),
        lambda count: plural("{count:,} Cancelled", "{count:,} Cancelled", count),
        tr("The service shows the line as cancelled, as the row asks."),
    ),
)
