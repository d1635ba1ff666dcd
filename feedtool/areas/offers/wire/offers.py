"""Lists of offers and of packages: calls, and what their pages say. No shape is trusted.

Specification, parts "Offer (read)", "Offers (read)" and "Offers (JSON packages)". What is absent,
null or of another type than it should be is None: it was not said, and so proves nothing.
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
    """The costs of a way of delivering."""

    cost: Decimal | None
    additional_cost: Decimal | None


class Offer(NamedTuple):
    """An offer as the service has it.

    The struck price (`price.originPrice` of a request) is nowhere in what the service gives back.
    """

    reference: str | None
    """Character for character: it is what a row is found by."""
    gtin: str | None
    product_reference: str | None
    condition: str | None
    state: OfferState | None
    price: Decimal | None
    """The price that the seller sent, not the one that the channel shows."""
    taxes: Mapping[str, Decimal] | None
    """Value by code; a code whose value is no number is not in it."""
    preparation_time: int | None
    """In days."""
    delivery_modes: Mapping[str, DeliveryMode] | None
    """By code."""
    quantity: int | None
    """Shared by all channels, and falling with every sale."""
    updated_at: datetime | None
    offer_id: str | None = None
    supply_modes: frozenset[str] | None = None
    """Who delivers it, in the service's words: Seller, Fulfillment, Xdock."""
    created_at: datetime | None = None


class OffersPage(NamedTuple):
    """One page of offers."""

    offers: list[Offer]
    next: str | None
    """The address of the page after this one, of the same origin."""


def offers_page(reply: Reply) -> OffersPage:
    """A page of offers; raises what `offer_items` raises."""
    items, link = offer_items(reply)
    return OffersPage([offer_of(item) for item in items], link)


def offer_items(reply: Reply) -> tuple[list[dict[str, Any]], str | None]:
    """A page of offers as the service writes them, and the address of the next page.

    Raises:
        Unreadable: the body is no list of objects, since an offer that is left out would be
            taken for one that is not there; or its link leads away.
    """
    items = items_of(reply, "offers")
    if not all(isinstance(item, dict) for item in items):
        raise Unreadable(tr("the answer holds what is no offer"))
    return items, next_link(reply)


def packages_page(reply: Reply) -> AnswerPage[ListedPackage]:
    """A page of packages, those without an id left out.

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
    """An offer, from what the service writes of it."""
    product, price = _object(item.get("product")), _object(item.get("integrationPrice"))
    deliveries = _objects(item.get("deliveryOffers"))
    # A warehouse may have one of its own beside that of the seller.
    supply = [text(delivery.get("supplyMode")) for delivery in deliveries or ()]
    own = [name.casefold() == "seller" for name in supply]
    delivery = deliveries[own.index(True) if any(own) else 0] if deliveries else {}
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
        delivery_modes=None if modes is None else _modes(modes),
        quantity=whole(delivery.get("quantity")),
        updated_at=moment(item.get("updatedAt")),
        offer_id=_key(item.get("offerId")),
        supply_modes=None if deliveries is None else frozenset(filter(None, supply)),
        created_at=moment(item.get("createdAt")),
    )


def _modes(listed: list[dict[str, Any]]) -> dict[str, DeliveryMode]:
    return {
        code: DeliveryMode(amount(mode.get("cost")), amount(mode.get("additionalCost")))
        for mode in listed
        if (code := text(mode.get("code")))
    }


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]] | None:
    """The objects of a list; None for what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else None


def _key(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _gtin(value: Any) -> str | None:
    """A GTIN; one that is written as a number has lost its leading zeros."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return text(value) or None if isinstance(value, str) or is_whole else None


# Calls.


OFFERS_LIMIT = 1000
"""The most offers on a page (part "Limits")."""

OFFER_FIELDS = ("condition", "product", "integrationPrice", "deliveryOffers")
"""Fields by which an offer is compared, beside the fields that are always there (rule 1)."""


def read_packages(link: str | None = None, state: str = "", channel: str = "") -> Call:
    """A page of the seller's packages, or of those in a state or of a channel alone.

    `link` is the address that the page before gave.
    """
    if link is not None:
        return Call("GET", link, READ)
    filters = {"state": state, "salesChannelId": channel}
    query = tuple((name, value) for name, value in filters.items() if value)
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
    """A page of the seller's offers on a channel; without references, GTINs and ids of all of them.

    `comma_lists` makes lists of them that an address can hold. `since` is an RFC 3339 date-time,
    inclusive. `link` is the address that the page before gave, and is followed as it is.

    Raises:
        ValueError: what is listed cannot be in a comma list, being empty or having one.
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
