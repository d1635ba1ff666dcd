"""The delivery of packages of offers: staged by uploads, committed by one PATCH.

Specification, parts "Offer package" and "Offers (JSON packages)". If no result names a row, the
seller's offers are read: the row is in force if its offer has the requested values and was updated
since the package was created. Quantity alone proves nothing, since sales change it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import Any

from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire import offers, packages
from feedtool.areas.offers.wire.offers import Offer, OfferState
from feedtool.feeds.delivery import (
    AnswerPage,
    Endpoint,
    Lookup,
    LookupTexts,
    Needs,
    Since,
    Staged,
    Trace,
)
from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import Call, comma_lists, fits_comma_list
from feedtool.model.nouns import PendingRow
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

# The types of packages of offers.


class PackageType(StrEnum):
    """The type of a package, case-sensitive and fixed at creation.

    Source: specification, "Offer package".
    """

    UPSERT = "Upsert"
    UPDATE = "Update"
    DELETE = "Delete"
    FULL = "Full"
    """A legacy zip (specification, "Legacy offer routes")."""
    PURGE = "PurgeAndReplace"
    """A Full legacy zip that also removes all offers that are not in it."""
    STOCK_AND_PRICE = "StockAndPrice"
    """A legacy zip that changes stock and price only."""


LEGACY_TYPES = frozenset({PackageType.FULL, PackageType.PURGE, PackageType.STOCK_AND_PRICE})
"""The types of legacy zips, which one POST stages and commits."""


Pairs = Callable[[AccountSettings, dict[str, Any], Offer], Iterable[tuple[object, object]]]
"""Yields each requested value with the offer's value."""

TEXTS = LookupTexts(
    in_force=tr("No result names it; the service shows the offer as it was asked for."),
    removed=tr("No result names it; the service shows no active offer of this reference."),
    changed=tr(
        "No result names it, and the offer has been changed since: look at it before you send."
    ),
    results_gone=tr("Its results are gone. The offer is as it was before: send the row again."),
    too_often=tr("It was sent several times, and the offer is as it was before."),
    not_repeated=tr(
        "No result names it, and the offer is not as it was asked for. A purge is never repeated by"
        " itself: look at your offers before you send it again."
    ),
    unaskable=tr(
        "No result names it, and its offer cannot be asked for: look at it before you send."
    ),
)

NO_SHEET = "1324"
"""The resultCode of an offer whose product has no sheet (source: the field)."""


def product_names(reference: str, product: str) -> frozenset[str]:
    """Return the names of an offer's product, `GTIN|reference|condition`, as in the product's row.

    Leading zeros of a GTIN do not count.
    """
    del reference
    gtin, _, rest = product.partition("|")
    names = {f"r{rest.partition('|')[0]}", f"g{gtin.lstrip('0')}"}
    return frozenset(names - {"r", "g"})


PRODUCT = Needs(product_names, frozenset({NO_SHEET}))
"""A new offer waits for its product if the same command creates that."""


# Lookup of offers.


def ask_offers(
    package: PackageRef, rows: Sequence[PendingRow]
) -> tuple[Sequence[PendingRow], Call] | None:
    """Return the next call and its rows: lists use commas, so a reference with one goes by GTIN."""
    plain = [row for row in rows if fits_comma_list(row.reference)]
    if plain:
        references = next(comma_lists(row.reference for row in plain))
        return plain[: len(references)], offers.read_offers(package.channel, references)
    known = [(row, gtin) for row in rows if (gtin := row.product.partition("|")[0])]
    gtins = tuple(dict.fromkeys(gtin for _, gtin in known))
    call = offers.read_offers(package.channel, gtins=gtins)
    return ([row for row, _ in known], call) if known else None


def traces(
    pairs: Pairs, since: Since, rows: Sequence[PendingRow], page: AnswerPage[Offer]
) -> Iterator[tuple[PendingRow, Trace]]:
    """Yield the traces of rows on a page of offers, comparing requests with offers by `pairs`."""
    shown = {offer.reference: offer for offer in page.items}
    for row in rows:
        if row.reference in shown or page.next is None:
            yield row, _trace(since, row, shown.get(row.reference), pairs)


def _trace(since: Since, row: PendingRow, offer: Offer | None, pairs: Pairs) -> Trace:
    is_delete = since.package_type == PackageType.DELETE
    if offer is None:
        return Trace.REMOVED if is_delete else Trace.UNTOUCHED
    # Without stock no offer is active, deleted or not.
    if is_delete and offer.state is OfferState.INACTIVE and offer.quantity:
        return Trace.REMOVED
    if since.sent_at and offer.updated_at and offer.updated_at < since.sent_at:
        return Trace.UNTOUCHED
    if is_delete:
        return Trace.CHANGED
    # Values that the service does not show prove nothing.
    compared = pairs(since.settings, json.loads(row.body), offer)
    matches = [value == shown for value, shown in compared if shown is not None]
    return Trace.IN_FORCE if matches and all(matches) else Trace.CHANGED


def _pairs(
    _: AccountSettings, request: dict[str, Any], offer: Offer
) -> Iterator[tuple[object, object]]:
    product, price = request.get("product") or {}, request.get("price") or {}
    if "gtin" in product:
        yield str(product["gtin"]).lstrip("0"), offer.gtin and offer.gtin.lstrip("0")
    if "condition" in request:
        yield request["condition"], offer.condition
    if "price" in price:
        yield exact(price["price"]), offer.price
    if "taxes" in price:
        yield {tax["code"]: exact(tax["value"]) for tax in price["taxes"]}, offer.taxes
    if "preparationTime" in request:
        yield request["preparationTime"], offer.preparation_time
    if "deliveryModes" in request:
        modes = {
            mode["code"]: (exact(mode["cost"]), exact(mode["additionalCost"]))
            for mode in request["deliveryModes"]
        }
        yield modes, offer.delivery_modes


def exact(value: float) -> Decimal:
    """Convert a number of JSON without changing its digits."""
    return Decimal(str(value))


DELIVERY = Staged(
    size=lambda limits: Size(limits.upload, limits.package),
    create=Endpoint(
        lambda package: packages.create_package(
            package.channel, package.package_type, package.language
        ),
        packages.package_id,
    ),
    upload=lambda package, bodies: packages.upload(
        package.package_id, bodies, package.settings.of(OfferSettings).upload_body
    ),
    look=Endpoint(lambda package: packages.read_package(package.package_id), packages.package_view),
    commit=lambda package: packages.commit(package.package_id),
    results=Endpoint(
        lambda package: packages.read_results(package.package_id, package.link, package.page_size),
        packages.results_page,
    ),
    lookup=Lookup(ask_offers, offers.offers_page, partial(traces, _pairs), TEXTS),
    listing=Endpoint(
        lambda package: offers.read_packages(package.link, package.state), offers.packages_page
    ),
    states=packages.STATES,
    meaning=packages.meaning_of,
    ready="Ready",
)
