"""Fulfilment products: part "Fulfillment product (reference)" of the specification.

A product is of a GTIN and a condition, and has the one reference that the seller's offers have. It
is never overwritten: a second request fills what is empty, and is answered with what is there.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from sqlite3 import Connection, Row
from typing import Any, NamedTuple

import jsonschema_rs
import orjson

from feedtool.areas.inbound.sandbox.behaviour import InboundBehaviour
from feedtool.areas.orders.sandbox.made_up import made_up_article
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import (
    DRAFT,
    NUMBER,
    TEXT,
    asked,
    asked_page,
    check_structure,
    json_body,
    page_answer,
)
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.state import stamp

TABLES = """
CREATE TABLE IF NOT EXISTS warehouse_customer(  -- sellers whose shop is open
  seller TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fulfilment_product(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seller TEXT NOT NULL,
  gtin TEXT NOT NULL,          -- of 14 digits
  condition TEXT NOT NULL,
  reference TEXT NOT NULL,
  document TEXT NOT NULL,      -- as it is shown
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (seller, gtin, condition),
  UNIQUE (seller, reference)
);
"""

_FILLED = {"type": "string", "minLength": 1}
_PRODUCT = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["gtin", "label", "sellerProductReference", "productCondition"],
        "properties": {
            "gtin": _FILLED | {"pattern": "^[0-9]{8,14}$"},
            "label": _FILLED,
            "sellerId": {"type": "integer"},
            "sellerProductReference": _FILLED,
            "productCondition": _FILLED,
            **dict.fromkeys(
                (
                    *("dimensionMinimum", "dimensionMedium", "dimensionMaximum", "weight"),
                    "productValue",
                ),
                NUMBER | {"exclusiveMinimum": 0},
            ),
            "hasExpirationDate": {"type": ["boolean", "null"]},
            **dict.fromkeys(
                (
                    *("categoryUn", "categoryIcpe", "traceability", "customsReference"),
                    *("originCountryCode", "language"),
                ),
                TEXT,
            ),
        },
    }
)
EMPTY = (None, "")


class FulfilmentProduct(NamedTuple):
    """A product that the warehouses know."""

    gtin: str
    condition: str
    reference: str
    """The seller's own."""
    document: Mapping[str, Any]
    """As it is shown."""


# For other parts, and for tests.


def referenced(db: Connection, seller: str, reference: str) -> FulfilmentProduct | None:
    """The seller's product of this reference, if there is one."""
    query = "SELECT * FROM fulfilment_product WHERE seller = ? AND reference = ?"
    return _product(db.execute(query, (seller, reference)).fetchone())


def referenced_pair(
    db: Connection, seller: str, gtin: str, condition: str
) -> FulfilmentProduct | None:
    """The seller's product of this GTIN, in this condition, if there is one."""
    query = "SELECT * FROM fulfilment_product WHERE seller = ? AND gtin = ? AND condition = ?"
    return _product(db.execute(query, (seller, gtin.zfill(14), condition)).fetchone())


def referenced_products(db: Connection, seller: str) -> list[FulfilmentProduct]:
    """The seller's products, oldest first."""
    rows = db.execute("SELECT * FROM fulfilment_product WHERE seller = ? ORDER BY id", (seller,))
    return [product for row in rows if (product := _product(row))]


def _product(row: Row | None) -> FulfilmentProduct | None:
    if row is None:
        return None
    document = orjson.loads(row["document"])
    return FulfilmentProduct(document["gtin"], row["condition"], row["reference"], document)


def keep_product(db: Connection, seller: str, document: Mapping[str, Any], now: datetime) -> None:
    """Let the warehouses know a product, or know it as it is now."""
    names = ("gtin", "productCondition", "sellerProductReference")
    gtin, condition, reference = (document[name] for name in names)
    db.execute(
        "INSERT INTO fulfilment_product"
        " (seller, gtin, condition, reference, document, created_at, updated_at)"
        " VALUES (:seller, :gtin, :condition, :reference, :document, :now, :now)"
        " ON CONFLICT (seller, gtin, condition)"
        " DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at",
        {
            "seller": seller,
            "gtin": gtin.zfill(14),
            "condition": condition,
            "reference": reference,
            "document": orjson.dumps(document).decode(),
            "now": stamp(now),
        },
    )


# The shop.


def stocked(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """A route whose first request, by any seller, references the first of his products."""

    @wraps(answer)
    def answer_in_shop(exchange: Exchange) -> HttpResponse:
        open_shop(exchange.db, exchange.seller, exchange.now, exchange.settings)
        return answer(exchange)

    return answer_in_shop


def open_shop(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> bool:
    """Let the warehouses know a seller; False where they do already."""
    query = "INSERT OR IGNORE INTO warehouse_customer VALUES (?)"
    if not db.execute(query, (seller,)).rowcount:
        return False
    for number in range(settings.of(InboundBehaviour).opening_products):
        keep_product(db, seller, made_up_product(db, seller, number), now)
    return True


def made_up_product(db: Connection, seller: str, number: int) -> dict[str, Any]:
    """A product of the past: an article that customers buy, where a seller has no offers."""
    article = made_up_article(db, seller, "PRIMARY", number)
    return {
        "gtin": article.gtin,
        "label": article.title,
        "sellerId": int(seller) if seller.isdigit() else 0,
        "sellerProductReference": article.reference,
        "productCondition": "New",
        "dimensionMinimum": 10 + number,
        "dimensionMedium": 20 + number,
        "dimensionMaximum": 30 + number,
        "weight": 1.2 + number,
        "hasExpirationDate": False,
        "productValue": article.price,
        "originCountryCode": "FR",
        "language": "fr-FR",
    }


# Routes.


@stocked
def create(exchange: Exchange) -> HttpResponse:
    """POST /fulfillment-products: fill what is empty, and show the product as it is then."""
    document = json_body(exchange.request)
    check_structure(_PRODUCT, document, "a fulfilment product")
    db, seller, reference = exchange.db, exchange.seller, document["sellerProductReference"]
    known = referenced_pair(db, seller, document["gtin"], document["productCondition"])
    other = referenced(db, seller, reference)
    if known is None and other is not None:
        whose = f"{other.gtin} {other.condition}"
        raise bad_request("sellerProductReference", f"{reference} is the reference of {whose}.")
    filled = {name: value for name, value in document.items() if value not in EMPTY}
    before = known.document if known else {}
    after = {**filled, **{name: value for name, value in before.items() if value not in EMPTY}}
    if after != before:
        keep_product(db, seller, after, exchange.now)
        effects.note(exchange, "fulfilment product", reference, document)
    return json_answer(201, after)


@stocked
def read_references(exchange: Exchange) -> HttpResponse:
    """GET /stock-seller-references: what the seller's products are called, page after page."""
    page, reference = asked_page(exchange), asked(exchange, "sellerProductReference")
    rows = exchange.db.execute(
        "SELECT * FROM fulfilment_product WHERE seller = :seller AND id > :after"
        " AND (:reference IS NULL OR reference = :reference) ORDER BY id LIMIT :size",
        {
            "seller": exchange.seller,
            "after": page.after,
            "reference": reference,
            "size": page.limit + 1,
        },
    ).fetchall()
    return page_answer(exchange, page, rows, _shown_reference)


def _shown_reference(row: Row) -> dict[str, str]:
    return {
        "sellerProductReference": row["reference"],
        "productCondition": row["condition"],
        "gtin": orjson.loads(row["document"])["gtin"],
    }


ROUTES: tuple[Route, ...] = (
    Route("POST", "/fulfillment-products", create, counted=True),
    Route("GET", "/stock-seller-references", read_references, counted=True),
)


def next_due(_: Connection) -> str | None:
    """Never: nothing happens to a product by itself."""
    return None


def step(_db: Connection, _settings: SandboxSettings) -> None:
    """Nothing."""
