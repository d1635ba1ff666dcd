"""What customers write by themselves: nothing by chance, an order's number decides.

Specification, "Discussion" (states). A seller's first request about discussions finds some of the
past. From then on the customer of every fifth shipped order opens one; who has no answer makes a
claim of it, who has one says thanks, and every fourth opens again what was closed.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection, Row
from typing import NamedTuple

from feedtool.areas.discussions.sandbox import store
from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.store import (
    CLAIM,
    CUSTOMER,
    SELLER,
    NewMessage,
    SentFile,
    Topic,
)
from feedtool.areas.orders.sandbox import shop
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder, numbered, shipped
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS written_until(
  seller TEXT PRIMARY KEY,
  shipped_at TEXT NOT NULL     -- customers of orders shipped by then have written
) WITHOUT ROWID;
"""

ROUTES: tuple[Route, ...] = ()

EVERY_WRITES, EVERY_ATTACHES, EVERY_REOPENS = 5, 3, 4
"""One in so many shipped orders, of customers who write, of discussions that were closed."""

PHOTO = SentFile("photo.png", "png", b"\x89PNG\r\n\x1a\n a photo of a box")
THANKS = "Thank you very much for your answer, that helps."
AGAIN = "I am sorry, but this is not solved yet: please look at it again."
ANSWER = "Thank you for your message. Your parcel is on its way and will arrive soon."


class Complaint(NamedTuple):
    """What a customer writes."""

    subtypology: str
    subject: str
    body: str


COMPLAINTS = (
    Complaint(
        "productIsDamaged",
        "The product is damaged",
        "Good morning, the box was open and the product is broken.",
    ),
    Complaint(
        "missingItemInProduct",
        "An item is missing",
        "Hello, the screws that are in the list are not in the box.",
    ),
    Complaint(
        "orderNotShipped",
        "Where is my order?",
        "Bonjour, je n'ai toujours rien reçu. Où est mon colis ?",
    ),
    Complaint(
        "printReceipt",
        "I need an invoice",
        "Could you please send me the invoice of this order?",
    ),
)


class PastDiscussion(NamedTuple):
    """A discussion that was there when a seller first asked."""

    number: int
    """Of the order."""
    complaint: int
    hours: float
    """Since it was opened."""
    answered: float | None = None
    """Hours since the seller answered."""
    is_closed: bool = False
    files: tuple[SentFile, ...] = ()


PAST = (
    PastDiscussion(3, 3, 200, 190, is_closed=True),
    PastDiscussion(1, 0, 60, files=(PHOTO,)),
    PastDiscussion(11, 2, 30, 28),
    PastDiscussion(2, 1, 20),
    PastDiscussion(7, 2, 5),
)
"""Oldest first: answered and closed, a claim, one with thanks, and two that wait."""


