"""Booking of money: each day the orders accepted the day before, and the month's fees.

A seller's first request about money opens the books, with some months behind them.
"""

import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection

import orjson

from feedtool.areas.finance.sandbox import events, store
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.events import Sold
from feedtool.areas.orders.sandbox import states as orders
from feedtool.areas.orders.sandbox.shop import cost, opened
from feedtool.areas.orders.sandbox.store import StoredOrder, placed_before
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS money(
  seller TEXT PRIMARY KEY,
  next_at TEXT NOT NULL         -- the day that is booked next
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS money_next ON money(next_at);
CREATE TABLE IF NOT EXISTS billed(
  seller TEXT NOT NULL,
  order_id TEXT NOT NULL,
  sold TEXT NOT NULL,           -- the places of the lines that were sold, as JSON
  refunded TEXT NOT NULL,       -- the places of the lines that were given back
  PRIMARY KEY (seller, order_id)
) WITHOUT ROWID;
"""

ROUTES: tuple[Route, ...] = ()

DAY = timedelta(days=1)
ACCEPTED = timedelta(hours=1)
GIVEN_BACK = 8
"""On each day of a month with an 8 a customer gets money back for an earlier purchase."""
SOLD = (orders.IN_PREPARATION, orders.SHIPPED, orders.DELIVERED)


def booked(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """Wrap the function of a route: first open the seller's shop and books."""

    @wraps(answer)
    def answer_with_books(exchange: Exchange) -> HttpResponse:
        _open(exchange.db, exchange.seller, exchange.now, exchange.settings)
        return answer(exchange)

    return opened(answer_with_books)


def _open(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    today = events.midnight(now.date(), now)
    new = db.execute("INSERT OR IGNORE INTO money VALUES (?, ?)", (seller, stamp(today + DAY)))
    behaviour = settings.of(FinanceBehaviour)
    if not new.rowcount or not behaviour.history:
        return
    for number in range(behaviour.history, -1, -1):  # the days before the shop opened
        day = today - number * DAY
        store.add(db, seller, events.sale(_old(seller, day, settings), day, behaviour))
        if day.day % 10 == GIVEN_BACK:
            before = _old(seller, day - 4 * DAY, settings)
            before.order_status = orders.CANCELLED
            store.add(db, seller, events.refund(before, day, behaviour))
        _book(db, seller, day, settings)


def _old(seller: str, day: datetime, settings: SandboxSettings) -> Sold:
    drawn = zlib.crc32(f"money|{seller}|{day:%Y-%m-%d}".encode())
    channel = settings.channels[drawn % len(settings.channels)]
    return Sold(
        f"{drawn % 10**9:09d}{day:%y%m%d}",
        channel,
        999 + drawn % 20_000,
        drawn % 3 * 245,
        day - DAY + ACCEPTED,
        stamp(day),
        is_exported=drawn % 4 == 0,
    )


def next_due(db: Connection) -> str | None:
    """The time when the next day is booked."""
    due: str | None
    (due,) = db.execute("SELECT MIN(next_at) FROM money").fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Book the day that is due first."""
    seller, due = db.execute(
        "SELECT seller, next_at FROM money ORDER BY next_at, seller"
    ).fetchone()
    day = moment_of(due)
    _book(db, seller, day, settings)
    db.execute("UPDATE money SET next_at = ? WHERE seller = ?", (stamp(day + DAY), seller))


def _book(db: Connection, seller: str, day: datetime, settings: SandboxSettings) -> None:
    behaviour = settings.of(FinanceBehaviour)
    if behaviour.history and day.day in events.FEES:
        name, cents = events.FEES[day.day]
        fee = events.fee(name, cents, settings.primary_channel, day, behaviour)
        store.add(db, seller, fee)
    for order in placed_before(db, seller, day):
        _bill(db, order, day, behaviour)


def _bill(db: Connection, order: StoredOrder, day: datetime, behaviour: FinanceBehaviour) -> None:
    """The sale of an order that was accepted, the refund of lines that were cancelled since."""
    key = (order.seller, order.order_id)
    query = "SELECT sold, refunded FROM billed WHERE seller = ? AND order_id = ?"
    row = db.execute(query, key).fetchone()
    cancelled = [
        place for place, line in enumerate(order.lines) if line["status"] == orders.CANCELLED
    ]
    if row is None:
        if order.status in SOLD:
            places = [place for place in range(len(order.lines)) if place not in cancelled]
            store.add(db, order.seller, events.sale(_sold(order, places), day, behaviour))
            db.execute("INSERT INTO billed VALUES (?, ?, ?, ?)", (*key, _json(places), "[]"))
        return
    sold, refunded = (orjson.loads(text) for text in row)
    back = [place for place in cancelled if place in sold and place not in refunded]
    if back:
        store.add(db, order.seller, events.refund(_sold(order, back), day, behaviour))
        db.execute(
            "UPDATE billed SET refunded = ? WHERE seller = ? AND order_id = ?",
            (_json(refunded + back), *key),
        )


def _json(places: list[int]) -> str:
    return orjson.dumps(places).decode()


def _sold(order: StoredOrder, places: list[int]) -> Sold:
    """Some lines of an order, as they are sold or given back."""
    lines = [order.lines[place] for place in places]
    shipping = sum(round(line["sellingPrice"]["shippingCost"] * 100) for line in lines)
    return Sold(
        order.order_id,
        order.channel,
        sum(round(cost(line) * 100) for line in lines) - shipping,
        shipping,
        moment_of(order.document["createdAt"]) + ACCEPTED,
        order.document["shippedAt"],
        order.status,
        is_exported=order.document["shippingCountry"] in {"MA", "GB"},
    )
