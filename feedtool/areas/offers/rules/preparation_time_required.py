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
    """A fault where an Update row gives a mode and no preparation time."""
    if not row.is_blank("preparationTime"):
        return
    if any(
        not row.is_blank(key) for mode in row.sheet.modes for key in (mode.cost, mode.additional)
    ):
        yield Issue(
            CODE,
            "delivery modes change, so the preparation time is needed",
            "fill the preparation time",
            "preparationTime",
        )
