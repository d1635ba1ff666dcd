"""The product sheets: "one shared catalog sheet per GTIN" (part "Catalog" of the specification).

The seller who submits an unknown product is its creator; whoever adds to it is a contributor. The
sheet remembers of each value who gave it. Sheets that nobody has touched are not kept but made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from feedtool.areas.offers.sandbox.store import has_sheet, note_sheet
from feedtool.areas.products.sandbox import fixtures
from feedtool.areas.products.sandbox.catalogue import CatalogueCategory, catalogue
from feedtool.areas.products.sandbox.submission import CATEGORY, GROUP
from feedtool.sandbox.state import stamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime

    from feedtool.areas.products.sandbox.submission import SubmittedProduct

TABLES = """
CREATE TABLE IF NOT EXISTS sheet(         -- those that some seller has created or added to
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  product TEXT NOT NULL UNIQUE,           -- as in store.gtin_product
  gtin TEXT NOT NULL,
  creator TEXT NOT NULL,                  -- a seller; empty where it is none of the sandbox's
  family TEXT,                            -- variantGroupReference
  content TEXT NOT NULL,                  -- name: [value, seller who gave it]
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS sheet_by_family ON sheet(family) WHERE family IS NOT NULL;
CREATE INDEX IF NOT EXISTS sheet_by_creator ON sheet(creator, created_at);
CREATE TABLE IF NOT EXISTS sheet_seller(
  seller TEXT NOT NULL,
  product TEXT NOT NULL,
  reference TEXT NOT NULL,                -- sellerProductReference
  gtin_reference TEXT,
  PRIMARY KEY (seller, product),
  UNIQUE (seller, reference)
) WITHOUT ROWID;
"""


class SheetValue(NamedTuple):
    """A value on a sheet."""

    value: Any
    seller: str
    """Who gave it; empty where it is none of the sandbox's."""


@dataclass(frozen=True, slots=True)
class CatalogueSheet:
    """What the catalogue knows of a product."""

    product: str
    gtin: str
    creator: str
    content: dict[str, SheetValue]
    """By name, common fields and properties alike (see `submission`)."""
    created_at: str
    updated_at: str

    @property
    def values(self) -> dict[str, Any]:
        """The values, whoever gave them."""
        return {name: held.value for name, held in self.content.items()}

    @property
    def category(self) -> CatalogueCategory:
        """Every sheet has one."""
        return catalogue().categories[self.content[CATEGORY].value]

    @property
    def reference(self) -> str:
        """The product's own reference in the catalogue."""
        return f"P{int(self.product):X}"


def find(db: sqlite3.Connection, product: str) -> CatalogueSheet | None:
    """The sheet of a product, or None where the catalogue has none."""
    row = db.execute("SELECT * FROM sheet WHERE product = ?", (product,)).fetchone()
    if row is not None:
        return sheet_of(row)
    if not has_sheet(db, product):
        return None
    content = {name: SheetValue(value, "") for name, value in fixtures.values(product).items()}
    return CatalogueSheet(
        product, fixtures.gtin(product), "", content, fixtures.SINCE, fixtures.SINCE
    )


def sheet_of(row: sqlite3.Row) -> CatalogueSheet:
    """A row of the table."""
    content = {name: SheetValue(*held) for name, held in orjson.loads(row["content"]).items()}
    return CatalogueSheet(
        product=row["product"],
        gtin=row["gtin"],
        creator=row["creator"],
        content=content,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def write(db: sqlite3.Connection, sheet: CatalogueSheet) -> None:
    """Keep a sheet, new or changed. Offers for its product are accepted from now on."""
    group = sheet.content.get(GROUP)
    content = {name: tuple(held) for name, held in sheet.content.items()}
    db.execute(
        "INSERT INTO sheet(product, gtin, creator, family, content, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT(product) DO UPDATE SET"
        " family = excluded.family, content = excluded.content, updated_at = excluded.updated_at",
        (
            *(sheet.product, sheet.gtin, sheet.creator, group and group.value),
            orjson.dumps(content).decode(),
            *(sheet.created_at, sheet.updated_at),
        ),
    )
    note_sheet(db, sheet.product)


def other_gtin(
    db: sqlite3.Connection, seller: str, submission: SubmittedProduct, product: str
) -> str | None:
    """The GTIN that the seller uses this reference for, when it is another one."""
    row = db.execute(
        "SELECT gtin FROM sheet_seller JOIN sheet USING (product)"
        " WHERE seller = ? AND reference = ? AND product <> ?",
        (seller, submission.reference, product),
    ).fetchone()
    return row and str(row["gtin"])


def note_seller(
    db: sqlite3.Connection, seller: str, submission: SubmittedProduct, product: str
) -> None:
    """Note under which reference a seller knows the product; the latest one counts."""
    db.execute(
        "INSERT OR REPLACE INTO sheet_seller VALUES (?, ?, ?, ?)",
        (seller, product, submission.reference, submission.values.get("gtinReference")),
    )


def family(db: sqlite3.Connection, group: str, product: str) -> Iterator[CatalogueSheet]:
    """The other members of a variant group."""
    rows = db.execute(
        "SELECT * FROM sheet WHERE family = ? AND product <> ? ORDER BY id", (group, product)
    )
    return (sheet_of(row) for row in rows.fetchall())


def created_since(db: sqlite3.Connection, seller: str, since: datetime) -> int:
    """How many sheets a seller has created after a moment."""
    row = db.execute(
        "SELECT COUNT(*) FROM sheet WHERE creator = ? AND created_at > ?", (seller, stamp(since))
    ).fetchone()
    return int(row[0])


def sellers(db: sqlite3.Connection, product: str) -> list[sqlite3.Row]:
    """Who has submitted the product, with their references."""
    return db.execute(
        "SELECT * FROM sheet_seller WHERE product = ? ORDER BY seller", (product,)
    ).fetchall()
