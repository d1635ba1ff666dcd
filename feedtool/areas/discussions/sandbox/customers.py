"""Messages of customers: the number of an order decides, nothing happens by chance.

A seller's first request about discussions finds some of the past. From then on the customer of
every fifth shipped order opens one. `store` has their next steps.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection
from typing import NamedTuple

from feedtool.areas.discussions.sandbox import store
from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.store import (
    CUSTOMER,
    DISCUSSIONS,
    MESSAGES,
    SELLER,
    NewMessage,
    SentFile,
    Topic,
)
from feedtool.areas.orders.sandbox import shop
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder, numbered, shipped
from feedtool.sandbox.exchange import Exchange, HttpResponse, SandboxSettings
from feedtool.sandbox.resources import StoredThing
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS written_until(
  seller TEXT PRIMARY KEY,
  shipped_at TEXT NOT NULL     -- customers of orders shipped by then have written
) WITHOUT ROWID;
"""

EVERY_WRITES, EVERY_ATTACHES = 5, 3
"""One in so many shipped orders, and of customers who write."""

PHOTO = SentFile("photo.png", "png", b"\x89PNG\r\n\x1a\n a photo of a box")
ANSWER = "Thank you for your message. Your parcel is on its way and will arrive soon."


class Complaint(NamedTuple):
    """The first message of a customer."""

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
        "printReceipt", "I need an invoice", "Could you please send me the invoice of this order?"
    ),
)


class PastDiscussion(NamedTuple):
    """A discussion that exists at a seller's first request."""

    number: int
    """The number of the order."""
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
    """Wrap the function of a route: customers first write what is due."""

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
                _remember(db, order, past, now, settings)
    since, until = row["shipped_at"] if row else "", stamp(now - behaviour.writes_after)
    for order in shipped(db, seller, since, until) if since < until else ():
        if order.number % EVERY_WRITES == 0 and not _of_customer(db, order):
            moment = moment_of(order.document["shippedAt"]) + behaviour.writes_after
            turn = order.number // EVERY_WRITES
            files = (PHOTO,) if turn % EVERY_ATTACHES == 0 else ()
            _complain(db, order, COMPLAINTS[turn % len(COMPLAINTS)], moment, settings, files)
    db.execute("INSERT OR REPLACE INTO written_until VALUES (?, ?)", (seller, max(since, until)))
    while (due := DISCUSSIONS.next_due(db)) and due <= stamp(now):
        DISCUSSIONS.step(db, settings)


def _of_customer(db: Connection, order: StoredOrder) -> StoredThing | None:
    """The discussion that an order's customer has opened, if there is one."""
    for discussion in DISCUSSIONS.every(db, order.seller, orderId=order.order_id):
        if store.messages_of(db, discussion)[0].document["sender"]["userType"] == CUSTOMER:
            return discussion
    return None


def _complain(
    db: Connection,
    order: StoredOrder,
    complaint: Complaint,
    moment: datetime,
    settings: SandboxSettings,
    files: tuple[SentFile, ...] = (),
) -> StoredThing:
    """A discussion that a customer opens."""
    product = order.lines[0]["offer"]["sellerProductId"]
    is_about_order = complaint.subtypology in {"orderNotShipped", "printReceipt"}
    topic = Topic(
        *(order.order_id, order.channel, complaint.subtypology, complaint.subject),
        "" if is_about_order else product,
    )
    message = NewMessage(CUSTOMER, (SELLER,), complaint.body, files)
    return store.open_discussion(db, order.seller, topic, message, moment, settings)


def _remember(
    db: Connection,
    order: StoredOrder,
    past: PastDiscussion,
    now: datetime,
    settings: SandboxSettings,
) -> None:
    moment = now - timedelta(hours=past.hours)
    discussion = _complain(db, order, COMPLAINTS[past.complaint], moment, settings, past.files)
    if past.answered is not None:
        moment = now - timedelta(hours=past.answered)
        answer = NewMessage(SELLER, (CUSTOMER,), ANSWER)
        store.write_message(db, discussion, answer, moment, settings)
        for message in store.messages_of(db, discussion):
            message.document["hasRead"] = True
            MESSAGES.keep(db, message)
    if past.is_closed:
        discussion.document["isOpen"] = False
        discussion.next_at = None
        DISCUSSIONS.keep(db, discussion)


# For tests.


def customer_writes(db: Connection, order: StoredOrder, text: str, now: datetime) -> str:
    """Let an order's customer write, if needed in a new discussion; return its identifier."""
    settings, discussion = SandboxSettings(), _of_customer(db, order)
    if discussion is None:
        return _complain(db, order, COMPLAINTS[0]._replace(body=text), now, settings).name
    message = NewMessage(CUSTOMER, (SELLER,), text)
    store.write_message(db, discussion, message, now, settings)
    return discussion.name
