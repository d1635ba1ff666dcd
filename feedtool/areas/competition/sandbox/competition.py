"""The competing-offer routes: part "Legacy offer routes" of the specification.

The offers are those of the sandbox's other sellers on the primary channel, and of three that are
made up from the GTIN, always in the same way, so that a seller who is alone has competitors too.
"""

import re
import sqlite3
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

import orjson
from msgspec import Struct

from feedtool.areas.legacy.sandbox.offers import REFURBISHED, number_of
from feedtool.areas.offers.sandbox.rules import PRODUCT_REFERENCE, is_gtin
from feedtool.areas.offers.sandbox.store import gtin_product, offered_products, offers_of_others
from feedtool.areas.products.sandbox import sheets
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    bad_request,
    json_answer,
)


class CompetitionBehaviour(Struct, frozen=True):
    """The accounts that may read offers of others."""

    unopened_sellers: tuple[str, ...] = ("unopened",)
    """Sellers without access (part "Authentication", 4)."""


REFERENCE_FORMAT = "ER400-8614"

MOST = 1000
"""Changes that are listed at once."""

REFERENCE = re.compile("P([0-9A-F]{1,12})")
"""A product_id, as `CatalogueSheet.reference` makes it."""


class Rival(NamedTuple):
    """Another seller, who has no account in the sandbox."""

    name: str
    rating: float = 0.0
    rating_count: int = 0
    sales_count: int = 0
    shipment_country: str = "FR"


RIVALS = (
    Rival("Comptoir du Nord", 4.6, 1280, 15400, "FR"),
    Rival("Almacenes Rivera", 4.2, 310, 2900, "ES"),
    Rival("Harbour Goods", 3.9, 75, 640, "GB"),
)
"""About half of the products are offered by each."""

NEW, USED = "6", "1"
STATES = {NEW: 1, REFURBISHED: 3}
"""The product_state_id of a product_condition_id; the others are used, 2."""


def read_competition(exchange: Exchange) -> HttpResponse:
    """GET /competing-offers: of the products asked for, EANs or product_ids, in their order."""
    _check_access(exchange)
    # "Separated by &", whether that is percent-encoded or not.
    values = [
        unquote_plus(pair.removeprefix("products="))
        for pair in exchange.request.query.split("&")
        if pair.startswith("products=") or "=" not in pair
    ]
    names = [name for value in values for name in value.split("&") if name]
    if not names:
        raise bad_request("products", "products is required.", FIELD_MISSING)
    if strange := [name for name in names if not PRODUCT_REFERENCE.fullmatch(name)]:
        reason = f"{strange[0]!r} is not alphanumeric with optional dash or dot."
        raise bad_request("products", reason, REFERENCE_FORMAT)
    products = filter(None, dict.fromkeys(map(_product, names)))
    items = [item for product in products if (item := _competition(exchange, product))]
    return json_answer(200, {"count": len(items), "items": items})


def read_changes(exchange: Exchange) -> HttpResponse:
    """GET /competing-offer-changes: of the products that the seller offers, latest first."""
    _check_access(exchange)
    channel = exchange.settings.primary_channel
    items = [
        item
        for product in offered_products(exchange.db, exchange.seller, channel)
        if (item := _competition(exchange, product)) and item["offers"]
    ]
    items.sort(key=lambda item: (item["last_change_date"], item["product"]["product_ean"]))
    return json_answer(200, items[: -MOST - 1 : -1])


def _check_access(exchange: Exchange) -> None:
    if exchange.seller in exchange.settings.of(CompetitionBehaviour).unopened_sellers:
        raise RequestRefused(403, "The account is not opened for competing offers.")


def _product(name: str) -> str:
    """The key of the product of an EAN or a product_id; empty for another name."""
    if is_gtin(name):
        return gtin_product(name)
    number = REFERENCE.fullmatch(name)
    return str(int(number[1], 16)).zfill(14) if number else ""


def _competition(exchange: Exchange, product: str) -> dict[str, Any] | None:
    """The other sellers' offers of a product; None if it has no sheet."""
    sheet = sheets.find(exchange.db, product)
    if sheet is None:
        return None
    channel = exchange.settings.primary_channel
    rows = offers_of_others(exchange.db, exchange.seller, channel, product)
    offers = [*map(_offer, rows), *_made_up(product)]
    if offers:
        best = min(offers, key=lambda offer: offer["price"] + offer["shipping"]["shipping_price"])
        best["is_best_offer"] = True
    about = {
        "product_id": sheet.reference,
        "product_ean": sheet.gtin,
        "title": sheet.values.get("title"),
        "brand_name": sheet.values.get("brand"),
    }
    changed = max([sheets.SINCE, *(row["updated_at"] for row in rows)])
    return {"last_change_date": changed, "product": about, "offers": offers}


def _offer(row: sqlite3.Row) -> dict[str, Any]:
    """An offer of another seller of the sandbox, of whom nothing is known but the name."""
    shipping = min(mode["cost"] for mode in orjson.loads(row["modes"]))
    condition, rival = number_of(row["condition"]), Rival(row["seller"])
    return _document(rival, condition, row["price"], shipping, is_available=row["quantity"] > 0)


def _made_up(product: str) -> list[dict[str, Any]]:
    """Offers by the rivals; their prices lie about one that is the product's."""
    usual = 5 + sheets.drawn("competition", product) % 19_500 / 100
    return [
        _document(
            rival,
            USED if number % 7 == 0 else NEW,
            round(usual * (0.9 + number % 20 / 100), 2),
            number % 3 * 2.45,
            is_available=number % 5 > 0,
        )
        for rival in RIVALS
        if (number := sheets.drawn("competition", product, rival.name)) % 2
    ]


def _document(
    rival: Rival, condition: str, price: float, shipping: float, *, is_available: bool
) -> dict[str, Any]:
    return {
        "is_available": is_available,
        "is_best_offer": False,
        "is_with_commercial_operation": False,
        "product_condition_id": int(condition or NEW),
        "product_state_id": STATES.get(condition, 2),
        "price": price,
        "seller": rival._asdict(),
        "shipping": {"shipping_price": shipping},
    }


ROUTES: tuple[Route, ...] = (
    Route("GET", "/competing-offers", read_competition),
    Route("GET", "/competing-offer-changes", read_changes),
)
