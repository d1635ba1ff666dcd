"""Calls for offers of other sellers for the same products, and readers of their answers.

Specification, part "Legacy offer routes": access is by special request, and an account that has
none gets a 403 (part "Authentication", 3 and 4). Every shape is checked; a field that is absent
or of an unexpected type is None.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from feedtool.feeds.template import TEXT
from feedtool.model.call import READ, Call, Reply, fits_comma_list
from feedtool.model.cells import Value
from feedtool.model.text import tr
from feedtool.service.answers import Unreadable, amount, items_of, next_link, text, whole

SEPARATOR = "&"
"""Between the values of `products`; percent-encoded as it travels."""

MOST_OFFERS = 10_000
"""The most offers that are read of a product."""


def _text(value: Any) -> str | None:
    return text(value) or None


def _flag(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else None


class CompetitionField(NamedTuple):
    """A field of an offer or of its product, and its column in a table; the label is English."""

    label: str
    read: Callable[[Any], Value]
    width: float = 18
    number_format: str = "General"


MONEY = "0.00##"
FIELDS = {
    "product.product_ean": CompetitionField("EAN", _text, 18, TEXT),
    "product.product_id": CompetitionField("Product", _text, 18, TEXT),
    "product.title": CompetitionField("Title", _text, 40),
    "product.brand_name": CompetitionField("Brand", _text),
    "last_change_date": CompetitionField("Last change", _text, 28),
    "seller.name": CompetitionField("Seller", _text, 24),
    "price": CompetitionField("Price", amount, 12, MONEY),
    "shipping.shipping_price": CompetitionField("Shipping", amount, 14, MONEY),
    "is_best_offer": CompetitionField("Best offer", _flag),
    "is_available": CompetitionField("Available", _flag),
    "product_condition_id": CompetitionField("Condition", whole),
    "product_state_id": CompetitionField("State", whole),
    "is_with_commercial_operation": CompetitionField("Commercial operation", _flag, 22),
    "seller.rating": CompetitionField("Rating", amount),
    "seller.rating_count": CompetitionField("Ratings", whole),
    "seller.sales_count": CompetitionField("Sales", whole),
    "seller.shipment_country": CompetitionField("Ships from", _text),
}
"""By their paths; the numbers are the service's codes."""


class CompetitionPage(NamedTuple):
    products: int
    """The number that the answer is about."""
    rows: list[dict[str, Value]]
    """Fields by their paths: of each offer, or of a product that has none."""
    next: str | None
    """The address of the next page, of the same origin, or None."""


def read_competing_offers(products: Sequence[str]) -> Call:
    """The call for others' offers of products, by EAN or product_id; ValueError for other names."""
    if not products or not all(map(fits, products)):
        raise ValueError("products are named by what an address can hold")
    query = (("products", SEPARATOR.join(products)),)
    return Call("GET", "/competing-offers", READ, query=query)


def fits(product: str) -> bool:
    return fits_comma_list(product) and SEPARATOR not in product


def read_competing_changes() -> Call:
    return Call("GET", "/competing-offer-changes", READ)


def competition_page(reply: Reply) -> CompetitionPage:
    """The products of an answer; Unreadable for no list of objects, or a foreign link."""
    items = items_of(reply, tr("competing offers"))
    if not all(isinstance(item, dict) for item in items):
        raise Unreadable(tr("the answer holds something that is not a competing offer"))
    rows: list[dict[str, Value]] = []
    for item in items:
        offers = item.get("offers")
        listed = islice(offers if isinstance(offers, list) else (), MOST_OFFERS)
        common = {name: item.get(name) for name in ("product", "last_change_date")}
        for offer in [offer for offer in listed if isinstance(offer, dict)] or [{}]:
            fields = {**offer, **common}
            rows.append({path: field.read(_value(fields, path)) for path, field in FIELDS.items()})
    return CompetitionPage(len(items), rows, next_link(reply))


def _value(item: Any, path: str) -> Any:
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item
