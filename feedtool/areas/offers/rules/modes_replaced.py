"""An Update with delivery modes removes the ones that it does not list.

The list of delivery modes is replaced as a whole (specification, "Offers (JSON packages)",
rule 2). Said once for a sheet, unless it was exported: then its rows list every mode.

Example: an offer has TrackedHomeDelivery and SignedHomeDelivery; an Update row that fills the
columns of TrackedHomeDelivery alone removes the other.

Nothing needs to be done if the row lists every mode that the offer shall keep.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import EXPORTED, Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("offers-update",)

ONCE = True
"""Said once for a sheet."""


def check(row: Row) -> Iterator[Issue]:
    """The first Update row with a mode."""
    cost = next((mode.cost for mode in row.sheet.modes if not row.is_blank(mode.cost)), None)
    if cost and EXPORTED not in row.sheet.stamp:
        message = "delivery modes that an Update row does not list are removed from its offer"
        yield Issue(CODE, message, "list every mode that the offer shall keep", cost)
