"""The catalogue for checks, templates and commands. It never changes while in use.

A file of products is checked again when its answers are written beside the rows: days later, when
a sync may have changed the cache, or a user may have removed it. Valid rows must stay valid. So the
answers of the first check are stored with the run, as an excerpt: all categories, the properties of
the categories that were read, and the brands if any was read. The excerpt gives the same answers.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from feedtool.catalog.model import (
    DEEPEST,
    Brand,
    Category,
    CheckedProperties,
    Origin,
    Property,
    as_json,
    document_of,
    fingerprint,
    folded,
    near_codes,
    nearest,
    properties_of,
    stamp,
    with_paths,
)


class Catalog:
    """Brands, categories and properties of one service in one language.

    The properties of a category are read at their first use, brands all at once; everything stays
    in memory. Not thread-safe.
    """

    def __init__(
        self,
        origin: Origin,
        categories: Mapping[str, Category],
        listed: Callable[[str], CheckedProperties | None],
        brands: Callable[[], Iterable[Brand]],
    ) -> None:
        """Take categories by reference; `listed` returns None for properties never downloaded."""
        self.origin, self.categories = origin, categories
        self._listed, self._all_brands = listed, brands
        self.consulted: dict[str, CheckedProperties | None] = {}
        """The properties that have been read, by category."""
        self._fingerprints: dict[str, str] = {}
        self._brands: dict[str, Brand] | None = None
        self._near: dict[str, list[str]] = {}

    @property
    def language(self) -> str:
        return self.origin.language

    @property
    def synced_at(self) -> datetime | None:
        """The end of the last complete sync; None without any."""
        return self.origin.synced_at

    @property
    def consulted_brands(self) -> Iterable[Brand]:
        """All brands, or none if no brand has been read yet."""
        return () if self._brands is None else self._brands.values()

    def category(self, reference: str) -> Category | None:
        return self.categories.get(reference)

    def near_categories(self, reference: str) -> list[str]:
        """Return categories for products that a mistyped reference may mean, likeliest first."""
        usable = (code for code, item in self.categories.items() if item.takes_products)
        return near_codes(reference, usable)

    def properties(self, reference: str) -> tuple[Property, ...] | None:
        """Return a category's properties by index; None if never downloaded."""
        result = self._of(reference)
        return result and result.properties

    def checked_at(self, reference: str) -> datetime | None:
        """Return the time of the last answer about a category's properties; None if never."""
        result = self._of(reference)
        return result and result.checked_at

    def fingerprint(self, reference: str) -> str | None:
        """Return the fingerprint of a category's template; None without its properties."""
        result = self._of(reference)
        if result and reference not in self._fingerprints:
            self._fingerprints[reference] = fingerprint(result.properties)
        return self._fingerprints.get(reference)

    def brand(self, name: str) -> Brand | None:
        """Return the brand of a name; case and accents do not count."""
        return self._by_name().get(folded(name))

    def near_brands(self, name: str) -> list[str]:
        """Return names of brands that a mistyped name may mean, the likeliest first."""
        key, brands = folded(name), self._by_name()
        if key not in self._near:
            self._near[key] = [brands[item].name for item in nearest(key, brands)]
        return self._near[key]

    def brands(self) -> Iterable[Brand]:
        """Return all brands; of several with one name, the first."""
        return self._by_name().values()

    def entries(self) -> Iterator["Entry"]:
        """Yield each category and brand in the form for searches."""
        for category in self.categories.values():
            code, path = folded(category.reference), folded(category.full_path)
            place = not category.is_active, not category.takes_products, path, category.reference
            yield code, folded(category.label), path, place, category
        for brand in self.brands():
            name = folded(brand.name)
            yield folded(brand.reference), name, name, (False, True, name, brand.reference), brand

    def _of(self, reference: str) -> CheckedProperties | None:
        if reference not in self.consulted:
            self.consulted[reference] = self._listed(reference)
        return self.consulted[reference]

    def _by_name(self) -> dict[str, Brand]:
        if self._brands is None:
            self._brands = {}
            for brand in self._all_brands():
                self._brands.setdefault(folded(brand.name), brand)
        return self._brands


# Categories below a higher one.

SHOWN_CODES = 5
"""The most categories that are listed for a higher one."""


def categories_below(catalog: Catalog, code: str) -> list[str]:
    """Return the categories for products below a higher one; none for a category of products."""
    code = code.strip().upper()
    category = catalog.category(code)
    if category is None or category.level == DEEPEST:
        return []
    return [
        item.reference
        for item in catalog.categories.values()
        if item.takes_products and item.reference.startswith(code)
    ]


def first_codes(codes: Sequence[str]) -> str:
    return ", ".join(codes[:SHOWN_CODES]) + (" …" if len(codes) > SHOWN_CODES else "")


# Excerpts.

