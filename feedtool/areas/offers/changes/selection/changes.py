"""What a row would change of what the service has accepted. Pure.

Whatever is not known for sure counts as different. So an Upsert is the same only where a whole
offer is known that it leaves as it is, struck price and its absence included; an Update where all
that it gives is known; a Delete where the offer was deleted before, by us. What others have changed
since, and what was sold, nobody can know without asking: an export asks. Products, which are judged
by their reports, are not compared, nor is what a purge sends.
"""

import orjson

from feedtool.areas.offers.changes.offer_state import PRICE, QUANTITY, Accepted, Terms
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.nouns import Item

UNKNOWN = object()

IN_AN_UPDATE = frozenset({PRICE, QUANTITY})
"""What is sent as an Update where nothing else has changed."""


def differences(
    item: Item, terms: Terms, offer: Accepted | None, quantity: int | None
) -> frozenset[str] | None:
    """What a row would change: names of terms, none of them if it leaves all as it is.

    None where that is not known, and where the row makes or deletes the offer as a whole.

    Args:
        item: The row.
        terms: What it asks for.
        offer: What was last accepted of its reference.
        quantity: The stock that its product is known to have.
    """
    if offer is None or not offer.is_sure:
        return None
    if item.package_type == PackageType.DELETE:
        return frozenset() if offer.terms is None else None
    known = offer.terms
    if known is None:
        return None
    return frozenset(
        name
        for name, value in terms.items()
        if (quantity if name == QUANTITY else known.get(name, UNKNOWN)) != value
    )


def as_update(item: Item, terms: Terms, changed: frozenset[str]) -> Item | None:
    """An Upsert as an Update of just what has changed; None where that is more than may be.

    A row that others may have deleted meanwhile would then be refused, and is sent whole the next
    time, since it failed.
    """
    if item.package_type != PackageType.UPSERT or not changed or changed - IN_AN_UPDATE:
        return None
    body: dict[str, object] = {"sellerExternalReference": item.reference}
    if PRICE in changed:
        body["price"] = {"price": terms[PRICE]}
    if QUANTITY in changed:
        body["quantity"] = terms[QUANTITY]
    return item._replace(package_type=PackageType.UPDATE, body=orjson.dumps(body))
