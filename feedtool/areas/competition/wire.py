"""Offers of others for the same products: the calls, and what their answers say. Pure.

Specification, part "Legacy offer routes": access is by special request, and an account that has
none gets a 403 (part "Authentication", 3 and 4). Every shape is checked, none is trusted; what is
absent or of another type than it should be was not said.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.model.call import READ, Call, fits_comma_list
from feedtool.service.answers import text
from feedtool.service.bodies import Unreadable, amount, items_of, next_link, whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from feedtool.model.call import Reply

SEPARATOR = "&"
"""Between the values of `products`; percent-encoded as it travels."""

MOST_OFFERS = 10_000
"""Of one product."""


class CompetingOffer(NamedTuple):
    """An offer of another seller; the numbers are the service's own codes."""

    is_available: bool | None
    is_best_offer: bool | None
    is_with_commercial_operation: bool | None
    product_condition_id: int | None
    product_state_id: int | None
    price: Decimal | None
    seller: str | None
    """Its name."""
    rating: Decimal | None
    rating_count: int | None
    sales_count: int | None
    shipment_country: str | None
    shipping_price: Decimal | None


class Competition(NamedTuple):
    """What others offer of one product."""

    product_id: str | None
    product_ean: str | None
    title: str | None
    brand_name: str | None
    last_change_date: str | None
    """As the service writes it."""
    offers: tuple[CompetingOffer, ...]


class CompetitionPage(NamedTuple):
    """One answer."""

    products: list[Competition]
    next: str | None
    """The address of the page after this one, of the same origin, where there are pages."""


def read_competing_offers(products: Sequence[str]) -> Call:
    """Others' offers of some products, each an EAN or a product_id.

    Raises:
        ValueError: there are none, or one has the separator.
    """
    if not products or not all(map(fits, products)):
        raise ValueError("products are named by what an address can hold")
    query = (("products", SEPARATOR.join(products)),)
    return Call("GET", "/competing-offers", READ, query=query)


def fits(product: str) -> bool:
    """Whether a product can be asked for by this name."""
    return fits_comma_list(product) and SEPARATOR not in product


def read_competing_changes(link: str | None = None) -> Call:
    """Others' offers that have changed; `link` is the address that the page before gave."""
    return Call("GET", link or "/competing-offer-changes", READ)


def competition_page(reply: Reply) -> CompetitionPage:
    """The products of an answer.

    Raises:
        Unreadable: the body is no list of objects, or its link leads away.
    """
    items = items_of(reply, "competing offers")
    if not all(isinstance(item, dict) for item in items):
        raise Unreadable("the answer holds what is no competing offer")
    return CompetitionPage([_competition(item) for item in items], next_link(reply))


def _competition(item: dict[str, Any]) -> Competition:
    product = _object(item.get("product"))
    offers = item.get("offers")
    listed = offers if isinstance(offers, list) else []
    return Competition(
        _said(product.get("product_id")),
        _said(product.get("product_ean")),
        _said(product.get("title")),
        _said(product.get("brand_name")),
        _said(item.get("last_change_date")),
        tuple(_offer(one) for one in islice(listed, MOST_OFFERS) if isinstance(one, dict)),
    )


def _offer(one: dict[str, Any]) -> CompetingOffer:
    seller, shipping = _object(one.get("seller")), _object(one.get("shipping"))
    return CompetingOffer(
        _is(one.get("is_available")),
        _is(one.get("is_best_offer")),
        _is(one.get("is_with_commercial_operation")),
        whole(one.get("product_condition_id")),
        whole(one.get("product_state_id")),
        amount(one.get("price")),
        _said(seller.get("name")),
        amount(seller.get("rating")),
        whole(seller.get("rating_count")),
        whole(seller.get("sales_count")),
        _said(seller.get("shipment_country")),
        amount(shipping.get("shipping_price")),
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _said(value: Any) -> str | None:
    return text(value) or None


def _is(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
