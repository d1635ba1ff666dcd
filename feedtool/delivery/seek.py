"""What the seller's offers tell of rows that no result names. Pure.

An offer that has what the row asked for, and was touched since our package
was created, means integrated; quantity alone proves nothing, since sales move it. An offer that
was not touched since is plainly the old state: the row goes into a later package, at most three
times, and never after the results were purged. All else is Unknown, and not sent again.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.areas.offers.wire.offers import OfferState
from feedtool.ledger import Fate
from feedtool.ledger.leftovers import MOST_SENDS
from feedtool.model.call import comma_lists, fits_comma_list
from feedtool.model.nouns import PackageType, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from feedtool.areas.offers.wire.offers import Offer, OffersPage
    from feedtool.ledger import Package, Sought

    Pairs = Callable[[dict[str, Any], Offer], Iterable[tuple[object, object]]]

IN_FORCE = "No result names it; the service shows the offer as it was asked for."
DELETED = "No result names it; the service shows no active offer of this reference."
GONE = "Its results are gone. The offer is as it was before: send the row again."
TOO_OFTEN = "It was sent several times, and the offer is as it was before."
PURGED = (
    "No result names it, and the offer is not as it was asked for. A purge is never repeated by"
    " itself: look at your offers before you send it again."
)
CHANGED = "No result names it, and the offer has been changed since: look at it before you send."


UNASKABLE = "No result names it, and its offer cannot be asked for: look at it before you send."


class Asked(NamedTuple):
    """One call for the offers of some rows."""

    rows: tuple[Sought, ...]
    """The rows whose offers the call asks for; none where no call can ask for any of them."""
    references: tuple[str, ...] = ()
    gtins: tuple[str, ...] = ()


def asked(rows: Sequence[Sought]) -> Asked:
    """The next call: lists are separated by commas, so a reference with one goes by its GTIN."""
    plain = tuple(row for row in rows if fits_comma_list(row.reference))
    if plain:
        references = next(comma_lists(row.reference for row in plain))
        return Asked(plain[: len(references)], references=references)
    known = tuple(row for row in rows if _gtin(row))
    return Asked(known, gtins=tuple(dict.fromkeys(map(_gtin, known))))


def unaskable(rows: Sequence[Sought]) -> list[Fate]:
    """The fates of rows whose offers no call can ask for."""
    return [Fate(row.row, Status.UNKNOWN, UNASKABLE) for row in rows]


def _gtin(row: Sought) -> str:
    return row.product.partition("|")[0]


def decided(
    package: Package, rows: Sequence[Sought], page: OffersPage, pairs: Pairs | None = None
) -> list[Fate]:
    """The fates of the rows, but for those that a further page may show.

    `pairs` gives what a request asked for and what an offer has in its place; by default of the
    JSON packages' requests.
    """
    offers = {offer.reference: offer for offer in page.offers}
    return [
        _fate(package, row, offers.get(row.reference), pairs or _pairs)
        for row in rows
        if row.reference in offers or page.next is None
    ]


def _fate(package: Package, row: Sought, offer: Offer | None, pairs: Pairs) -> Fate:
    is_delete = package.package_type is PackageType.DELETE
    if is_delete and (offer is None or _is_withdrawn(offer)):
        return Fate(row.row, Status.INTEGRATED, DELETED)
    if offer is None or _is_old(package, offer):
        return _again(package, row)
    if not is_delete and _is_as_asked(pairs(json.loads(row.body), offer)):
        return Fate(row.row, Status.INTEGRATED, IN_FORCE)
    return Fate(row.row, Status.UNKNOWN, CHANGED)


def _is_withdrawn(offer: Offer) -> bool:
    """Whether it is not sold although there is some of it: without stock no offer is active."""
    return offer.state is OfferState.INACTIVE and bool(offer.quantity)


def _is_old(package: Package, offer: Offer) -> bool:
    """Whether it was last touched before our package was even created."""
    if package.created_at is None or offer.updated_at is None:
        return False
    return offer.updated_at < package.created_at


def _again(package: Package, row: Sought) -> Fate:
    if package.package_type is PackageType.PURGE:
        return Fate(row.row, Status.UNKNOWN, PURGED)
    if package.message is not None:
        return Fate(row.row, Status.UNKNOWN, GONE)
    if row.sends + 1 >= MOST_SENDS:
        return Fate(row.row, Status.UNKNOWN, TOO_OFTEN)
    return Fate(row.row, None, "")


def _is_as_asked(pairs: Iterable[tuple[object, object]]) -> bool:
    """Whether what the request asked for, but for the quantity, is as the offer shows it.

    What the service does not say proves nothing, for or against it.
    """
    said = [(asked, found) for asked, found in pairs if found is not None]
    return bool(said) and all(asked == found for asked, found in said)


def _pairs(request: dict[str, Any], offer: Offer) -> Iterator[tuple[object, object]]:
    """What was asked for, and what the offer has in its place."""
    product, price = request.get("product") or {}, request.get("price") or {}
    if "gtin" in product:
        yield str(product["gtin"]).lstrip("0"), offer.gtin and offer.gtin.lstrip("0")
    if "condition" in request:
        yield request["condition"], offer.condition
    if "price" in price:
        yield _money(price["price"]), offer.price
    if "taxes" in price:
        yield {tax["code"]: _money(tax["value"]) for tax in price["taxes"]}, offer.taxes
    if "preparationTime" in request:
        yield request["preparationTime"], offer.preparation_time
    if "deliveryModes" in request:
        asked = {
            mode["code"]: (_money(mode["cost"]), _money(mode["additionalCost"]))
            for mode in request["deliveryModes"]
        }
        yield asked, offer.delivery_modes


def _money(value: float) -> Decimal:
    return Decimal(str(value))
