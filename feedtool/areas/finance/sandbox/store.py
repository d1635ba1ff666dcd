"""Stored operations, and their states, which depend only on the time."""

import zlib
from datetime import datetime
from sqlite3 import Connection
from typing import Any

import orjson

from feedtool.areas.finance.sandbox import events
from feedtool.areas.finance.sandbox.events import Operation
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


def invoice_id(seller: str, moment: datetime) -> int:
    return int(f"{moment:%Y%m%d}") * 1000 + zlib.crc32(seller.encode()) % 1000


def add(db: Connection, seller: str, operation: Operation) -> int:
    """Keep an operation; its number among the seller's."""
    query = "SELECT COALESCE(MAX(number), 0) + 1 FROM operation WHERE seller = ?"
    (number,) = db.execute(query, (seller,)).fetchone()
    put(db, seller, int(number), operation)
    return int(number)


def put(db: Connection, seller: str, number: int, operation: Operation) -> None:
    """Store an operation under its number."""
    paid_at = events.payment_at(operation.created_at, number)
    issued = events.statement_at(operation.created_at)
    invoice = invoice_id(seller, issued)
    values: tuple[Any, ...] = (
        *(seller, number, operation.reference or str(invoice), operation.channel),
        *(orjson.dumps(value).decode() for value in (operation.types, operation.parts)),
        *(operation.total, operation.vat, orjson.dumps(operation.document).decode()),
        _fate(number),
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


def _fate(number: int) -> str:
    if number % EVERY_BLOCKED == 0:
        return BLOCKED
    return "" if number % EVERY_UNPAID else NOT_PAYABLE
