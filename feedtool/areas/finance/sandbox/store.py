"""Stored operations, and their states, which depend only on the time."""

import zlib
from collections.abc import Callable, Collection, Mapping
from functools import partial
from sqlite3 import Connection
from typing import Any, NamedTuple

import orjson

from feedtool.areas.finance.sandbox import events
from feedtool.areas.finance.sandbox.events import EVENT_TYPES, Operation
from feedtool.sandbox.arguments import NumberedPage, asked, asked_number, moment_stamp
from feedtool.sandbox.exchange import Exchange, bad_request
from feedtool.sandbox.state import stamp

TABLES = """
CREATE TABLE IF NOT EXISTS operation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,      -- of the seller's operations, from 1
  reference TEXT NOT NULL,
  channel TEXT NOT NULL,
  types TEXT NOT NULL,          -- a JSON list
  parts TEXT NOT NULL,          -- cents by type, as JSON
  total INTEGER NOT NULL,       -- cents
  vat INTEGER NOT NULL,
  document TEXT NOT NULL,
  fate TEXT NOT NULL,           -- the state from its payment day on, where it is not paid
  created_at TEXT NOT NULL,
  due_at TEXT NOT NULL,         -- its payment day
  paid_at TEXT NOT NULL,        -- when it is paid, or was to be
  invoice_at TEXT NOT NULL,
  invoice_id INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS operation_by_payment ON operation(seller, paid_at);
CREATE INDEX IF NOT EXISTS operation_by_reference ON operation(seller, reference);
CREATE INDEX IF NOT EXISTS operation_by_invoice ON operation(seller, invoice_id);
"""

BLOCKED, NOT_PAYABLE, PAID = "Blocked", "NotPayable", "Paid"
STATES = (NOT_PAYABLE, "Estimated", "InProcess", PAID, BLOCKED)
EVERY_BLOCKED, EVERY_UNPAID = 15, 40
"""One in so many operations is blocked, or is not paid when it is due."""
MOTIVE = "Bank details to be confirmed"

SEEN = """
  SELECT *,
    CASE WHEN :now < due_at THEN 'Estimated' WHEN fate <> '' THEN fate
      WHEN :now < paid_at THEN 'InProcess' ELSE 'Paid' END AS state,
    CASE WHEN :now >= invoice_at THEN invoice_id END AS invoice,
    MAX(created_at, CASE WHEN :now >= due_at THEN due_at ELSE '' END,
      CASE WHEN :now >= paid_at AND fate = '' THEN paid_at ELSE '' END,
      CASE WHEN :now >= invoice_at THEN invoice_at ELSE '' END) AS changed_at
  FROM operation WHERE seller = :seller AND created_at <= :now
"""
"""SQL of a seller's operations as they are at a time."""


def add(db: Connection, seller: str, operation: Operation) -> int:
    """Store an operation under the next of the seller's numbers, which is returned."""
    query = "SELECT COALESCE(MAX(number), 0) + 1 FROM operation WHERE seller = ?"
    number = int(db.execute(query, (seller,)).fetchone()[0])
    put(db, seller, number, operation)
    return number


