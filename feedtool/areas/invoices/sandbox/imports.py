"""Imports of invoices: part "Order invoices" of the specification.

An upload is accepted at once, and each of its files then goes its own way

    OrderCheck → FileCheck → FileUpload → Done
    OrderCheck → FileCheck → FileExtract → Done         of a ZIP

or ends in Failure; the specification does not show the order. What a ZIP holds is checked from the
beginning. The invoice of an order is replaced by a new one.
"""

import sqlite3
import uuid
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from msgspec import Struct

from feedtool.areas.invoices.sandbox.documents import (
    UploadedFile,
    is_invoice,
    is_zip,
    unpacked,
    uploaded_files,
)
from feedtool.areas.orders.sandbox.shop import opened
from feedtool.areas.orders.sandbox.store import find
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import HIGHEST, LIMIT, asked_number, asked_page, page_answer
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import moment_of, stamp

RUNNING, SUCCESS, PARTIAL, FAILURE = "Running", "Success", "PartialSuccess", "Failure"
ORDER_CHECK, FILE_CHECK, DONE = "OrderCheck", "FileCheck", "Done"
FILE_EXTRACT, FILE_UPLOAD = "FileExtract", "FileUpload"


class InvoiceBehaviour(Struct, frozen=True):
    """Of invoices: how long a file stays in each state, and which orders have none."""

    order_check: timedelta = timedelta(seconds=5)
    file_check: timedelta = timedelta(seconds=5)
    extract: timedelta = timedelta(seconds=5)
    upload: timedelta = timedelta(seconds=10)
    closed_channels: tuple[str, ...] = ("SECOND",)
    """"The feature is limited to some sales channels"."""
    refuses_unknown: bool = False
    """True if an upload with the name of no order is refused as a whole ("Errors", rule 8)."""


TABLES = """
CREATE TABLE IF NOT EXISTS invoice_import(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT UNIQUE,
  seller TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS invoice_file(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  import INTEGER NOT NULL,
  name TEXT NOT NULL,
  order_id TEXT NOT NULL,
  content BLOB,                -- NULL once the file has come to its end
  status TEXT NOT NULL,
  state TEXT NOT NULL,         -- integrationStatus
  message TEXT NOT NULL,
  next_at TEXT                 -- when it goes on; NULL once it has come to its end
);
CREATE INDEX IF NOT EXISTS invoice_file_by_import ON invoice_file(import);
CREATE INDEX IF NOT EXISTS invoice_file_next ON invoice_file(next_at) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS order_invoice(
  seller TEXT NOT NULL,
  order_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  at TEXT NOT NULL,
  uploads INTEGER NOT NULL,    -- how many invoices the order was given, of which this is the last
  PRIMARY KEY (seller, order_id)
) WITHOUT ROWID;
"""


# Routes.


@opened
def submit(exchange: Exchange) -> HttpResponse:
    """POST /order-invoice-imports: files that are named after their orders, or ZIPs of such."""
    files = uploaded_files(exchange.request)
    if exchange.settings.of(InvoiceBehaviour).refuses_unknown:
        for file in files:
            if not is_zip(file.content):
                _check_order(exchange, file.stem, file.name)
    return _begin(exchange, [(file, file.stem) for file in files])


@opened
def submit_of_order(exchange: Exchange) -> HttpResponse:
    """POST /orders/{orderId}/invoice-documents: files of one order, whatever their names."""
    files, order = uploaded_files(exchange.request), exchange.ids["orderId"]
    _check_order(exchange, order, "orderId")
    return _begin(exchange, [(file, order) for file in files])


def read_all(exchange: Exchange) -> HttpResponse:
    """GET /order-invoice-imports: the seller's, newest first."""
    size = min(asked_number(exchange, "pageSize", LIMIT), HIGHEST)
    page = asked_page(exchange)._replace(limit=size)
    rows = exchange.db.execute(
        "SELECT * FROM invoice_import WHERE seller = ? AND (? = 0 OR id < ?)"
        " ORDER BY id DESC LIMIT ?",
        (exchange.seller, page.after, page.after, size + 1),
    ).fetchall()
    return page_answer(exchange, page, rows, lambda row: _document(exchange.db, row))


def read(exchange: Exchange) -> HttpResponse:
    """GET /order-invoice-imports/{importId}: the result of each file."""
    row = exchange.db.execute(
        "SELECT * FROM invoice_import WHERE import_id = ? AND seller = ?",
        (exchange.ids["importId"], exchange.seller),
    ).fetchone()
    if row is None:
        raise not_found("The import")
    return json_answer(200, _document(exchange.db, row))


ROUTES: tuple[Route, ...] = (
    Route("POST", "/orders/{orderId}/invoice-documents", submit_of_order, counted=True),
    Route("POST", "/order-invoice-imports", submit, counted=True),
    Route("GET", "/order-invoice-imports", read_all, counted=True),
    Route("GET", "/order-invoice-imports/{importId}", read, counted=True),
)


def _check_order(exchange: Exchange, order: str, cause: str) -> None:
    if _channel_of(exchange.db, exchange.seller, order) is None:
        raise bad_request(cause, f"The order {order} does not exist.")


def _begin(exchange: Exchange, files: Sequence[tuple[UploadedFile, str]]) -> HttpResponse:
    """Take files in, each with the order that it is for."""
    db, now = exchange.db, exchange.now
    number = db.execute(
        "INSERT INTO invoice_import(seller, created_at) VALUES (?, ?)",
        (exchange.seller, stamp(now)),
    ).lastrowid
    import_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"invoice import {number} of {stamp(now)}"))
    db.execute("UPDATE invoice_import SET import_id = ? WHERE id = ?", (import_id, number))
    due = now + exchange.settings.of(InvoiceBehaviour).order_check
    for file, order in files:
        _add(db, number, file, order, stamp(due))
        effects.note(exchange, "invoice", order, sha256(file.content).hexdigest())
    row = db.execute("SELECT * FROM invoice_import WHERE id = ?", (number,)).fetchone()
    return json_answer(201, _document(db, row))


