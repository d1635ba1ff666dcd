"""Lists of offers and of packages: calls and answers. The shape of every answer is checked.

Specification, parts "Offer (read)", "Offers (read)" and "Offers (JSON packages)". A value that is
absent, null or of the wrong type becomes None: it is unknown, and so proves nothing.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from feedtool.areas.offers.wire.packages import meaning_of
from feedtool.feeds.delivery import AnswerPage, ListedPackage
from feedtool.model.call import READ, Call, Reply, fits_comma_list
from feedtool.model.text import tr
from feedtool.service.answers import (
    Unreadable,
    amount,
    id_of,
    items_of,
    moment,
    next_link,
    text,
    whole,
)


class OfferState(StrEnum):
    """The state of an offer: sold or not."""

    ACTIVE = "active"
    INACTIVE = "inactive"


STATES = {state.value: state for state in OfferState}


class DeliveryMode(NamedTuple):
    cost: Decimal | None
    additional_cost: Decimal | None


class Offer(NamedTuple):
    """An offer as the service shows it.

    The service never shows the struck price (`price.originPrice` of a request).
    """

    reference: str | None
    """Unchanged: it identifies the row."""
    gtin: str | None
    product_reference: str | None
    condition: str | None
    state: OfferState | None
    price: Decimal | None
    """The price that the seller sent, not the price that the channel shows."""
    taxes: Mapping[str, Decimal] | None
    """Values by code, without codes whose value is no number."""
    preparation_time: int | None
    """In days."""
    delivery_modes: Mapping[str, DeliveryMode] | None
    """The modes by code."""
    quantity: int | None
    """The stock, which all channels share and every sale reduces."""
    updated_at: datetime | None
    offer_id: str | None = None
    supply_modes: frozenset[str] | None = None
    """The parties that deliver, in the service's words: Seller, Fulfillment, Xdock."""
    created_at: datetime | None = None


def offers_page(reply: Reply) -> AnswerPage[Offer]:
    """Return a page of offers. Raises as `offer_items`."""
    items, link = offer_items(reply)
    return AnswerPage([offer_of(item) for item in items], link)


def offer_items(reply: Reply) -> tuple[list[dict[str, Any]], str | None]:
    """Return the objects of a page of offers, and the address of the next page.

    Raises:
        Unreadable: the body is no list of objects (a skipped offer would seem to be removed), or
            the link leads away.
    """
    items = items_of(reply, "offers")
    if not all(isinstance(item, dict) for item in items):
        raise Unreadable(tr("the answer holds something that is not an offer"))
    return items, next_link(reply)


def packages_page(reply: Reply) -> AnswerPage[ListedPackage]:
    """Return a page of packages, without packages that have no id.

    Raises:
        Unreadable: the body is no list, or its link leads away.
    """
    packages = []
    for document in _objects(items_of(reply, "packages")) or ():
        if package_id := id_of(document):
            state = text(document.get("state"))
            # The specification has a "submission date" without naming its field.
            created = moment(document.get("submissionDate")) or moment(document.get("createdAt"))
            packages.append(ListedPackage(package_id, state, meaning_of(state), created))
    return AnswerPage(packages, next_link(reply))


def offer_of(item: dict[str, Any]) -> Offer:
    product, price = _object(item.get("product")), _object(item.get("integrationPrice"))
    deliveries = _objects(item.get("deliveryOffers"))
    # A warehouse may have a delivery offer beside the seller's.
    supply = [text(delivery.get("supplyMode")) for delivery in deliveries or ()]
    by_seller = [name.casefold() == "seller" for name in supply]
    delivery = deliveries[by_seller.index(True) if any(by_seller) else 0] if deliveries else {}
    taxes, modes = _objects(price.get("taxes")), _objects(delivery.get("deliveryModes"))
    return Offer(
        reference=_key(item.get("sellerExternalReference")),
        gtin=_gtin(product.get("gtin")),
        product_reference=_key(product.get("reference")),
        condition=text(item.get("condition")) or None,
        state=STATES.get(text(item.get("offerState")).casefold()),
        price=amount(price.get("price")),
        taxes=None
        if taxes is None
        else {
            code: value
            for tax in taxes
            if (code := text(tax.get("code")))
            if (value := amount(tax.get("value"))) is not None
        },
        preparation_time=whole(delivery.get("preparationTime")),
        delivery_modes=None
        if modes is None
        else {
            code: DeliveryMode(amount(mode.get("cost")), amount(mode.get("additionalCost")))
            for mode in modes
            if (code := text(mode.get("code")))
        },
        quantity=whole(delivery.get("quantity")),
        updated_at=moment(item.get("updatedAt")),
        offer_id=_key(item.get("offerId")),
        supply_modes=None if deliveries is None else frozenset(filter(None, supply)),
        created_at=moment(item.get("createdAt")),
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]] | None:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else None


def _key(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _gtin(value: Any) -> str | None:
    """Return a GTIN; a GTIN written as a number has lost its leading zeros."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return text(value) or None if isinstance(value, str) or is_whole else None


# Calls.


OFFERS_LIMIT = 1000
"""The most offers on a page (part "Limits")."""

OFFER_FIELDS = ("condition", "product", "integrationPrice", "deliveryOffers")
"""Fields that comparisons need, beside the fields that are always shown (rule 1)."""


def read_packages(link: str | None = None, state: str = "") -> Call:
    """Return the call for a page of the seller's packages, maybe only of a state.

    `link` is the address in the previous page.
    """
    if link is not None:
        return Call("GET", link, READ)
    query = (("state", state),) if state else ()
    return Call("GET", "/offer-packages", READ, query=query)


def read_offers(
    channel: str,
    references: Sequence[str] = (),
    gtins: Sequence[str] = (),
    fields: Sequence[str] = OFFER_FIELDS,
    link: str | None = None,
    *,
    offer_ids: Sequence[str] = (),
    states: Sequence[str] = (),
    since: str | None = None,
    limit: int = OFFERS_LIMIT,
) -> Call:
    """Return the call for a page of a channel's offers: all, or those with the identifiers.

    `comma_lists` splits lists for addresses of limited length. `since` is an RFC 3339 date-time,
    inclusive. `link` is the address in the previous page, and is used unchanged.

    Raises:
        ValueError: a value is empty or contains a comma.
    """
    if link is not None:
        return Call("GET", link, READ)
    if unfit := [key for key in (*references, *gtins, *offer_ids) if not fits_comma_list(key)]:
        raise ValueError(f"{unfit[0]!r} cannot be in a comma list")
    lists = {
        "fields": fields,
        "sellerExternalReferences": references,
        "gtins": gtins,
        "offerIds": offer_ids,
        "offerStates": states,
        "updatedAtMin": [since] if since else (),
    }
    query = [("salesChannelId", channel), ("limit", str(limit))]
    query += [(name, ",".join(values)) for name, values in lists.items() if values]
    return Call("GET", "/offers", READ, query=tuple(query))
