"""The product sheets: "one shared catalog sheet per GTIN" (part "Catalog" of the specification).

The seller who submits an unknown product is its creator; whoever adds to it is a contributor. The
sheet remembers of each value who gave it.

Every well-formed GTIN but for the restricted range has a sheet. One that nobody has touched is not
kept but made up from the GTIN, always in the same way: somebody else's standard product, with its
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
"""One in so many has no picture, and one in as many no brand."""
LENGTHS = (8, 12, 13, 14)
"""Of GTINs."""

MARKETABLE = ("title", "description", PICTURES, "brand", CATEGORY)
"""The common data of a sheet; without one of them the product cannot be sold."""


class SheetValue(NamedTuple):
    """A value on a sheet."""

    value: Any
    seller: str
    """The one who gave it; empty where it is none of the sandbox's."""


class CatalogueSheet(Struct, frozen=True):
    """A product's sheet in the catalogue."""

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

    @property
    def is_marketable(self) -> bool:
        """True if the sheet has all the common data (part "Catalog")."""
        return all(name in self.content for name in MARKETABLE)

    @property
    def completeness(self) -> int:
        """The share of its fields that are filled, in percent."""
        names = [*MARKETABLE, *self.category.use_of]
        return 100 * sum(name in self.content for name in names) // len(names)


def find(db: sqlite3.Connection, product: str) -> CatalogueSheet | None:
    """The sheet of a product, or None where the catalogue has none."""
    row = db.execute("SELECT * FROM sheet WHERE product = ?", (product,)).fetchone()
    if row is not None:
        return sheet_of(row)
    if not has_sheet(db, product):
        return None
    content = {name: SheetValue(value, "") for name, value in _known_values(product).items()}
    return CatalogueSheet(product, _known_gtin(product), "", content, SINCE, SINCE)


def sheet_of(row: sqlite3.Row) -> CatalogueSheet:
    """The sheet of a row of the table."""
    _, product, gtin, creator, _, content, created_at, updated_at = row
    held = {name: SheetValue(*value) for name, value in orjson.loads(content).items()}
    return CatalogueSheet(product, gtin, creator, held, created_at, updated_at)


def write(db: sqlite3.Connection, sheet: CatalogueSheet) -> None:
    """Keep a sheet, new or changed. Offers for its product are accepted from now on."""
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
    """The GTIN that the seller uses this reference for, when it is another one."""
    row = db.execute(
        "SELECT gtin FROM sheet_seller JOIN sheet USING (product)"
        " WHERE seller = ? AND reference = ? AND product <> ?",
        (seller, submission.reference, submission.product),
    ).fetchone()
    return row and str(row["gtin"])


def note_seller(db: sqlite3.Connection, seller: str, submission: SubmittedProduct) -> None:
    """Note under which reference a seller knows the product; the latest one counts."""
    names = (submission.reference, submission.values.get("gtinReference"))
    db.execute(
        "INSERT OR REPLACE INTO sheet_seller VALUES (?, ?, ?, ?)",
        (seller, submission.product, *names),
    )


def family(db: sqlite3.Connection, group: str, product: str) -> Iterator[CatalogueSheet]:
    """The other members of a variant group."""
    query = "SELECT * FROM sheet WHERE family = ? AND product <> ? ORDER BY id"
    return map(sheet_of, db.execute(query, (group, product)).fetchall())


def created_since(db: sqlite3.Connection, seller: str, since: datetime) -> int:
    """The number of sheets that a seller has created after a moment."""
    query = "SELECT COUNT(*) FROM sheet WHERE creator = ? AND created_at > ?"
    return int(db.execute(query, (seller, stamp(since))).fetchone()[0])


def sellers(db: sqlite3.Connection, product: str) -> list[sqlite3.Row]:
    """The sellers who have submitted the product, with their references."""
    query = "SELECT * FROM sheet_seller WHERE product = ? ORDER BY seller"
    return db.execute(query, (product,)).fetchall()


# Sheets that nobody has touched.


def _known_gtin(product: str) -> str:
    """The GTIN of a product, in the shortest way to write it."""
    digits = product.lstrip("0")
    return digits.zfill(next(length for length in LENGTHS if length >= len(digits)))


def _known_values(product: str) -> dict[str, Any]:
    """The common fields and properties of a product's sheet by name."""
    category = _pick(_open_categories(), product, "category")
    brand = _pick(catalogue().brands, product, "brand").name
    gtin = _known_gtin(product)
    made: dict[str, Any] = {
        "title": f"{category.label[0]} {brand} {gtin}",
        "description": f"{category.label[0]} de la marque {brand}.",
        CATEGORY: category.reference,
        "language": LANGUAGES[0],
    }
    if _hash(product, "has brand") % INCOMPLETE:
        made["brand"] = brand
    if _hash(product, "has picture") % INCOMPLETE:
        made[PICTURES] = [{"index": 1, "url": PICTURE.format(gtin, 1, "jpg")}]
    return made | {
        use.known.reference: _value(product, use.known)
        for use in category.uses
        if not use.known.is_variation
        and (use.is_mandatory or _hash(product, use.known.reference) % 2)
    }


@cache
def _open_categories() -> tuple[CatalogueCategory, ...]:
    """The categories that products may be put into without being variants."""
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
    number = _hash(product, "value", known.reference)
    text = str(1 + number % 200) if known.is_numeric else f"{known.label[0]} {number % 1000}"
    choices = [choice[0] for choice in known.choices] or [text]
    return {"values": [choices[number % len(choices)]], "files": []}


def _pick(items: tuple[Any, ...], *about: str) -> Any:
    return items[_hash(*about) % len(items)]


def _hash(*about: str) -> int:
    """A number that is always the same for the same thing."""
    return zlib.crc32("|".join(about).encode())
