"""Shipments, requests of cancellations and returns, each kept as it is shown."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from sqlite3 import Connection, Row
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import orjson
from msgspec import Struct

from feedtool.sandbox.arguments import asked, asked_page, moment_stamp, page_answer
from feedtool.sandbox.exchange import Exchange, HttpResponse, bad_request, json_answer, not_found
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS parcel_shop(  -- sellers who have a past
  seller TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outbound(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sort TEXT NOT NULL,          -- shipment, cancellation or return
  seller TEXT NOT NULL,
  number INTEGER NOT NULL,     -- of the seller's things of this sort
  name TEXT NOT NULL,          -- its UUID
  document TEXT NOT NULL,      -- as it is shown
  shows_at TEXT NOT NULL,
  next_at TEXT,                -- when it changes by itself; NULL where it does not
  UNIQUE (sort, seller, number),
  UNIQUE (sort, seller, name)
);
CREATE INDEX IF NOT EXISTS outbound_next ON outbound(sort, next_at) WHERE next_at IS NOT NULL;
"""


class StoredParcel(Struct):
    """A shipment, a request of a cancellation, or a return."""

    sort: str
    seller: str
    number: int
    document: dict[str, Any]
    next_at: str | None = None

    @property
    def name(self) -> str:
        """Its UUID."""
        return str(uuid5(NAMESPACE_URL, f"{self.seller}/{self.sort}/{self.number}"))

    @property
    def status(self) -> str:
        """Its status."""
        return str(self.document["status"])


def new(db: Connection, sort: str, seller: str) -> StoredParcel:
    """The seller's next thing of a sort, still empty."""
    query = "SELECT COALESCE(MAX(number), 0) + 1 FROM outbound WHERE sort = ? AND seller = ?"
    (number,) = db.execute(query, (sort, seller)).fetchone()
    return StoredParcel(sort, seller, number, {})


def write(
    db: Connection, thing: StoredParcel, now: datetime, visible_after: timedelta = timedelta()
) -> None:
    """Keep a thing as it is now; a new one is shown later."""
    document = orjson.dumps(thing.document).decode()
    db.execute(
        "INSERT INTO outbound(sort, seller, number, name, document, shows_at, next_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sort, seller, number)"
        " DO UPDATE SET document = excluded.document, next_at = excluded.next_at",
        (
            *(thing.sort, thing.seller, thing.number, thing.name, document),
            *(stamp(now + visible_after), thing.next_at),
        ),
    )


def find(db: Connection, sort: str, seller: str, name: str) -> StoredParcel | None:
    """The seller's thing of this name, shown or not."""
    query = "SELECT * FROM outbound WHERE sort = ? AND seller = ? AND name = ?"
    row = db.execute(query, (sort, seller, name)).fetchone()
    return row and _stored(row)


def every(db: Connection, sort: str, seller: str) -> Iterator[StoredParcel]:
    """All of the seller's things of a sort."""
    query = "SELECT * FROM outbound WHERE sort = ? AND seller = ? ORDER BY id"
    return map(_stored, db.execute(query, (sort, seller)).fetchall())


def asked_for(exchange: Exchange, sort: str, what: str, key: str) -> StoredParcel:
    """The seller's thing of the name in the path; 404 where it is not shown."""
    row = exchange.db.execute(
        "SELECT * FROM outbound WHERE sort = ? AND seller = ? AND name = ? AND shows_at <= ?",
        (sort, exchange.seller, exchange.ids[key], stamp(exchange.now)),
    ).fetchone()
    if row is None:
        raise not_found(what)
    return _stored(row)


def _stored(row: Row) -> StoredParcel:
    document = orjson.loads(row["document"])
    return StoredParcel(row["sort"], row["seller"], row["number"], document, row["next_at"])


# What happens by itself.


def next_due(db: Connection, sort: str) -> str | None:
    """When the next thing of a sort changes."""
    due: str | None
    query = "SELECT MIN(next_at) FROM outbound WHERE sort = ? AND next_at IS NOT NULL"
    (due,) = db.execute(query, (sort,)).fetchone()
    return due


def first_due(db: Connection, sort: str) -> tuple[StoredParcel, datetime]:
    """The thing of a sort that changes first, and when; there must be one."""
    row = db.execute(
        "SELECT * FROM outbound WHERE sort = ? AND next_at IS NOT NULL"
        " ORDER BY next_at, id LIMIT 1",
        (sort,),
    ).fetchone()
    return _stored(row), moment_of(row["next_at"])


# Lists.

HIGHEST = 100
"""The largest page."""


def is_in(path: str) -> str:
    """The SQL condition of a comma list under `:value`."""
    value = "(SELECT value FROM json_each(:value))"
    return f"json_extract(document, '$.{path}') IN {value}"


def dates(**paths: str) -> dict[str, str]:
    """The filters `…Min` and `…Max` of dates, with the conditions that they add."""
    return {
        f"{name}{end}": f"json_extract(document, '$.{path}') {sign} :value"
        for name, path in paths.items()
        for end, sign in (("Min", ">="), ("Max", "<="))
    }


def _selected(
    exchange: Exchange, sort: str, filters: Mapping[str, str], words: Mapping[str, tuple[str, ...]]
) -> tuple[str, dict[str, Any]]:
    """SQL of the things that a request asks for, and its values."""
    where = ["sort = :sort", "seller = :seller", "shows_at <= :now"]
    values: dict[str, Any] = {
        "sort": sort,
        "seller": exchange.seller,
        "now": stamp(exchange.now),
    }
    for name, condition in filters.items():
        if (text := asked(exchange, name)) is not None:
            where.append(condition.replace(":value", f":{name}"))
            values[name] = _value(name, text, words)
    return " AND ".join(where), values


def _value(name: str, text: str, words: Mapping[str, tuple[str, ...]]) -> str:
    if name.endswith(("Min", "Max")):
        return moment_stamp(name, text)
    entries = text.split(",")
    if name in words and not set(entries) <= set(words[name]):
        raise bad_request(name, f"{name} must be one of {', '.join(words[name])}.")
    return orjson.dumps(entries).decode()


def list_answer(
    exchange: Exchange,
    sort: str,
    filters: Mapping[str, str],
    words: Mapping[str, tuple[str, ...]],
) -> HttpResponse:
    """A page of a list, with a Link to the next."""
    page = asked_page(exchange)
    if page.limit > HIGHEST:
        raise bad_request("limit", f"limit must be a number from 1 to {HIGHEST}.")
    where, values = _selected(exchange, sort, filters, words)
    rows = exchange.db.execute(
        f"SELECT * FROM outbound WHERE {where} AND id > :after"  # noqa: S608 - only constants of ours are filled in
        " ORDER BY id LIMIT :size",
        {**values, "after": page.after, "size": page.limit + 1},
    ).fetchall()
    return page_answer(exchange, page, rows, lambda row: _stored(row).document)


def count_answer(
    exchange: Exchange,
    sort: str,
    filters: Mapping[str, str],
    words: Mapping[str, tuple[str, ...]],
) -> HttpResponse:
    """How many there are by the filters of the list: a bare number."""
    where, values = _selected(exchange, sort, filters, words)
    query = f"SELECT COUNT(*) FROM outbound WHERE {where}"  # noqa: S608 - as above
    (number,) = exchange.db.execute(query, values).fetchone()
    return json_answer(200, number)
