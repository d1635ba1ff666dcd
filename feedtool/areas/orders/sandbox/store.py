"""Stored orders, and what readers see of them: part "Order" of the specification.

A change may show later than it happens (`OrderBehaviour.visible_after`). What is done with an order
uses the current order; readers get what shows.
"""

from datetime import datetime, timedelta
from sqlite3 import Connection, Row
from typing import Any

import orjson
from msgspec import Struct

from feedtool.sandbox.exchange import Exchange, Route, SandboxSettings, not_found
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS orders(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,     -- of the seller's orders
  order_id TEXT NOT NULL,
  document TEXT NOT NULL,      -- the order as it is
  fate TEXT NOT NULL,
  next_at TEXT,                -- when it changes by itself; NULL where it does not
  shown TEXT,                  -- the order as it is seen; NULL as long as it is not
  reference TEXT AS (json_extract(shown, '$.reference')) STORED,
  channel TEXT AS (json_extract(shown, '$.salesChannelId')) STORED,
  status TEXT AS (json_extract(shown, '$.status')) STORED,
  supply_mode TEXT AS (json_extract(shown, '$.supplyMode')) STORED,
  country TEXT AS (json_extract(shown, '$.shippingCountry')) STORED,
  business INTEGER AS (json_extract(shown, '$.businessOrder')) STORED,
  created_at TEXT AS (json_extract(shown, '$.createdAt')) STORED,
  updated_at TEXT AS (json_extract(shown, '$.updatedAt')) STORED,
  shipped_at TEXT AS (json_extract(shown, '$.shippedAt')) STORED,
  UNIQUE (seller, number),
  UNIQUE (seller, order_id)
);
CREATE INDEX IF NOT EXISTS orders_next ON orders(next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_by_creation ON orders(seller, created_at, id);
CREATE INDEX IF NOT EXISTS orders_by_change ON orders(seller, updated_at, id);
CREATE INDEX IF NOT EXISTS orders_by_shipment ON orders(seller, shipped_at);
CREATE TABLE IF NOT EXISTS unseen_change(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shows_at TEXT NOT NULL,
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,
  document TEXT NOT NULL
);
"""

ROUTES: tuple[Route, ...] = ()


class StoredOrder(Struct):
    """The current state of an order."""

    seller: str
    number: int
    """Its number among the seller's orders, from 1."""
    document: dict[str, Any]
    """The service's document, with the shipping addresses."""
    fate: str = ""
    """The problem that it will have, see `life`; empty for none."""
    next_at: str | None = None
    """The time of its next change by itself; None for no change."""

    @property
    def order_id(self) -> str:
        return str(self.document["orderId"])

    @property
    def channel(self) -> str:
        return str(self.document["salesChannelId"])

    @property
    def status(self) -> str:
        return str(self.document["status"])

    @property
    def is_shipped_by_seller(self) -> bool:
        return bool(self.document["supplyMode"] == "Seller")

    @property
    def lines(self) -> list[dict[str, Any]]:
        return list(self.document["lines"])


def find(db: Connection, seller: str, order_id: str) -> StoredOrder | None:
    """The seller's order of this identifier, or None."""
    query = "SELECT * FROM orders WHERE seller = ? AND order_id = ?"
    row = db.execute(query, (seller, order_id)).fetchone()
    return row and _order(row)


def numbered(db: Connection, seller: str, number: int) -> StoredOrder | None:
    """The seller's order of this number, or None."""
    query = "SELECT * FROM orders WHERE seller = ? AND number = ?"
    row = db.execute(query, (seller, number)).fetchone()
    return row and _order(row)


def shipped(db: Connection, seller: str, since: str, until: str) -> list[StoredOrder]:
    """The seller's orders that were shipped after one time and by another."""
    query = (
        "SELECT * FROM orders WHERE seller = ? AND shipped_at > ? AND shipped_at <= ?"
        " ORDER BY shipped_at, number"
    )
    return [_order(row) for row in db.execute(query, (seller, since, until))]


def first_due(db: Connection) -> StoredOrder:
    """The order that changes first by itself; there must be one."""
    query = "SELECT * FROM orders WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    return _order(db.execute(query).fetchone())


def placed_before(db: Connection, seller: str, moment: datetime) -> list[StoredOrder]:
    """The seller's orders that were placed before a time, oldest first."""
    query = "SELECT * FROM orders WHERE seller = ? AND created_at < ? ORDER BY created_at, id"
    return [_order(row) for row in db.execute(query, (seller, stamp(moment)))]


def _order(row: Row) -> StoredOrder:
    document = orjson.loads(row["document"])
    return StoredOrder(row["seller"], row["number"], document, row["fate"], row["next_at"])


def asked_order(exchange: Exchange, order_id: str | None = None) -> StoredOrder:
    """The seller's order of this identifier, else of the path's; 404 if there is none."""
    name = exchange.ids["orderId"] if order_id is None else order_id
    order = find(exchange.db, exchange.seller, name)
    if order is None:
        raise not_found("The order")
    return order


def next_number(db: Connection, seller: str) -> int:
    """The number of the seller's next order."""
    query = "SELECT COALESCE(MAX(number), 0) + 1 FROM orders WHERE seller = ?"
    (number,) = db.execute(query, (seller,)).fetchone()
    return int(number)


def write(db: Connection, order: StoredOrder, now: datetime, visible_after: timedelta) -> None:
    """Store an order; readers see it `visible_after` its last change."""
    document = orjson.dumps(order.document).decode()
    db.execute(
        "INSERT INTO orders(seller, number, order_id, document, fate, next_at)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (seller, number)"
        " DO UPDATE SET document = excluded.document, next_at = excluded.next_at",
        (order.seller, order.number, order.order_id, document, order.fate, order.next_at),
    )
    shows_at = moment_of(order.document["updatedAt"]) + visible_after
    if shows_at <= now:
        _show(db, order.seller, order.number, document)
    else:
        db.execute(
            "INSERT INTO unseen_change(shows_at, seller, number, document) VALUES (?, ?, ?, ?)",
            (stamp(shows_at), order.seller, order.number, document),
        )


def _show(db: Connection, seller: str, number: int, document: str) -> None:
    db.execute(
        "UPDATE orders SET shown = ? WHERE seller = ? AND number = ?", (document, seller, number)
    )


def next_due(db: Connection) -> str | None:
    """The time when the next change shows."""
    due: str | None
    (due,) = db.execute("SELECT MIN(shows_at) FROM unseen_change").fetchone()
    return due


def step(db: Connection, _settings: SandboxSettings) -> None:
    """Show the change that is due first."""
    change, seller, number, document = db.execute(
        "SELECT id, seller, number, document FROM unseen_change ORDER BY shows_at, id LIMIT 1"
    ).fetchone()
    _show(db, seller, number, document)
    db.execute("DELETE FROM unseen_change WHERE id = ?", (change,))
