"""Shipments to the warehouses as they are kept, and those of a shop's past.

A seller's first request about shipments opens the shop.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection
from typing import Any, NamedTuple

import orjson

from feedtool.areas.inbound.sandbox import life
from feedtool.areas.inbound.sandbox.behaviour import InboundBehaviour
from feedtool.areas.inbound.sandbox.products import open_shop, referenced_products
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS inbound_shipment(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,     -- of the seller's shipments
  shipment_id TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL,
  next_at TEXT,                -- when it goes on by itself; NULL where it does not
  visible_at TEXT NOT NULL,
  reference TEXT AS (json_extract(document, '$.reference')) STORED,
  code TEXT AS (json_extract(document, '$.code')) STORED,
  status TEXT AS (json_extract(document, '$.status')) STORED,
  supply_mode TEXT AS (json_extract(document, '$.supplyMode')) STORED,
  country TEXT AS (json_extract(document, '$.storageCountry')) STORED,
  created_at TEXT AS (json_extract(document, '$.createdAt')) STORED,
  updated_at TEXT AS (json_extract(document, '$.updatedAt')) STORED,
  UNIQUE (seller, number)
);
CREATE INDEX IF NOT EXISTS inbound_next ON inbound_shipment(next_at) WHERE next_at IS NOT NULL;
"""

ROUTES: tuple[Route, ...] = ()


# The shop.


class PastShipment(NamedTuple):
    """A shipment that was there when the shop opened."""

    days: float
    """Since it was created."""
    country: str = "FR"
    mode: str = "Fulfillment"
    is_unknown: bool = False
    """True if no warehouse knows one of its products."""


PAST = (
    PastShipment(60),
    PastShipment(45, "GB"),
    PastShipment(25, is_unknown=True),
    PastShipment(5.5),
    PastShipment(5.2, mode="Xdock"),
    PastShipment(4.5),
    PastShipment(2, "GB"),
    PastShipment(0.5),
)
UNKNOWN_GTIN = "2000000000015"


def supplied(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """A route whose first request, by any seller, opens the shop with what is in its past."""

    @wraps(answer)
    def answer_in_shop(exchange: Exchange) -> HttpResponse:
        db, seller, now, settings = (
            *(exchange.db, exchange.seller, exchange.now),
            exchange.settings,
        )
        open_shop(db, seller, now, settings)
        query = "SELECT 1 FROM inbound_shipment WHERE seller = ?"
        if db.execute(query, (seller,)).fetchone() is None:
            _recall(db, seller, now, settings)
        return answer(exchange)

    return answer_in_shop


def _recall(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Let the shipments of the past be as they are by now."""
    behaviour, products = settings.of(InboundBehaviour), referenced_products(db, seller)
    for past in PAST[: behaviour.opening_shipments if products else 0]:
        number = _next_number(db, seller)
        chosen = [products[(number + place) % len(products)] for place in range(1 + number % 3)]
        items = [
            {"gtin": it.gtin, "productCondition": it.condition, "quantity": 4 * number + place}
            for place, it in enumerate({it.gtin: it for it in chosen}.values(), 1)
        ]
        if past.is_unknown:
            items[-1]["gtin"] = UNKNOWN_GTIN
        body: dict[str, Any] = {"reference": f"PO-{number:04d}", "storageCountry": past.country}
        body |= {"supplyMode": past.mode, "items": items}
        at = now - timedelta(days=past.days)
        add(db, seller, body, at, behaviour)
        while _step_one(db, behaviour, stamp(now), seller, number):
            pass


def _next_number(db: Connection, seller: str) -> int:
    query = "SELECT COALESCE(MAX(number), 0) + 1 FROM inbound_shipment WHERE seller = ?"
    (number,) = db.execute(query, (seller,)).fetchone()
    return int(number)


def add(
    db: Connection, seller: str, body: dict[str, Any], at: datetime, behaviour: InboundBehaviour
) -> str:
    """The name of a new shipment."""
    number = _next_number(db, seller)
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"inbound shipment {number} of {seller}"))
    names = ("gtin", "productCondition", "quantity")
    document = {
        "inboundShipmentId": name,
        "code": f"IN-{number:06d}",
        **{key: body[key] for key in ("reference", "storageCountry", "supplyMode")},
        "status": life.CREATED,
        "items": [{name: item[name] for name in names} for item in body["items"]],
        "hasDeliveryNote": False,
        "createdAt": stamp(at),
        "updatedAt": stamp(at),
    }
    next_at = life.due(number, document, at, behaviour)
    db.execute(
        "INSERT INTO inbound_shipment(seller, number, shipment_id, document, next_at, visible_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(seller, number, name, orjson.dumps(document).decode()),
            *(next_at and stamp(next_at), stamp(at + behaviour.visible_after)),
        ),
    )
    return name


# What shipments do by themselves.


def next_due(db: Connection) -> str | None:
    """When the next shipment goes on."""
    query = "SELECT MIN(next_at) FROM inbound_shipment WHERE next_at IS NOT NULL"
    due: str | None
    (due,) = db.execute(query).fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the shipment go on whose time has come first."""
    seller, number, due = db.execute(
        "SELECT seller, number, next_at FROM inbound_shipment WHERE next_at IS NOT NULL"
        " ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    _step_one(db, settings.of(InboundBehaviour), due, seller, number)


def _step_one(
    db: Connection, behaviour: InboundBehaviour, until: str, seller: str, number: int
) -> bool:
    """Let one shipment go on by one state; False where it does not by then."""
    row = db.execute(
        "SELECT document, next_at FROM inbound_shipment WHERE seller = ? AND number = ?",
        (seller, number),
    ).fetchone()
    if row["next_at"] is None or row["next_at"] > until:
        return False
    at = moment_of(row["next_at"])
    moved = life.move(db, seller, number, orjson.loads(row["document"]), at)
    next_at = life.due(number, moved, at, behaviour)
    db.execute(
        "UPDATE inbound_shipment SET document = ?, next_at = ? WHERE seller = ? AND number = ?",
        (orjson.dumps(moved).decode(), next_at and stamp(next_at), seller, number),
    )
    return True
