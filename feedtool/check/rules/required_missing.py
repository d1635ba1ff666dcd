"""A mandatory value is absent.

An Upsert needs the reference, the GTIN or the product reference, the condition, the price, VAT,
the preparation time, the stock and both TrackedHomeDelivery amounts (unless the row has a
large-parcel mode). Update and Delete need the reference; an Update that gives any delivery mode
needs the TrackedHomeDelivery amounts as an Upsert does, since its list replaces the old one. A row
without GTIN and product reference is reported on the GTIN. A product needs the common data that
the profile's `product_fields` lists, its brand where the category asks for it, and the category's
mandatory properties, without which its creation is denied.

Example: the cell of the price is empty in a row of an Upsert sheet.

To mend it, fill the cell. To change a few fields only, use the template of an Update, where a
blank cell means unchanged.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)

NAMES = {"product.gtin": "GTIN or product reference"}


def check(row: Row) -> Iterator[Issue]:
    """A fault for each key that the row must fill and does not."""
    for key in row.feed.required(row):
        name = NAMES.get(key) or row.feed.name_of(row, key)
        hint = "fill the cell" if key in row.sheet.fields else "add its column, and fill it"
        yield Issue(CODE, f"{name} is missing", hint, key)
