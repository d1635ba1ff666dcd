"""Offers of others for the same products: the calls, and their answers. Pure.

Specification, part "Legacy offer routes": access is by special request, and an account that has
none gets a 403 (part "Authentication", 3 and 4). Every shape is checked, none is trusted; a field
that is absent or of another type than it should be is None.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from feedtool.model.call import READ, Call, Reply, fits_comma_list
from feedtool.model.cells import Value
from feedtool.service.answers import Unreadable, amount, items_of, next_link, text, whole

SEPARATOR = "&"
"""Between the values of `products`; percent-encoded as it travels."""

MOST_OFFERS = 10_000
"""Of one product."""


def _text(value: Any) -> str | None:
    return text(value) or None


def _flag(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else None


FIELDS: Mapping[str, Callable[[Any], Value]] = {
    **dict.fromkeys((f"product.product_{name}" for name in ("ean", "id")), _text),
    **dict.fromkeys(("product.title", "product.brand_name", "last_change_date"), _text),
    "seller.name": _text,
    **dict.fromkeys(("price", "shipping.shipping_price"), amount),
    **dict.fromkeys(("is_best_offer", "is_available"), _flag),
    **dict.fromkeys(("product_condition_id", "product_state_id"), whole),
    "is_with_commercial_operation": _flag,
    "seller.rating": amount,
    **dict.fromkeys(("seller.rating_count", "seller.sales_count"), whole),
    "seller.shipment_country": _text,
}
"""The fields of an offer and of its product by their paths; the numbers are the service's codes."""


class CompetitionPage(NamedTuple):
    """One answer."""

    products: int
    """The number that the answer is about."""
    rows: list[dict[str, Value]]
    """Fields by their paths: of each offer, or of a product that has none."""
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
    """True if a product can be asked for by this name."""
    return fits_comma_list(product) and SEPARATOR not in product


def read_competing_changes() -> Call:
    """Others' offers that have changed."""
    return Call("GET", "/competing-offer-changes", READ)


def competition_page(reply: Reply) -> CompetitionPage:
    """The products of an answer.

    Raises:
        Unreadable: the body is no list of objects, or its link leads away.
    """
    items = items_of(reply, "competing offers")
    if not all(isinstance(item, dict) for item in items):
        raise Unreadable("the answer holds what is no competing offer")
    rows = [row for item in items for row in _rows(item)]
    return CompetitionPage(len(items), rows, next_link(reply))


def _rows(item: dict[str, Any]) -> Iterator[dict[str, Value]]:
    offers = item.get("offers")
    listed = islice(offers if isinstance(offers, list) else (), MOST_OFFERS)
    common = {name: item.get(name) for name in ("product", "last_change_date")}
    for offer in [offer for offer in listed if isinstance(offer, dict)] or [{}]:
        fields = {**offer, **common}
        yield {path: read(_field(fields, path)) for path, read in FIELDS.items()}


def _field(item: Any, path: str) -> Any:
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item
