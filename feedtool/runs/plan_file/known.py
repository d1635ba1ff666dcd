"""What the ledger knows of the offers that a plan is about, as `effects` asks for it."""

from collections.abc import Sequence
from decimal import Decimal

from feedtool.areas.offers.changes.effects import Before, Known
from feedtool.areas.offers.changes.offer_state import PRICE, Accepted, terms_of
from feedtool.areas.offers.changes.selection.changes import differences
from feedtool.model.nouns import Item
from feedtool.runs.workspace import Workspace, cut_short


def known_of(books: Workspace, account: tuple[str, str]) -> Known:
    """What the ledger knows of the offers of an account, read when it is first asked."""
    from feedtool.areas.offers.changes.accepted import AcceptedOffers

    found: list[AcceptedOffers] = []

    def known(items: Sequence[Item]) -> list[Before | None]:
        if not found:
            last = cut_short(books, *account, None)
            found.append(AcceptedOffers(books.ledger.engine, *account, last))
        looked = zip(items, found[0].look_up(items), strict=True)
        return [_before(item, offer, quantity) for item, (offer, _, quantity) in looked]

    return known


def _before(item: Item, offer: Accepted | None, quantity: int | None) -> Before | None:
    if offer is None or offer.terms == {}:
        return None
    if offer.terms is None:
        return Before(is_there=False)
    price = offer.terms.get(PRICE)
    changed = differences(item, terms_of(item.package_type, item.body), offer, quantity)
    return Before(
        is_there=True,
        price=None if price is None else Decimal(str(price)),
        quantity=quantity,
        is_same=changed is not None and not changed,
    )
