"""Delivery modes change, so the preparation time is due.

The service takes changed delivery modes only together with the preparation time (specification,
"Offers (JSON packages)", rule 2).

Example: new TrackedHomeDelivery amounts, and an empty cell of the preparation time.

To mend it, fill the preparation time in this row.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-update",)


def check(row: Row) -> Iterator[Issue]:
    """An issue where an Update row gives a mode and no preparation time."""
    keys = (key for mode in row.sheet.modes for key in (mode.cost, mode.additional))
    if row.is_blank("preparationTime") and not all(map(row.is_blank, keys)):
        message = "delivery modes change, so the preparation time is needed"
        yield Issue(CODE, message, "fill the preparation time", "preparationTime")
