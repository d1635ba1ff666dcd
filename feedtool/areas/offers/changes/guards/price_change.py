"""The price falls or rises by more than the profile allows against what was last accepted.

The row is held back and not sent, the others are. `price_change` in the profile's [guards] table
says how many percent are allowed; without it, or with 0, every change is.

Example: `price_change = 30`; `20.00` was accepted, and the file says `12.00`, 40 % less.

To mend it, correct the price; if it is meant, send the file with --release price-change.
"""

from feedtool.areas.offers.changes.guards import Candidate, code, issue, rounded
from feedtool.areas.offers.changes.offer_state import PRICE
from feedtool.model.nouns import Issue
from feedtool.model.settings import Guards

CODE = code(__name__, __doc__)


def check(row: Candidate, settings: Guards) -> Issue | None:
    """Compare the price with the last accepted one."""
    new, old = row.fields.get(PRICE), row.offer and row.offer.last_price
    if not (settings.price_change and new and old):
        return None
    # Rounded, since a tenth less as floats may be a little more than a tenth.
    percent = round((new - old) / old * 100, 6)
    if abs(percent) <= settings.price_change:
        return None
    change = "more" if percent > 0 else "less"
    return issue(
        CODE,
        f"the price goes from {old}, as last accepted, to {new}: {rounded(abs(percent))} % {change}"
        f" (allowed: {settings.price_change} %)",
        "price.price",
    )
