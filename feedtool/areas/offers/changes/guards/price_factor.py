"""The price is about ten times, a hundred times or more what was last accepted, or as much less.

So far a price moves by mistake: a decimal sign was lost, cents were taken for euros. The row is
held back and not sent, the others are. `price_factor` in the profile's [guards] table says from
which factor on; 0 switches the guard off.

Example: `19.99` was accepted, and the file says `1999`.

To mend it, correct the price; if it is meant, send the file with --release price-factor.
"""

from feedtool.areas.offers.changes.guards import Candidate, code, issue, rounded
from feedtool.areas.offers.changes.offer_state import PRICE
from feedtool.model.nouns import Issue
from feedtool.model.settings import Guards

CODE = code(__name__, __doc__)

ABOUT = 0.95
"""Of the factor: whoever loses a decimal sign may have changed the price a little as well."""


def check(row: Candidate, settings: Guards) -> Issue | None:
    """Compare the price with the last accepted one."""
    new, old = row.fields.get(PRICE), row.offer and row.offer.last_price
    if not (settings.price_factor and new and old):
        return None
    factor = max(new / old, old / new)
    if factor < float(settings.price_factor) * ABOUT:
        return None
    change = "up" if new > old else "down"
    return issue(
        CODE,
        f"the price goes {change} from {old}, as last accepted, to {new}: by a factor of"
        f" {rounded(factor)}",
        "price.price",
    )
