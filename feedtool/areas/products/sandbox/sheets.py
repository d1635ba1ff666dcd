"""The product sheets: "one shared catalog sheet per GTIN" (part "Catalog" of the specification).

The seller who submits an unknown product is its creator; sellers who add to it are contributors.
The sheet records the seller of each value.

Every well-formed GTIN has a sheet, except the restricted range. An untouched sheet is not stored
but made up from the GTIN, always in the same way: another seller's standard product, with its
mandatory properties and half of the others; some lack a picture or a brand.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import orjson
from msgspec import Struct
from msgspec.structs import asdict

from feedtool.areas.offers.sandbox.store import has_sheet, note_sheet
from feedtool.areas.products.sandbox.catalogue import (
    LANGUAGES,
    CatalogueCategory,
    CatalogueProperty,
    catalogue,
)
from feedtool.areas.products.sandbox.submission import CATEGORY, GROUP, PICTURES, SubmittedProduct
from feedtool.sandbox.state import stamp

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

SINCE = "2024-01-15T08:00:00.000000Z"

PICTURE = "https://images.sandbox.invalid/{}/{}.{}"
INCOMPLETE = 8
"""One sheet in 8 has no picture, and one in 8 no brand."""
LENGTHS = (8, 12, 13, 14)
"""The lengths of GTINs, in digits."""

MARKETABLE = ("title", "description", PICTURES, "brand", CATEGORY)
"""The common data of a sheet; without one of them the product cannot be sold."""


class SheetValue(NamedTuple):
    value: Any
    seller: str
    """The seller of the value; "" for a made-up value."""


class CatalogueSheet(Struct, frozen=True):
    """A product's sheet in the catalogue."""

    product: str
    gtin: str
    creator: str
    content: dict[str, SheetValue]
    """Values of common fields and properties by name (see `submission`)."""
    created_at: str
    updated_at: str

    @property
    def values(self) -> dict[str, Any]:
        return {name: held.value for name, held in self.content.items()}

    @property
    def category(self) -> CatalogueCategory:
        return catalogue().categories[self.content[CATEGORY].value]

    @property
    def reference(self) -> str:
        return f"P{int(self.product):X}"

    @property
    def is_marketable(self) -> bool:
        """True if the sheet has all the common data (part "Catalog")."""
        return all(name in self.content for name in MARKETABLE)

    @property
    def completeness(self) -> int:
        """The share of its filled fields, in percent."""
        names = [*MARKETABLE, *self.category.use_of]
        return 100 * sum(name in self.content for name in names) // len(names)


def find(db: sqlite3.Connection, product: str) -> CatalogueSheet | None:
    """Return the sheet of a product, or None if the catalogue has none."""
    row = db.execute("SELECT * FROM sheet WHERE product = ?", (product,)).fetchone()
    if row is not None:
        return sheet_of(row)
    if not has_sheet(db, product):
        return None
    content = {name: SheetValue(value, "") for name, value in _known_values(product).items()}
    return CatalogueSheet(product, _known_gtin(product), "", content, SINCE, SINCE)


def sheet_of(row: sqlite3.Row) -> CatalogueSheet:
    _, product, gtin, creator, _, content, created_at, updated_at = row
    held = {name: SheetValue(*value) for name, value in orjson.loads(content).items()}
    return CatalogueSheet(product, gtin, creator, held, created_at, updated_at)


def write(db: sqlite3.Connection, sheet: CatalogueSheet) -> None:
    """Store a new or changed sheet. From now on offers of its product are accepted."""
    group = sheet.content.get(GROUP)
    content = {name: tuple(held) for name, held in sheet.content.items()}
    db.execute(
        "INSERT INTO sheet(product, gtin, creator, family, content, created_at, updated_at)"
        " VALUES (:product, :gtin, :creator, :family, :content, :created_at, :updated_at)"
        " ON CONFLICT(product) DO UPDATE SET"
        " family = excluded.family, content = excluded.content, updated_at = excluded.updated_at",
        {
            **asdict(sheet),
            "family": group and group.value,
            "content": orjson.dumps(content).decode(),
        },
    )
    note_sheet(db, sheet.product)


