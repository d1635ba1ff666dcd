"""GTIN, product reference or condition in an Update.

They identify the offer's product and never change, so an Update does not carry them; the
columns may stay where they are. Said once for a sheet, unless it was exported with them.

Example: an Update of prices that is a copy of the Upsert sheet, GTINs included.

To offer another product, delete this offer and create another.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import EXPORTED, Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("offers-update",)

ONCE = True
"""Said once for a sheet."""

IDENTITY = ("product.gtin", "product.reference", "condition")


def check(row: Row) -> Iterator[Issue]:
    """The first Update row with one of them."""
    key = next((key for key in IDENTITY if not row.is_blank(key)), None)
    if key and EXPORTED not in row.sheet.stamp:
        message = "GTIN, product reference and condition never change and are not sent"
        yield Issue(CODE, message, "nothing needs to be done", key)
