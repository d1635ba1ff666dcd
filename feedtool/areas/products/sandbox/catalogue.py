"""The sandbox's catalogue: parts "Catalog" and "Catalog endpoints".

Brands, a tree of categories and their properties, all invented, from a file that
`samples/make_catalogue.py` writes. Only brands added by sellers are stored: "unknown brands are
added". Sellers can use an added brand at once, but GET /brands shows it only once it is validated.
None of the routes needs a SellerId (part "Authentication", 1).
"""

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from msgspec import Struct

from feedtool.sandbox.arguments import asked, asked_numbered_page, language_of, next_page_link
from feedtool.sandbox.exchange import (
    UNKNOWN_FIELD,
    ErrorEntry,
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import stamp

FILE = Path(__file__).with_name("catalogue.json")

LANGUAGES = ("fr-FR", "en-US", "es-ES")
"""The order of texts; the first is the default, and the language of untranslated texts."""

NECESSITIES = {"!": "Mandatory", "+": "Recommended", "-": "Optional"}
DEEPEST = 3
"""The level of categories that accept products."""
FLAGS = {f"is_{name.lower()}": f"is{name}" for name in ("Numeric", "Multiple", "Variation", "Size")}
INDEX_STEP = 10  # the index is not a place in the list

TABLES = """
CREATE TABLE IF NOT EXISTS added_brand(
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- its brandReference is 900001 more
  key TEXT NOT NULL UNIQUE,               -- what a name is matched by
  name TEXT NOT NULL,
  added_at TEXT NOT NULL
);
"""
VALIDATION = timedelta(days=1)  # until an added brand is published

Texts = tuple[str, ...]
"""A text in each of LANGUAGES, or one for all of them."""


def text_in(texts: Texts, language: str) -> str:
    return texts[LANGUAGES.index(language)] if len(texts) > 1 else texts[0]


class CatalogueProperty(NamedTuple):
    """A property of products in some categories."""

    reference: str
    label: Texts
    unit: Texts | None
    choices: tuple[Texts, ...]
    """The only possible values; () for any value."""
    file_types: tuple[str, ...]
    """The extensions if its values are files: `pdf`."""
    is_numeric: bool
    is_multiple: bool
    is_variation: bool
    is_size: bool

    def choices_in(self, language: str) -> list[str]:
        return [text_in(choice, language) for choice in self.choices]

    def translated(self, values: Iterable[str], source: str, target: str) -> list[str]:
        """Return values with choices of one language in another, for comparisons."""
        choices = dict(zip(self.choices_in(source), self.choices_in(target), strict=True))
        return [choices.get(value, value) for value in values]


class Use(Struct, frozen=True):
    known: CatalogueProperty
    necessity: str
    index: int

    @property
    def is_mandatory(self) -> bool:
        return self.necessity == "Mandatory"


class CatalogueCategory(Struct, frozen=True, dict=True):
    """A category of any level."""

    reference: str
    """2, 4 or 6 characters for level 1, 2, 3."""
    label: Texts
    is_active: bool
    is_brand_mandatory: bool
    is_variant: bool
    uses: tuple[Use, ...]
    """The properties; () above level 3."""

    @property
    def level(self) -> int:
        return len(self.reference) // 2

    @property
    def parents(self) -> list[str]:
        """The references of the categories above, the highest first."""
        return [self.reference[:length] for length in range(2, len(self.reference), 2)]

    @property
    def takes_products(self) -> bool:
        return self.level == DEEPEST and self.is_active

    @cached_property
    def use_of(self) -> dict[str, Use]:
        """The properties by propertyReference."""
        return {use.known.reference: use for use in self.uses}

    @property
    def variations(self) -> list[str]:
        """The references of the properties in which members of a family differ."""
        return [use.known.reference for use in self.uses if use.known.is_variation]


class CatalogueBrand(NamedTuple):
    reference: str
    name: str


class Catalogue(NamedTuple):
    """All brands and categories at the start."""

    brands: tuple[CatalogueBrand, ...]
    categories: Mapping[str, CatalogueCategory]
    """The categories by categoryReference, sorted."""


@cache
def catalogue() -> Catalogue:
    """Return the catalogue, which is read at its first use."""
    document = orjson.loads(FILE.read_bytes())
    lists = {name: tuple(map(tuple, choices)) for name, choices in document["choices"].items()}
    properties = {
        reference: CatalogueProperty(
            reference=reference,
            label=tuple(entry["label"]),
            unit=tuple(entry["unit"]) if "unit" in entry else None,
            choices=lists[entry["choices"]] if "choices" in entry else (),
            file_types=tuple(entry.get("allowedFileTypes", ())),
            **{field: entry.get(name, False) for field, name in FLAGS.items()},
        )
        for reference, entry in document["properties"].items()
    }
    categories = [
        CatalogueCategory(
            reference=entry["reference"],
            label=tuple(entry["label"]),
            is_active=entry.get("isActive", True),
            is_brand_mandatory=entry.get("isBrandMandatory", False),
            is_variant=entry.get("isVariant", False),
            uses=tuple(
                Use(properties[name[:-1]], NECESSITIES[name[-1]], place * INDEX_STEP)
                for place, name in enumerate(entry.get("properties", "").split(), 1)
            ),
        )
        for entry in sorted(document["categories"], key=lambda entry: str(entry["reference"]))
    ]
    return Catalogue(
        tuple(CatalogueBrand(reference, name) for reference, name in document["brands"]),
        {item.reference: item for item in categories},
    )


# Brands.


def find_brand(db: sqlite3.Connection, name: str) -> CatalogueBrand | None:
    """Return the brand of a name; case and blanks do not count."""
    query = "SELECT id, name FROM added_brand WHERE key = ?"
    row = db.execute(query, (_key(name),)).fetchone()
    return _initial_brands().get(_key(name)) or (row and _added(row))


def add_brand(db: sqlite3.Connection, name: str, moment: str) -> None:
    values = (_key(name), " ".join(name.split()), moment)
    db.execute("INSERT INTO added_brand(key, name, added_at) VALUES (?, ?, ?)", values)


@cache
def _initial_brands() -> dict[str, CatalogueBrand]:
    return {_key(brand.name): brand for brand in catalogue().brands}


def _added(row: sqlite3.Row) -> CatalogueBrand:
    return CatalogueBrand(str(900_001 + row["id"]), row["name"])


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


# The routes: part "Catalog endpoints".


def read_brands(exchange: Exchange) -> HttpResponse:
    """GET /brands: "only validated published brands", by reference."""
    names = _requested_fields(exchange, ("brandReference", "name"), ())
    page = asked_numbered_page(exchange)
    added = exchange.db.execute(
        "SELECT id, name FROM added_brand WHERE added_at <= ? ORDER BY id",
        (stamp(exchange.now - VALIDATION),),
    )
    brands = [*catalogue().brands, *map(_added, added)]
    items = [
        {"brandReference": brand.reference} | ({"name": brand.name} if "name" in names else {})
        for brand in page.of(brands)
    ]
    return json_answer(200, {"items": items}, next_page_link(exchange, page, len(brands)))


def read_categories(exchange: Exchange) -> HttpResponse:
    """GET /categories: all levels, by reference unless `sort` says otherwise."""
    language = language_of(exchange.request, LANGUAGES[0])
    documents = [category_document(item, language) for item in catalogue().categories.values()]
    fields = {"categoryReference", *_requested_fields(exchange, documents[0], documents[0])}
    page = asked_numbered_page(exchange)
    names = text.split(",") if (text := asked(exchange, "sort")) else []
    if unknown := [name for name in names if name not in SORTS]:
        raise bad_request("sort", f"sort cannot be {', '.join(unknown)}.")
    documents.sort(key=lambda item: [str(item[SORTS[name]] or "").casefold() for name in names])
    items = [
        {name: value for name, value in item.items() if name in fields}
        for item in page.of(documents)
    ]
    document = {"itemsPerPage": page.size, "items": items}
    return json_answer(200, document, {"Content-Language": language})


SORTS = {"reference": "categoryReference"} | {
    name: name for name in ("level", "isActive", "label", "isBrandMandatory", "parentReference")
}
"""Fields of a category by their names in `sort`."""


def _requested_fields(
    exchange: Exchange, known: Collection[str], default: Collection[str]
) -> Collection[str]:
    """Return the names in `fields`; the refusal lists all unknown names (ER400-179)."""
    text = exchange.parameters.get("fields")
    if text is None:
        return default
    names = text.split(",")
    faults = [
        ErrorEntry(f"Fields[{position}]", f"The field {name!r} does not exist.", UNKNOWN_FIELD)
        for position, name in enumerate(names)
        if name not in known
    ]
    if faults:
        raise RequestRefused(400, "Some names in fields do not exist.", *faults)
    return names


def category_document(category: CatalogueCategory, language: str) -> dict[str, Any]:
    return {
        "categoryReference": category.reference,
        "label": text_in(category.label, language),
        "level": category.level,
        "isActive": category.is_active,
        "parentReference": category.parents[-1] if category.parents else None,
        "parentReferences": category.parents,
        # "Level 3 only".
        "isBrandMandatory": category.is_brand_mandatory if category.level == DEEPEST else None,
        "isVariant": category.is_variant,
        "isTranslated": len(category.label) > 1,
    }


def read_category(exchange: Exchange) -> HttpResponse:
    """GET /categories/{categoryReference}."""
    language = language_of(exchange.request, LANGUAGES[0])
    document = category_document(_category(exchange), language)
    return json_answer(200, document, {"Content-Language": language})


def read_properties(exchange: Exchange) -> HttpResponse:
    """GET /categories/{categoryReference}/properties: an empty list above level 3, all on one page.

    The order is that of the references; `index` is the order for people.
    """
    language = language_of(exchange.request, LANGUAGES[0])
    uses = sorted(_category(exchange).uses, key=lambda use: use.known.reference)
    items = [
        {
            "propertyReference": use.known.reference,
            "index": use.index,
            "necessity": use.necessity,
            "label": text_in(use.known.label, language),
            "unit": use.known.unit and text_in(use.known.unit, language),
            "isRanged": bool(use.known.choices),
            **{name: getattr(use.known, field) for field, name in FLAGS.items()},
            "choices": use.known.choices_in(language),
            "allowedFileTypes": list(use.known.file_types),
            "isTranslated": len(use.known.label) > 1,
        }
        for use in uses
    ]
    return json_answer(200, {"items": items}, {"Content-Language": language})


def _category(exchange: Exchange) -> CatalogueCategory:
    reference = exchange.ids["categoryReference"]
    if not re.fullmatch(r"(?:[A-Z0-9]{2}){1,3}", reference):
        reason = "A category reference is 2, 4 or 6 alphanumeric uppercase characters."
        raise bad_request("Reference", reason, "ER400-2108")
    if reference not in catalogue().categories:
        raise not_found(f"The category {reference}")
    return catalogue().categories[reference]


ROUTES: tuple[Route, ...] = (
    Route("GET", "/brands", read_brands, seller=False),
    Route("GET", "/categories", read_categories, seller=False),
    Route("GET", "/categories/{categoryReference}", read_category, seller=False),
    Route("GET", "/categories/{categoryReference}/properties", read_properties, seller=False),
)
