"""The struck price is below the price.

The struck price is the former, higher one; equal is allowed.

Example: price `24.99`, struck price `19.99`.

To mend it, exchange the two, or empty the struck price.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-upsert", "offers-update", "legacy-offers")


def check(row: Row) -> Iterator[Issue]:
    """Compare the two where the row has both."""
    struck, price = row.values.get("price.originPrice"), row.values.get("price.price")
    if struck is not None and price is not None and struck < price:
        yield Issue(
            CODE,
            f"the struck price {struck} is below the price {price}",
            "exchange the two, or empty the struck price",
            "price.originPrice",
        )