def put(db: Connection, seller: str, number: int, operation: Operation) -> None:
    """Store an operation under a number that is known, so that very many are stored quickly."""
    paid_at = events.payment_at(operation.created_at, number)
    issued = events.statement_at(operation.created_at)
    invoice = int(f"{issued:%Y%m%d}") * 1000 + zlib.crc32(seller.encode()) % 1000
    fate = "" if number % EVERY_UNPAID else NOT_PAYABLE
    values: tuple[Any, ...] = (
        *(seller, number, operation.reference or str(invoice), operation.channel),
        *(orjson.dumps(value).decode() for value in (operation.types, operation.parts)),
        *(operation.total, operation.vat, orjson.dumps(operation.document).decode()),
        fate if number % EVERY_BLOCKED else BLOCKED,
        stamp(operation.created_at),
        *(stamp(time) for time in (events.midnight(paid_at.date(), paid_at), paid_at, issued)),
        invoice,
    )
    db.execute(
        "INSERT INTO operation(seller, number, reference, channel, types, parts, total, vat,"
        " document, fate, created_at, due_at, paid_at, invoice_at, invoice_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )


# The filters of operations and payments, and the pages of their lists.


PAGE_SIZE = 20
MOST_DIGITS = 18
LARGEST = 100
"""The largest page size and page number (part "Limits")."""


def _one_of(name: str, values: Collection[str], text: str) -> str:
    """A list as JSON, all of whose entries must be among the values."""
    entries = text.split(",")
    if not set(entries) <= set(values):
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return orjson.dumps(entries).decode()


def whole(name: str, text: str) -> int:
    """The number that a parameter or a path holds, else 400."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise bad_request(name, f"{name} must be an integer.")
    return int(text)


Condition = tuple[str, Callable[[str], Any]]
"""SQL, and a function that converts the parameter's value."""


def _between(name: str, column: str) -> dict[str, Condition]:
    return {
        f"{name}{end}": (f"{column} {sign} :{name}{end}", partial(moment_stamp, f"{name}{end}"))
        for end, sign in (("Min", ">="), ("Max", "<="))
    }


STATE = "state IN (SELECT value FROM json_each(:{name}))"
OF_CHANNEL: dict[str, Condition] = {"salesChannelId": ("channel = :salesChannelId", str)}
OF_TYPES = """EXISTS (SELECT 1 FROM json_each(types) AS type
  WHERE type.value IN (SELECT value FROM json_each(:eventTypes)))"""
OF_OPERATIONS: Mapping[str, Condition] = {
    "orderReference": ("reference = :orderReference", str),
    # An assumption: this finds forecasts, too, by the time at which they are to be paid.
    **_between("paidAt", "paid_at"),
    **_between("changedAt", "changed_at"),
    "eventTypes": (OF_TYPES, partial(_one_of, "eventTypes", EVENT_TYPES)),
    "states": (STATE.format(name="states"), partial(_one_of, "states", STATES)),
    "invoiceId": ("invoice = :invoiceId", partial(whole, "invoiceId")),
    **OF_CHANNEL,
}
OF_PAYMENTS: Mapping[str, Condition] = {
    **_between("paidAt", "due_at"),
    "paymentStates": (
        STATE.format(name="paymentStates"),
        partial(_one_of, "paymentStates", STATES),
    ),
    **OF_CHANNEL,
}
MISSPELLED = {"eventType": "eventTypes", "payedAtMin": "paidAtMin", "payedAtMax": "paidAtMax"}
"""Names of the specification's examples; those of its tables are the defined ones."""


class FinanceSelection(NamedTuple):
    where: str
    """SQL over `store.SEEN`, with the values as named parameters."""
    values: dict[str, Any]


def selection(exchange: Exchange, filters: Mapping[str, Condition]) -> FinanceSelection:
    """The operations that pass all filters; 400 for a misspelled parameter of the examples."""
    for name, defined in MISSPELLED.items():
        if name in exchange.parameters:
            raise bad_request(name, f"{name} is no parameter; it is called {defined}.")
    texts = {name: text for name in filters if (text := asked(exchange, name)) is not None}
    values = {name: filters[name][1](text) for name, text in texts.items()}
    conditions = [filters[name][0] for name in texts]
    where = " AND ".join(conditions) or "1"
    return FinanceSelection(
        where, {"seller": exchange.seller, "now": stamp(exchange.now), **values}
    )


def asked_page(exchange: Exchange) -> NumberedPage:
    """The requested page; its number and its size are at most 100."""
    index = asked_number(exchange, "pageIndex", 1)
    size = asked_number(exchange, "pageSize", PAGE_SIZE)
    for name, number in (("pageIndex", index), ("pageSize", size)):
        if number > LARGEST:
            raise bad_request(name, f"{name} must be a number from 1 to {LARGEST}.")
    return NumberedPage(index, size)
