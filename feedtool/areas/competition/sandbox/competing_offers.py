"""The competing-offer routes: part "Legacy offer routes" of the specification.

Access by special request: an account that is not opened for them gets a 403 (part
"Authentication", 3 and 4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from feedtool.areas.competition.sandbox.rivals import competition
from feedtool.areas.competition.sandbox.settings import CompetitionBehaviour
from feedtool.areas.offers.sandbox.rules import PRODUCT_REFERENCE, is_gtin
from feedtool.areas.offers.sandbox.store import gtin_product, offered_products
from feedtool.sandbox.message import HttpResponse, json_answer
from feedtool.sandbox.problem import FIELD_MISSING, RequestRefused, bad_request
from feedtool.sandbox.route import Exchange, Route

if TYPE_CHECKING:
    import sqlite3

    from feedtool.sandbox.settings import SandboxSettings

TABLES = ""

REFERENCE_FORMAT = "ER400-8614"

MOST = 1000
"""Changes that are told at once."""

REFERENCE = re.compile("P([0-9A-F]{1,12})")
"""A product_id, as `CatalogueSheet.reference` makes it."""


def read_competition(exchange: Exchange) -> HttpResponse:
    """GET /competing-offers: of the products asked for, EANs or product_ids, in their order."""
    _check_access(exchange)
    asked = _asked_products(exchange.request.query)
    if not asked:
        raise bad_request("products", "products is required.", FIELD_MISSING)
    if strange := [one for one in asked if not PRODUCT_REFERENCE.fullmatch(one)]:
        reason = f"{strange[0]!r} is not alphanumeric with optional dash or dot."
        raise bad_request("products", reason, REFERENCE_FORMAT)
    found = (
        competition(exchange.db, exchange.settings, exchange.seller, product)
        for product in dict.fromkeys(map(_product, asked))
        if product
    )
    items = [one for one in found if one]
    return json_answer(200, {"count": len(items), "items": items})


def read_changes(exchange: Exchange) -> HttpResponse:
    """GET /competing-offer-changes: of the products that the seller offers, latest first."""
    _check_access(exchange)
    settings, seller = exchange.settings, exchange.seller
    found = [
        one
        for product in offered_products(exchange.db, seller, settings.primary_channel)
        if (one := competition(exchange.db, settings, seller, product)) and one["offers"]
    ]
    found.sort(key=lambda one: (one["last_change_date"], one["product"]["product_ean"]))
    return json_answer(200, found[: -MOST - 1 : -1])


def _check_access(exchange: Exchange) -> None:
    if exchange.seller in exchange.settings.of(CompetitionBehaviour).unopened_sellers:
        raise RequestRefused(403, "The account is not opened for competing offers.")


def _asked_products(query: str) -> list[str]:
    """The values of `products`, "separated by &", whether that is percent-encoded or not."""
    values = [
        unquote_plus(pair.removeprefix("products="))
        for pair in query.split("&")
        if pair.startswith("products=") or "=" not in pair
    ]
    return [one for value in values for one in value.split("&") if one]


def _product(asked: str) -> str:
    """What identifies the product of an EAN or a product_id; empty where it is neither."""
    if is_gtin(asked):
        return gtin_product(asked)
    found = REFERENCE.fullmatch(asked)
    return str(int(found[1], 16)).zfill(14) if found else ""


def next_due(_db: sqlite3.Connection) -> str | None:
    """Other sellers do nothing by themselves."""
    return None


def step(_db: sqlite3.Connection, _settings: SandboxSettings) -> None:
    """Nothing, see `next_due`."""


ROUTES: tuple[Route, ...] = (
    Route("GET", "/competing-offers", read_competition),
    Route("GET", "/competing-offer-changes", read_changes),
)
