"""The effects of requests, for tests to prove that nothing is ever done twice.

A refused request has no effect and leaves no trace here.
"""

from hashlib import sha256
from sqlite3 import Connection
from typing import Any, NamedTuple

import orjson

from feedtool.sandbox.exchange import Exchange
from feedtool.sandbox.state import stamp

TABLE = """
CREATE TABLE IF NOT EXISTS effect(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  seller TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  digest TEXT NOT NULL
);
"""


class Effect(NamedTuple):
    """One request that had an effect."""

    id: int
    moment: str
    seller: str
    kind: str
    """The kind of effect: `shipment`, `gesture`."""
    key: str
    """The changed thing: an order's name."""
    fingerprint: str
    """Equal for requests with equal content, however they are written."""
    digest: str
    """SHA-256 of the body, byte for byte."""


def note(exchange: Exchange, kind: str, key: str, document: Any) -> None:
    """Note that a request had an effect; `document` is its decoded body."""
    content = orjson.dumps([exchange.seller, kind, key, document], option=orjson.OPT_SORT_KEYS)
    digests = (sha256(text).hexdigest() for text in (content, exchange.request.body))
    exchange.db.execute(
        "INSERT INTO effect(at, seller, kind, key, fingerprint, digest) VALUES (?, ?, ?, ?, ?, ?)",
        (stamp(exchange.now), exchange.seller, kind, key, *digests),
    )


def read(db: Connection) -> list[Effect]:
    return [Effect(*row) for row in db.execute("SELECT * FROM effect ORDER BY id")]