def other_gtin(db: sqlite3.Connection, seller: str, submission: SubmittedProduct) -> str | None:
    """Return another GTIN for which the seller uses this reference, or None."""
    row = db.execute(
        "SELECT gtin FROM sheet_seller JOIN sheet USING (product)"
        " WHERE seller = ? AND reference = ? AND product <> ?",
        (seller, submission.reference, submission.product),
    ).fetchone()
    return row and str(row["gtin"])


def note_seller(db: sqlite3.Connection, seller: str, submission: SubmittedProduct) -> None:
    """Record the seller's reference of the product; the latest one counts."""
    names = (submission.reference, submission.values.get("gtinReference"))
    db.execute(
        "INSERT OR REPLACE INTO sheet_seller VALUES (?, ?, ?, ?)",
        (seller, submission.product, *names),
    )


def family(db: sqlite3.Connection, group: str, product: str) -> Iterator[CatalogueSheet]:
    """Return the other members of a variant group."""
    query = "SELECT * FROM sheet WHERE family = ? AND product <> ? ORDER BY id"
    return map(sheet_of, db.execute(query, (group, product)).fetchall())


def created_since(db: sqlite3.Connection, seller: str, since: datetime) -> int:
    query = "SELECT COUNT(*) FROM sheet WHERE creator = ? AND created_at > ?"
    return int(db.execute(query, (seller, stamp(since))).fetchone()[0])


def sellers(db: sqlite3.Connection, product: str) -> list[sqlite3.Row]:
    query = "SELECT * FROM sheet_seller WHERE product = ? ORDER BY seller"
    return db.execute(query, (product,)).fetchall()


# Untouched sheets.


def _known_gtin(product: str) -> str:
    """Return the GTIN of a product, in its shortest form."""
    digits = product.lstrip("0")
    return digits.zfill(next(length for length in LENGTHS if length >= len(digits)))


def _known_values(product: str) -> dict[str, Any]:
    """Return the common fields and properties of an untouched sheet, by name."""
    category = _pick(_open_categories(), product, "category")
    brand = _pick(catalogue().brands, product, "brand").name
    gtin = _known_gtin(product)
    values: dict[str, Any] = {
        "title": f"{category.label[0]} {brand} {gtin}",
        "description": f"{category.label[0]} de la marque {brand}.",
        CATEGORY: category.reference,
        "language": LANGUAGES[0],
    }
    if drawn(product, "has brand") % INCOMPLETE:
        values["brand"] = brand
    if drawn(product, "has picture") % INCOMPLETE:
        values[PICTURES] = [{"index": 1, "url": PICTURE.format(gtin, 1, "jpg")}]
    return values | {
        use.known.reference: _value(product, use.known)
        for use in category.uses
        if not use.known.is_variation
        and (use.is_mandatory or drawn(product, use.known.reference) % 2)
    }


@cache
def _open_categories() -> tuple[CatalogueCategory, ...]:
    """Return the categories that take products without variants."""
    return tuple(
        category
        for category in catalogue().categories.values()
        if category.takes_products
        and not any(use.known.is_variation and use.is_mandatory for use in category.uses)
    )


def _value(product: str, known: CatalogueProperty) -> dict[str, Any]:
    if known.file_types:
        url = PICTURE.format(_known_gtin(product), known.reference, known.file_types[0])
        return {"values": [], "files": [{"index": 1, "url": url}]}
    number = drawn(product, "value", known.reference)
    text = str(1 + number % 200) if known.is_numeric else f"{known.label[0]} {number % 1000}"
    choices = [choice[0] for choice in known.choices] or [text]
    return {"values": [choices[number % len(choices)]], "files": []}


def _pick(items: tuple[Any, ...], *parts: str) -> Any:
    return items[drawn(*parts) % len(items)]


def drawn(*parts: str) -> int:
    """Return a number that depends only on the parts."""
    return zlib.crc32("|".join(parts).encode())