def _add(
    db: sqlite3.Connection, number: int | None, file: UploadedFile, order: str, due: str
) -> None:
    db.execute(
        "INSERT INTO invoice_file(import, name, order_id, content, status, state, message, next_at)"
        " VALUES (?, ?, ?, ?, ?, ?, '', ?)",
        (number, file.name, order, file.content, RUNNING, ORDER_CHECK, due),
    )


def _document(db: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    """An import as it is shown; `message` is made up, since no field of a reason is shown."""
    files = db.execute("SELECT * FROM invoice_file WHERE import = ? ORDER BY id", (row["id"],))
    shown = [
        {
            "name": file["name"],
            "status": file["status"],
            "integrationStatus": file["state"],
            **({"message": file["message"]} if file["message"] else {}),
        }
        for file in files
    ]
    return {
        "importId": row["import_id"],
        "createdAt": row["created_at"],
        "status": _together({file["status"] for file in shown}),
        "files": shown,
    }


def _together(statuses: set[str]) -> str:
    """The status of an import, by those of its files."""
    if RUNNING in statuses:
        return RUNNING
    return next(iter(statuses)) if len(statuses) == 1 else PARTIAL


# What becomes of a file.


def next_due(db: sqlite3.Connection) -> str | None:
    """When the next file goes on."""
    due: str | None
    (due,) = db.execute("SELECT MIN(next_at) FROM invoice_file").fetchone()
    return due


def step(db: sqlite3.Connection, settings: SandboxSettings) -> None:
    """The file whose time has come first goes on by one state."""
    file = db.execute(
        "SELECT f.*, i.seller FROM invoice_file AS f JOIN invoice_import AS i ON i.id = f.import"
        " WHERE next_at IS NOT NULL ORDER BY next_at, f.id LIMIT 1"
    ).fetchone()
    STEPS[file["state"]](db, file, settings.of(InvoiceBehaviour))


def _check_file_order(db: sqlite3.Connection, file: sqlite3.Row, times: InvoiceBehaviour) -> None:
    """A ZIP is of no order: those of its inner files are looked at when it is unpacked."""
    if not is_zip(file["content"]):
        channel = _channel_of(db, file["seller"], file["order_id"])
        if channel is None:
            return _fail(db, file, f"The order {file['order_id']} does not exist.")
        if channel in times.closed_channels:
            return _fail(db, file, f"The sales channel {channel} takes no invoices.")
    return _go_on(db, file, FILE_CHECK, times.file_check)


def _check_content(db: sqlite3.Connection, file: sqlite3.Row, times: InvoiceBehaviour) -> None:
    if is_zip(file["content"]):
        return _go_on(db, file, FILE_EXTRACT, times.extract)
    if not is_invoice(file["content"]):
        return _fail(db, file, "The file is neither a PDF nor a UBL 2.1 invoice.")
    return _go_on(db, file, FILE_UPLOAD, times.upload)


def _extract(db: sqlite3.Connection, file: sqlite3.Row, times: InvoiceBehaviour) -> None:
    """The inner files join the list; one that was sent for an order stays that order's."""
    inner = unpacked(file["content"])
    if not inner or any(is_zip(one.content) for one in inner):
        return _fail(db, file, "The ZIP cannot be unpacked, or holds no files.")
    own = UploadedFile(file["name"], b"").stem
    due = stamp(moment_of(file["next_at"]) + times.order_check)
    for one in inner:
        _add(
            db, file["import"], one, one.stem if file["order_id"] == own else file["order_id"], due
        )
    return _end(db, file, SUCCESS, DONE)


def _keep(db: sqlite3.Connection, file: sqlite3.Row, _: InvoiceBehaviour) -> None:
    """A new invoice replaces the one that the order has."""
    digest = sha256(file["content"]).hexdigest()
    db.execute(
        "INSERT INTO order_invoice VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET"
        " name = excluded.name, sha256 = excluded.sha256, at = excluded.at, uploads = uploads + 1",
        (file["seller"], file["order_id"], file["name"], digest, file["next_at"]),
    )
    _end(db, file, SUCCESS, DONE)


STEPS = {
    ORDER_CHECK: _check_file_order,
    FILE_CHECK: _check_content,
    FILE_EXTRACT: _extract,
    FILE_UPLOAD: _keep,
}


def _go_on(db: sqlite3.Connection, file: sqlite3.Row, state: str, pause: timedelta) -> None:
    due = stamp(moment_of(file["next_at"]) + pause)
    db.execute(
        "UPDATE invoice_file SET state = ?, next_at = ? WHERE id = ?", (state, due, file["id"])
    )


def _fail(db: sqlite3.Connection, file: sqlite3.Row, message: str) -> None:
    _end(db, file, FAILURE, FAILURE, message)


def _end(
    db: sqlite3.Connection, file: sqlite3.Row, status: str, state: str, message: str = ""
) -> None:
    db.execute(
        "UPDATE invoice_file SET status = ?, state = ?, message = ?, next_at = NULL, content = NULL"
        " WHERE id = ?",
        (status, state, message, file["id"]),
    )


def _channel_of(db: sqlite3.Connection, seller: str, order: str) -> str | None:
    """The sales channel of a seller's order; None where there is no such order."""
    known = find(db, seller, order)
    return known.channel if known else None