def written(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """A route's function, before which customers write what they have written by then."""

    @shop.opened
    @wraps(answer)
    def answer_after(exchange: Exchange) -> HttpResponse:
        _write_until_now(exchange.db, exchange.seller, exchange.now, exchange.settings)
        return answer(exchange)

    return answer_after


def _write_until_now(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    behaviour = settings.of(DiscussionBehaviour)
    query = "SELECT shipped_at FROM written_until WHERE seller = ?"
    row = db.execute(query, (seller,)).fetchone()
    if row is None and settings.of(OrderBehaviour).customers_every:
        for past in PAST:
            if order := numbered(db, seller, past.number):
                _remember(db, order, past, now, behaviour)
    since, until = row["shipped_at"] if row else "", stamp(now - behaviour.writes_after)
    for order in shipped(db, seller, since, until) if since < until else ():
        if order.number % EVERY_WRITES == 0 and not _of_customer(db, order):
            at = moment_of(order.document["shippedAt"]) + behaviour.writes_after
            turn = order.number // EVERY_WRITES
            files = (PHOTO,) if turn % EVERY_ATTACHES == 0 else ()
            _complain(db, order, COMPLAINTS[turn % len(COMPLAINTS)], at, behaviour, files)
    db.execute("INSERT OR REPLACE INTO written_until VALUES (?, ?)", (seller, max(since, until)))
    while (due := next_due(db)) and due <= stamp(now):
        step(db, settings)


def _of_customer(db: Connection, order: StoredOrder) -> Row | None:
    """The discussion that an order's customer has opened, if there is one."""
    query = "SELECT * FROM discussion WHERE seller = ? AND order_id = ? AND opener = ?"
    row: Row | None = db.execute(query, (order.seller, order.order_id, CUSTOMER)).fetchone()
    return row


def _complain(
    db: Connection,
    order: StoredOrder,
    complaint: Complaint,
    at: datetime,
    behaviour: DiscussionBehaviour,
    files: tuple[SentFile, ...] = (),
) -> Row:
    """A discussion that a customer opens."""
    product = order.lines[0]["offer"]["sellerProductId"]
    is_about_order = complaint.subtypology in {"orderNotShipped", "printReceipt"}
    topic = Topic(
        *(order.order_id, order.channel, complaint.subtypology, complaint.subject),
        "" if is_about_order else product,
    )
    message = NewMessage(CUSTOMER, (SELLER,), complaint.body, files)
    return store.open_discussion(db, order.seller, topic, message, at, behaviour)


def _remember(
    db: Connection,
    order: StoredOrder,
    past: PastDiscussion,
    now: datetime,
    behaviour: DiscussionBehaviour,
) -> None:
    at = now - timedelta(hours=past.hours)
    row = _complain(db, order, COMPLAINTS[past.complaint], at, behaviour, past.files)
    if past.answered is not None:
        at = now - timedelta(hours=past.answered)
        answer = NewMessage(SELLER, (CUSTOMER,), ANSWER)
        store.write_message(db, row, answer, at, behaviour)
        db.execute("UPDATE message SET has_read = 1 WHERE discussion = ?", (row["id"],))
    if past.is_closed:
        store.change(db, row["id"], at, is_open=0, next_at=None)


# What follows in each discussion.


def next_due(db: Connection) -> str | None:
    """When the next customer does something."""
    query = "SELECT MIN(next_at) FROM discussion WHERE next_at IS NOT NULL"
    due: str | None
    (due,) = db.execute(query).fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """A claim, thanks, or a discussion that is opened again: whichever is due first."""
    row = db.execute(
        "SELECT * FROM discussion WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    at, behaviour = moment_of(row["next_at"]), settings.of(DiscussionBehaviour)
    (own,) = db.execute(
        "SELECT COUNT(*) FROM message WHERE discussion = ? AND sender = ?", (row["id"], CUSTOMER)
    ).fetchone()
    db.execute("UPDATE discussion SET next_at = NULL WHERE id = ?", (row["id"],))
    if row["process_status"] == store.TO_TREAT:
        store.change(db, row["id"], at, graduation=CLAIM)
    elif row["is_open"] and own <= 1:
        _write(db, row, THANKS, at, behaviour)
    elif not row["is_open"] and row["id"] % EVERY_REOPENS == 0:
        store.change(db, row["id"], at, is_open=1)
        _write(db, row, AGAIN, at, behaviour)


def _write(
    db: Connection, row: Row, text: str, at: datetime, behaviour: DiscussionBehaviour
) -> None:
    message = NewMessage(CUSTOMER, (SELLER,), text)
    store.write_message(db, row, message, at, behaviour)
    if text == THANKS:  # who says thanks waits for nothing
        store.change(db, row["id"], at, next_at=None)


# For tests.


def customer_writes(
    db: Connection, order: StoredOrder, text: str, now: datetime, complaint: int = 0
) -> str:
    """The discussion in which an order's customer has written; a new one where there is none."""
    behaviour = DiscussionBehaviour()
    row = _of_customer(db, order)
    if row is None:
        usual = COMPLAINTS[complaint]._replace(body=text)
        row = _complain(db, order, usual, now, behaviour)
    else:
        _write(db, row, text, now, behaviour)
    return str(row["discussion_id"])