OpenCatalog = Callable[[str | None], Catalog | None]
"""Opens the catalogue in a language, or with None in any; returns None without a catalogue."""

ANY_LANGUAGE = ""
"""The key of a catalogue in any language."""


class CatalogRecorder:
    """Opens a catalogue, in one or several languages, and records its answers."""

    def __init__(self, open_catalog: OpenCatalog) -> None:
        self._open_catalog = open_catalog
        self._opened: dict[str | None, Catalog | None] = {}

    def __call__(self, language: str | None) -> Catalog | None:
        if language not in self._opened:
            self._opened[language] = self._open_catalog(language)
        return self._opened[language]

    def excerpt(self) -> bytes | None:
        """Return the answers as JSON; None if the catalogue was never opened."""
        content = {
            language or ANY_LANGUAGE: catalog
            and {
                **catalog.origin._asdict(),
                "synced_at": catalog.synced_at and stamp(catalog.synced_at),
                "categories": list(catalog.categories.values()),
                "listed": {
                    code: item and [document_of(item.properties), stamp(item.checked_at)]
                    for code, item in catalog.consulted.items()
                },
                "brands": list(catalog.consulted_brands),
            }
            for language, catalog in self._opened.items()
        }
        return as_json(content).encode() if content else None


def from_excerpt(excerpt: bytes) -> OpenCatalog:
    """Return a function that opens the catalogue in an excerpt."""
    catalogs: dict[str, Any] = json.loads(excerpt)

    def opened(language: str | None) -> Catalog | None:
        content = catalogs.get(language or ANY_LANGUAGE)
        if content is None:
            return None
        synced = content["synced_at"]
        listed = {
            code: item
            and CheckedProperties(properties_of(item[0]), datetime.fromisoformat(item[1]))
            for code, item in content["listed"].items()
        }
        return Catalog(
            Origin(
                content["service"], content["language"], synced and datetime.fromisoformat(synced)
            ),
            with_paths({item[0]: Category(*item) for item in content["categories"]}),
            listed.get,
            lambda: [Brand(*item) for item in content["brands"]],
        )

    return CatalogRecorder(opened)


# Searches.


SHORTEST = 3
"""The fewest letters of a word searched separately, without `of` and `de`."""


def search(catalog: Catalog, text: str) -> list[Category | Brand]:
    """Return categories by code, label or path, and brands by name or reference, the best first.

    Case and accents do not count. If nothing has all words of the text, the entries with the most
    words are returned, plural or not, those with the rarest words first. Equal matches are ordered:
    active ones first, then those that take products, then by name.
    """
    folded_text = folded(text)
    entries = list(catalog.entries()) if folded_text else []
    ranked = [(_rank(folded_text, *entry[:3]), *entry[3:]) for entry in entries]
    matches = [match for match in ranked if match[0] is not None]
    if not matches:
        return _with_most_words(folded_text, entries)
    return [item for _, _, item in sorted(matches, key=itemgetter(0, 1))]


def _with_most_words(text: str, entries: Sequence["Entry"]) -> list[Category | Brand]:
    """Return the entries with the most of the words, those with the rarest words first."""
    words = [word.rstrip("sx") for word in text.split() if len(word) >= SHORTEST]
    counts = [
        [(f" {word}" in f" {label}") + (f" {word}" in f" {path}") for word in words]
        for _, label, path, _, _ in entries
    ]
    most = max(map(sum, counts), default=0)
    spread = [sum(map(bool, of_word)) for of_word in zip(*counts, strict=True)]
    matches = [
        (
            -sum(count / max(1, of_all) for count, of_all in zip(of_entry, spread, strict=True)),
            *entry[3:],
        )
        for entry, of_entry in zip(entries, counts, strict=True)
        if most and sum(of_entry) == most
    ]
    return [item for _, _, item in sorted(matches, key=itemgetter(0, 1))]


Entry = tuple[str, str, str, tuple[bool, bool, str, str], Category | Brand]
"""Folded code, label and path; the sort key among equal matches; the category or brand."""


def _rank(text: str, code: str, name: str, path: str) -> int | None:
    """Return the kind of match of a text, 0 for the best; None for no match."""
    words = text.split()
    matches = (
        text == code,
        text == name,
        code.startswith(text),
        name.startswith(text),
        f" {text}" in name,
        text in name,
        all(f" {word}" in f" {path}" for word in words),
        all(word in path or code.startswith(word) for word in words),
    )
    return matches.index(True) if any(matches) else None


def similar_names(catalog: Catalog, text: str) -> list[str]:
    """Return codes, labels and names of brands similar to a text without matches."""
    names = [name for item in catalog.categories.values() for name in (item.label, item.reference)]
    names += [brand.name for brand in catalog.brands()]
    known = {folded(name): name for name in reversed(names) if folded(name)}
    return [known[item] for item in nearest(folded(text), known)]
