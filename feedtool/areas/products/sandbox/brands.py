"""Brands that sellers brought along: "unknown brands are added" (part "Catalog endpoints").

A brand is free text matched to the referential. An added one is the sellers' to use at once, but
shows in GET /brands only once it is validated.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from feedtool.areas.products.sandbox.catalogue import CatalogueBrand, catalogue
from feedtool.sandbox.state import stamp

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

TABLES = """
CREATE TABLE IF NOT EXISTS added_brand(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,               -- what a name is matched by
  name TEXT NOT NULL,
  added_at TEXT NOT NULL
);
"""

FIRST_REFERENCE = 900_001
VALIDATION = timedelta(days=1)
"""How long it takes until an added brand is published."""

ADDED = "SELECT id, name FROM added_brand"


def published(db: sqlite3.Connection, now: datetime) -> list[CatalogueBrand]:
    """The added brands that are validated by now."""
    rows = db.execute(f"{ADDED} WHERE added_at <= ? ORDER BY id", (stamp(now - VALIDATION),))
    return [_brand(row) for row in rows]


def find(db: sqlite3.Connection, name: str) -> CatalogueBrand | None:
    """The brand of this name, in whatever case and with whatever blanks it is written."""
    key = _key(name)
    if brand := _published_from_the_start().get(key):
        return brand
    row = db.execute(f"{ADDED} WHERE key = ?", (key,)).fetchone()
    return row and _brand(row)


def add(db: sqlite3.Connection, name: str, at: str) -> CatalogueBrand:
    """A new brand, as the seller wrote it."""
    name = " ".join(name.split())
    added = db.execute(
        "INSERT INTO added_brand(key, name, added_at) VALUES (?, ?, ?) RETURNING id, name",
        (_key(name), name, at),
    )
    return _brand(added.fetchone())


@cache
def _published_from_the_start() -> dict[str, CatalogueBrand]:
    return {_key(brand.name): brand for brand in catalogue().brands}


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _brand(row: sqlite3.Row) -> CatalogueBrand:
    return CatalogueBrand(str(FIRST_REFERENCE + row["id"]), row["name"])
