"""An Update row with no changed field.

In an Update a blank cell means unchanged, so a row with its reference alone changes nothing, and
the service would refuse it.

Example: `SKU-2` in the column of the reference, and no other cell filled.

To mend it, fill what changes, or delete the row.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-update", "legacy-stock-and-price")


def check(row: Row) -> Iterator[Issue]:
    """An issue where every changeable cell is blank."""
    if all(map(row.is_blank, row.feed.changeable(row.sheet))):
        hint = "fill what changes, or delete the row"
        yield Issue(CODE, "nothing changes in this row", hint, "sellerExternalReference")
