"""The catalogue that the sandbox knows: parts "Catalog" and "Catalog endpoints".

Brands, a tree of categories and their properties, all invented; they never change, so they are no
state. `samples/make_catalogue.py` says how the file is laid out that they are read from. Only the
brands that sellers brought along are kept: "unknown brands are added". A brand is free text matched
to the referential; an added one is the sellers' to use at once, but shows in GET /brands only once
it is validated.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from feedtool.sandbox.state import stamp

FILE = Path(__file__).with_name("catalogue.json")

LANGUAGES = ("fr-FR", "en-US", "es-ES")
"""In the order of the texts; the first one is the default, and what is not translated is in it."""

MANDATORY = "Mandatory"
NECESSITIES = {"!": MANDATORY, "+": "Recommended", "-": "Optional"}
DEEPEST = 3
"""Only level 3 categories accept products."""

# A step of the index, so that nobody takes it for a place in the list.
INDEX_STEP = 10

TABLES = """
CREATE TABLE IF NOT EXISTS added_brand(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,               -- what a name is matched by
  name TEXT NOT NULL,
  added_at TEXT NOT NULL
);
"""
FIRST_ADDED = 900_001
"""The brandReference of the first added brand."""
VALIDATION = timedelta(days=1)
"""The time until an added brand is published."""

Texts = tuple[str, ...]
"""A text in each of LANGUAGES, or one for all of them."""


def text_in(texts: Texts, language: str) -> str:
    """The text in a language."""
    return texts[LANGUAGES.index(language)] if len(texts) > 1 else texts[0]


@dataclass(frozen=True, slots=True)
class CatalogueProperty:
    """A property that products of some categories may have."""

    reference: str
    label: Texts
    unit: Texts | None
    choices: tuple[Texts, ...]
    """The only possible values, where there are any."""
    file_types: tuple[str, ...]
    """Filled when its values are files: their extensions, `pdf`."""
    is_numeric: bool
    is_multiple: bool
    is_variation: bool
    is_size: bool

    def choices_in(self, language: str) -> list[str]:
        """The choices as a product of this language names them."""
        return [text_in(choice, language) for choice in self.choices]

    def translated(self, values: Iterable[str], source: str, target: str) -> list[str]:
        """Values with the choices of one language in another one, so that they compare."""
        choices = dict(zip(self.choices_in(source), self.choices_in(target), strict=True))
        return [choices.get(value, value) for value in values]


@dataclass(frozen=True, slots=True)
class Use:
    """A property in a category."""

    known: CatalogueProperty
    necessity: str
    index: int

    @property
    def is_mandatory(self) -> bool:
        """True if product creation is denied without it."""
        return self.necessity == MANDATORY


@dataclass(frozen=True)
class CatalogueCategory:
    """A category of any level."""

    reference: str
    """Of 2, 4 or 6 characters for level 1, 2, 3."""
    label: Texts
    is_active: bool
    is_brand_mandatory: bool
    is_variant: bool
    uses: tuple[Use, ...]
    """None above level 3."""

    @property
    def level(self) -> int:
        """1 to 3."""
        return len(self.reference) // 2

    @property
    def parents(self) -> list[str]:
        """The references of those above it, the highest first."""
        return [self.reference[:length] for length in range(2, len(self.reference), 2)]

    @property
    def takes_products(self) -> bool:
        """True if a product may be put into it."""
        return self.level == DEEPEST and self.is_active

    @cached_property
    def use_of(self) -> dict[str, Use]:
        """Its properties by propertyReference."""
        return {use.known.reference: use for use in self.uses}

    @property
    def variations(self) -> list[str]:
        """The references of the properties by which the members of a family differ."""
        return [use.known.reference for use in self.uses if use.known.is_variation]


class CatalogueBrand(NamedTuple):
    """A brand of the referential."""

    reference: str
    name: str


class Catalogue(NamedTuple):
    """All that there is from the start."""

    brands: tuple[CatalogueBrand, ...]
    categories: Mapping[str, CatalogueCategory]
    """By categoryReference, in the order of it."""


@cache
def catalogue() -> Catalogue:
    """The one catalogue, read when it is first needed."""
    document = orjson.loads(FILE.read_bytes())
    lists = {name: tuple(map(tuple, choices)) for name, choices in document["choices"].items()}
    properties = {
        reference: _property(reference, entry, lists)
        for reference, entry in document["properties"].items()
    }
    categories = [_category(entry, properties) for entry in document["categories"]]
    return Catalogue(
        tuple(CatalogueBrand(reference, name) for reference, name in document["brands"]),
        {item.reference: item for item in sorted(categories, key=lambda item: item.reference)},
    )


def _property(reference: str, entry: dict[str, Any], lists: dict[str, Any]) -> CatalogueProperty:
    return CatalogueProperty(
        reference=reference,
        label=tuple(entry["label"]),
        unit=tuple(entry["unit"]) if "unit" in entry else None,
        choices=lists[entry["choices"]] if "choices" in entry else (),
        file_types=tuple(entry.get("allowedFileTypes", ())),
        is_numeric=entry.get("isNumeric", False),
        is_multiple=entry.get("isMultiple", False),
        is_variation=entry.get("isVariation", False),
        is_size=entry.get("isSize", False),
    )


def _category(entry: dict[str, Any], properties: dict[str, CatalogueProperty]) -> CatalogueCategory:
    named = entry.get("properties", "").split()
    return CatalogueCategory(
        reference=entry["reference"],
        label=tuple(entry["label"]),
        is_active=entry.get("isActive", True),
        is_brand_mandatory=entry.get("isBrandMandatory", False),
        is_variant=entry.get("isVariant", False),
        uses=tuple(
            Use(properties[name[:-1]], NECESSITIES[name[-1]], place * INDEX_STEP)
            for place, name in enumerate(named, 1)
        ),
    )


# Brands.


def published_brands(db: sqlite3.Connection, now: datetime) -> list[CatalogueBrand]:
    """All brands that are validated by now."""
    query = "SELECT id, name FROM added_brand WHERE added_at <= ? ORDER BY id"
    added = db.execute(query, (stamp(now - VALIDATION),))
    return [*catalogue().brands, *map(_added, added)]


def find_brand(db: sqlite3.Connection, name: str) -> CatalogueBrand | None:
    """The brand of this name, in whatever case and with whatever blanks it is written."""
    if brand := _brands_from_the_start().get(_key(name)):
        return brand
    query = "SELECT id, name FROM added_brand WHERE key = ?"
    row = db.execute(query, (_key(name),)).fetchone()
    return row and _added(row)


def add_brand(db: sqlite3.Connection, name: str, at: str) -> None:
    """Add a brand, as the seller wrote it."""
    values = (_key(name), " ".join(name.split()), at)
    db.execute("INSERT INTO added_brand(key, name, added_at) VALUES (?, ?, ?)", values)


@cache
def _brands_from_the_start() -> dict[str, CatalogueBrand]:
    return {_key(brand.name): brand for brand in catalogue().brands}


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _added(row: sqlite3.Row) -> CatalogueBrand:
    return CatalogueBrand(str(FIRST_ADDED + row["id"]), row["name"])
