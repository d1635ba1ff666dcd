"""The source of orders: a shop with past orders, to which customers come.

A seller's first request about orders opens the shop.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection
from typing import NamedTuple

from feedtool.areas.offers.sandbox.store import sell
from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.made_up import chosen_lines, made_up_lines, new_order
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS shop(
  seller TEXT PRIMARY KEY,
  next_at TEXT                 -- when the next customer comes; NULL: none does
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shop_next ON shop(next_at) WHERE next_at IS NOT NULL;
"""

ROUTES: tuple[Route, ...] = ()

EVERY_FULFILLED = 8
"""One in so many orders is the warehouse's."""


class PastOrder(NamedTuple):
    """An order that was there when the shop opened."""

    hours: float
    """Since it was placed."""
    status: str
    """The status of its lines; CancelRequest is the status of its first line only."""
    is_primary: bool = True
    """True if it comes from the primary channel."""
    supply: str = "Seller"


PAST = (
    PastOrder(330, life.DELIVERED),
    PastOrder(300, life.DELIVERED, is_primary=False),
    PastOrder(270, life.DELIVERED, supply="Fulfillment"),
    PastOrder(250, life.REFUSED),
    PastOrder(230, life.REJECTED),
    PastOrder(210, life.CANCELLED),
    PastOrder(190, life.IN_PREPARATION),
    PastOrder(150, life.IN_PREPARATION),
    PastOrder(100, life.IN_PREPARATION, is_primary=False),
    PastOrder(90, life.IN_PREPARATION),
    PastOrder(60, life.SHIPPED),
    PastOrder(50, life.SHIPPED, is_primary=False),
    PastOrder(40, life.SHIPPED, supply="Fulfillment"),
    PastOrder(35, life.IN_PREPARATION),
    PastOrder(30, life.IN_PREPARATION, is_primary=False),
    PastOrder(26, life.IN_PREPARATION),
    PastOrder(24, life.WAITING),
    PastOrder(20, life.CANCEL_REQUEST),
    PastOrder(16, life.IN_PREPARATION),
    PastOrder(10, life.IN_PREPARATION, supply="Fulfillment"),
    PastOrder(5, life.WAITING),
    PastOrder(2, life.WAITING),
    PastOrder(0.15, life.ACCEPTED, is_primary=False),
    PastOrder(0.01, life.PROCESSING),
)
"""Oldest first."""

HOURS_TO = {
    life.PROCESSING: 0,
    life.WAITING: 1 / 30,
    life.ACCEPTED: 1 / 30,
    life.IN_PREPARATION: 1,
    life.CANCEL_REQUEST: 4,
    life.REFUSED: 3,
    life.REJECTED: 1,
    life.CANCELLED: 5,
    life.SHIPPED: 24,
    life.DELIVERED: 72,
}


