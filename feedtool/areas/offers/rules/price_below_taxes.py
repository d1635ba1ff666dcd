"""The price is not above the taxes that it contains.

The price is gross: EcoPart and DEA are amounts inside it, so their sum must be below it.

Example: price `1.00`, EcoPart `1.20`.

To mend it, give the price with all taxes, or correct the tax.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-upsert", "offers-update", "legacy-offers")


def check(row: Row) -> Iterator[Issue]:
    """Compare the price with the sum of the amount taxes."""
    values = row.values
    price = values.get("price.price")
    contained = (values.get("taxes.EcoPart") or 0) + (values.get("taxes.DEA") or 0)
    if price is not None and contained and price <= contained:
        yield Issue(
            CODE,
            f"the price {price} is not above the {contained} of EcoPart and DEA inside it",
            "give the price with all taxes, or correct the tax",
            "price.price",
        )
