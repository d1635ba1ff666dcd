"""The price is below the one in the row's own column `price.floor`.

A column `price.floor` (or `Floor price`, or whatever the profile's [columns] table maps to
`price.floor`) holds the lowest price at which you want to sell. It does not travel. A row whose
price is below it is held back and not sent, the others are. Without the column, or with a blank
cell, there is no such guard.

Example: price `12.00`, floor price `14.99`.

To mend it, correct the price, or lower the floor; if it is meant, send the file with --release
price-below-floor.
"""

from feedtool.areas.offers.changes.guards import Candidate, code, issue
from feedtool.areas.offers.changes.offer_state import PRICE
from feedtool.model.nouns import Issue
from feedtool.model.settings import Guards

CODE = code(__name__, __doc__)


def check(row: Candidate, settings: Guards) -> Issue | None:
    """Compare the price with the row's floor."""
    del settings
    price, floor = row.fields.get(PRICE), row.item.floor
    if price is None or floor is None or price >= floor:
        return None
    return issue(CODE, f"the price {price} is below its floor of {floor}", "price.price")