def opened(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """Wrap the function of a route: first open the seller's shop, if needed."""

    @wraps(answer)
    def answer_in_shop(exchange: Exchange) -> HttpResponse:
        open_shop(exchange.db, exchange.seller, exchange.now, exchange.settings)
        return answer(exchange)

    return answer_in_shop


def open_shop(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Let orders of the past be there, and customers come, unless the shop is open already."""
    behaviour = settings.of(OrderBehaviour)
    is_visited = bool(behaviour.customers_every)
    first = stamp(now + behaviour.customers_every) if is_visited else None
    new = db.execute("INSERT OR IGNORE INTO shop VALUES (?, ?)", (seller, first)).rowcount
    if new and is_visited:
        for past in PAST[max(0, len(PAST) - behaviour.opening) :]:
            _remember(db, seller, past, now, settings)


def _remember(
    db: Connection, seller: str, past: PastOrder, now: datetime, settings: SandboxSettings
) -> None:
    """Put in an order of the past; what it should have done long ago it no longer does."""
    behaviour = settings.of(OrderBehaviour)
    others = [name for name in settings.channels if name != settings.primary_channel]
    channel = settings.primary_channel if past.is_primary or not others else others[0]
    placed = now - timedelta(hours=past.hours)
    order = _new(db, seller, channel, past.supply, placed)
    _bring(order, past.status, placed + timedelta(hours=HOURS_TO[past.status]), behaviour)
    if order.next_at and order.next_at <= stamp(now):
        order.next_at = None
    store.write(db, order, now, behaviour.visible_after)


def _new(db: Connection, seller: str, channel: str, supply: str, now: datetime) -> StoredOrder:
    number = store.next_number(db, seller)
    lines = chosen_lines(db, seller, number, channel)
    return new_order(seller, number, channel, supply, lines, now)


def _bring(order: StoredOrder, status: str, now: datetime, behaviour: OrderBehaviour) -> None:
    """Let an order be of this status since a time, with all that belongs to it."""
    if status == life.CANCEL_REQUEST:
        life.move(order, life.IN_PREPARATION, now, behaviour)
        life.request_cancellation(order, order.lines[0], now, behaviour)
        return
    if status in {life.SHIPPED, life.DELIVERED}:
        life.pack(order)
        order.document["shippedAt"] = stamp(now - life.CARRIED)
    life.move(order, status, now, behaviour)


# Customers.


def next_due(db: Connection) -> str | None:
    """The time when the next customer comes to any shop."""
    query = "SELECT MIN(next_at) FROM shop WHERE next_at IS NOT NULL"
    due: str | None
    (due,) = db.execute(query).fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the next customer buy."""
    behaviour = settings.of(OrderBehaviour)
    seller, due = db.execute(
        "SELECT seller, next_at FROM shop WHERE next_at IS NOT NULL ORDER BY next_at, seller"
    ).fetchone()
    moment = moment_of(due)
    number = store.next_number(db, seller)
    supply = "Fulfillment" if number % EVERY_FULFILLED == 0 else "Seller"
    channel = settings.channels[number % len(settings.channels)]
    lines = chosen_lines(db, seller, number, channel)
    for line in lines:
        if line.article.offer is not None:
            sell(db, line.article.offer, line.quantity, due)
    order = new_order(seller, number, channel, supply, lines, moment)
    life.follow(order, moment, behaviour)
    store.write(db, order, moment, behaviour.visible_after)
    following = stamp(moment + behaviour.customers_every)
    db.execute("UPDATE shop SET next_at = ? WHERE seller = ?", (following, seller))


# For tests.


def place(
    db: Connection,
    seller: str,
    now: datetime,
    *,
    status: str = life.IN_PREPARATION,
    lines: int = 1,
    channel: str = "PRIMARY",
    supply: str = "Seller",
    fate: str = "",
    behaviour: OrderBehaviour | None = None,
) -> StoredOrder:
    """A new order, for tests: it has had its status since now, and lives on by itself."""
    behaviour, number = behaviour or OrderBehaviour(), store.next_number(db, seller)
    bought = made_up_lines(db, seller, number, channel, lines)
    placed = now - timedelta(hours=HOURS_TO[status])
    order = new_order(seller, number, channel, supply, bought, placed)
    order.fate = fate
    _bring(order, status, now, behaviour)
    store.write(db, order, now, timedelta())
    return order


def customer_cancels(
    db: Connection, order: StoredOrder, now: datetime, line: int = 0
) -> StoredOrder:
    """The order, after its customer has asked to cancel one of its lines, for tests."""
    order = _reread(db, order)
    life.request_cancellation(order, order.lines[line], now, OrderBehaviour())
    store.write(db, order, now, timedelta())
    return order


def deliver(db: Connection, order: StoredOrder, now: datetime) -> StoredOrder:
    """The order, after it has been delivered, for tests."""
    order = _reread(db, order)
    life.move(order, life.DELIVERED, now, OrderBehaviour())
    store.write(db, order, now, timedelta())
    return order


def _reread(db: Connection, order: StoredOrder) -> StoredOrder:
    return store.find(db, order.seller, order.order_id) or order
