"""The status of a parcel that the service has."""

from feedtool.model.nouns import RowStatus, Status
from feedtool.model.text import plural, tr

PACKED = Status("Packed")

STATUSES = (
    RowStatus(
        PACKED,
        tr("Packed"),
        lambda count: plural("{count:,} Packed", "{count:,} Packed", count),
        tr("The parcel is packed, with all toys of the order."),
    ),
)
