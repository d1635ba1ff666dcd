"""What other sellers ask for a product on the primary channel: part "Legacy offer routes".

These are the offers of the sandbox's other sellers, and of three that are made up from the GTIN,
always in the same way, so that a seller who is alone here has competitors too.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from feedtool.areas.legacy.sandbox.integration import REFURBISHED, number_of
from feedtool.areas.offers.sandbox.store import offers_of_others
from feedtool.areas.products.sandbox import fixtures, sheets

if TYPE_CHECKING:
    import sqlite3

    from feedtool.sandbox.settings import SandboxSettings


class Rival(NamedTuple):
    """A seller that is none of the sandbox's."""

    name: str
    rating: float
    ratings: int
    sales: int
    country: str


RIVALS = (
    Rival("Comptoir du Nord", 4.6, 1280, 15400, "FR"),
    Rival("Almacenes Rivera", 4.2, 310, 2900, "ES"),
    Rival("Harbour Goods", 3.9, 75, 640, "GB"),
)
"""About half of the products are offered by each."""

NEW, USED = "6", "1"
STATES = {NEW: 1, REFURBISHED: 3}
"""The product_state_id of a product_condition_id; the others are used, 2."""


def competition(
    db: sqlite3.Connection, settings: SandboxSettings, seller: str, product: str
) -> dict[str, Any] | None:
    """What there is beside a seller's own offers of a product; None where it has no sheet."""
    sheet = sheets.find(db, product)
    if sheet is None:
        return None
    rows = offers_of_others(db, seller, settings.primary_channel, product)
    offers = [_offer(row) for row in rows] + _made_up(product)
    if offers:
        best = min(offers, key=lambda one: one["price"] + one["shipping"]["shipping_price"])
        best["is_best_offer"] = True
    changes = [fixtures.SINCE, *(row["updated_at"] for row in rows)]
    about = {
        "product_id": sheet.reference,
        "product_ean": sheet.gtin,
        "title": sheet.values.get("title"),
        "brand_name": sheet.values.get("brand"),
    }
    return {"last_change_date": max(changes), "product": about, "offers": offers}


def _offer(row: sqlite3.Row) -> dict[str, Any]:
    """An offer of another seller of the sandbox, of whom nothing is known but the name."""
    shipping = min(mode["cost"] for mode in orjson.loads(row["modes"]))
    return _document(
        Rival(row["seller"], 0.0, 0, 0, "FR"),
        number_of(row["condition"]),
        row["price"],
        shipping,
        is_available=row["quantity"] > 0,
    )


def _made_up(product: str) -> list[dict[str, Any]]:
    """By the rivals; their prices lie about one that is the product's."""
    usual = 5 + _luck(product) % 19_500 / 100
    return [
        _document(
            rival,
            USED if luck % 7 == 0 else NEW,
            round(usual * (0.9 + luck % 20 / 100), 2),
            luck % 3 * 2.45,
            is_available=luck % 5 > 0,
        )
        for rival in RIVALS
        if (luck := _luck(product, rival.name)) % 2
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
        "seller": {
            "name": rival.name,
            "rating": rival.rating,
            "rating_count": rival.ratings,
            "sales_count": rival.sales,
            "shipment_country": rival.country,
        },
        "shipping": {"shipping_price": shipping},
    }


def _luck(*about: str) -> int:
    """A number that is always the same for the same thing."""
    return zlib.crc32("|".join(("competition", *about)).encode())
