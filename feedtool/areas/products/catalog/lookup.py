"""The catalogue as checks, templates and commands ask it. It never changes while it is asked.

A file of products is checked again when its answers are written beside the rows: days later, when
a sync may have changed the cache, or somebody has removed it. What was right when it was sent
stays so. So the answers that the first check got are kept with the run, as an excerpt: all
categories, the properties of those that were looked at, and the brands where one was looked for.
Whoever asks the same question of the excerpt gets the same answer.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from operator import itemgetter
from typing import Any

from feedtool.areas.products.catalog.model import (
    Brand,
    Category,
    Listed,
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

    Properties are read when a category is first asked for, brands when any is; all stays in
    memory from there on. Not for several threads.
    """

    def __init__(
        self,
        origin: Origin,
        categories: Mapping[str, Category],
        listed: Callable[[str], Listed | None],
        brands: Callable[[], Iterable[Brand]],
    ) -> None:
        """Of categories by reference; `listed` gives None for properties never brought."""
        self.origin, self.categories = origin, categories
        self._listed, self._all_brands = listed, brands
        self.consulted: dict[str, Listed | None] = {}
        """The properties that were asked for until now, by category."""
        self._fingerprints: dict[str, str] = {}
        self._brands: dict[str, Brand] | None = None
        self._near: dict[tuple[str, int], list[str]] = {}

    @property
    def language(self) -> str:
        """Of the labels: `en`, `fr` or `es`."""
        return self.origin.language

    @property
    def synced_at(self) -> datetime | None:
        """The end of the last whole sync; None when there was none."""
        return self.origin.synced_at

    @property
    def consulted_brands(self) -> Iterable[Brand]:
        """All brands, or none where nobody has asked for any until now."""
        return () if self._brands is None else self._brands.values()

    def category(self, reference: str) -> Category | None:
        """The category of a reference, whose letters are all capitals."""
        return self.categories.get(reference)

    def near_categories(self, reference: str, most: int = 3) -> list[str]:
        """Those that take products and that a mistyped reference may stand for, likeliest first."""
        usable = (code for code, item in self.categories.items() if item.takes_products)
        return near_codes(reference, usable, most)

    def properties(self, reference: str) -> tuple[Property, ...] | None:
        """A category's properties by their index; None where they were not brought."""
        result = self._of(reference)
        return result and result.properties

    def checked_at(self, reference: str) -> datetime | None:
        """The time of the service's last answer about a category's properties; None: never."""
        result = self._of(reference)
        return result and result.checked_at

    def fingerprint(self, reference: str) -> str | None:
        """The stamp of a template made for a category; None where its properties are not here."""
        result = self._of(reference)
        if result and reference not in self._fingerprints:
            self._fingerprints[reference] = fingerprint(result.properties)
        return self._fingerprints.get(reference)

    def brand(self, name: str) -> Brand | None:
        """The brand of a name, whatever its case and accents."""
        return self._by_name().get(folded(name))

    def near_brands(self, name: str, most: int = 3) -> list[str]:
        """Names of brands that a mistyped one may stand for, the likeliest first."""
        asked = folded(name), most
        if asked not in self._near:
            result = nearest(asked[0], list(self._by_name()), most)
            self._near[asked] = [self._by_name()[item].name for item in result]
        return self._near[asked]

    def brands(self) -> Iterable[Brand]:
        """All brands; of several with one name the first."""
        return self._by_name().values()

    def entries(self) -> Iterator["Entry"]:
        """Each category and brand, as searches compare them."""
        for category in self.categories.values():
            code, path = folded(category.reference), folded(category.full_path)
            place = not category.is_active, not category.takes_products, path, category.reference
            yield code, folded(category.label), path, place, category
        for brand in self.brands():
            name = folded(brand.name)
            yield folded(brand.reference), name, name, (False, True, name, brand.reference), brand

    def _of(self, reference: str) -> Listed | None:
        if reference not in self.consulted:
            self.consulted[reference] = self._listed(reference)
        return self.consulted[reference]

    def _by_name(self) -> dict[str, Brand]:
        if self._brands is None:
            self._brands = {}
            for brand in self._all_brands():
                self._brands.setdefault(folded(brand.name), brand)
        return self._brands


# Excerpts.

OpenCatalog = Callable[[str | None], Catalog | None]
"""Opens the catalogue in a language, or in any; None where there is none."""

ANY = ""
"""In the place of a language: none was asked for."""


class Consulted:
    """A catalogue, in one language or several, that remembers which questions it answered."""

    def __init__(self, opening: OpenCatalog) -> None:
        """In front of the function that opens the catalogue."""
        self._opening = opening
        self._opened: dict[str | None, Catalog | None] = {}

    def __call__(self, language: str | None) -> Catalog | None:
        """The catalogue; None where there is none."""
        if language not in self._opened:
            self._opened[language] = self._opening(language)
        return self._opened[language]

    def excerpt(self) -> bytes | None:
        """The answers as JSON; None where nobody has asked."""
        content = {
            language or ANY: catalog
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
    """Opens the catalogue as it was, in place of the one of today."""
    catalogs: dict[str, Any] = json.loads(excerpt)

    def opened(language: str | None) -> Catalog | None:
        content = catalogs.get(language or ANY)
        if content is None:
            return None
        synced = content["synced_at"]
        listed = {
            code: item and Listed(properties_of(item[0]), datetime.fromisoformat(item[1]))
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

    return Consulted(opened)


class Rank(IntEnum):
    """The ways in which a text matches; the best first."""

    IS_CODE = 0
    IS_NAME = 1
    BEGINS_CODE = 2
    BEGINS_NAME = 3
    BEGINS_WORD = 4
    IN_NAME = 5
    BEGINS_WORDS = 6
    """Each of its words begins a word of the path."""
    IN_PATH = 7
    """Or each of its words is somewhere in the path."""


SHORTEST = 3
"""Letters of a word that is looked for by itself: `of` and `de` say nothing."""


def search(catalog: Catalog, text: str) -> list[Category | Brand]:
    """Categories by code, label or path, and brands by name or reference; the best first.

    Case and accents do not count. Where nothing has all words of the text, it is what has the most
    of them, each in the plural or not, the rarest words first. Of the equally good the active ones
    come first, then those that take products, then by name.
    """
    wanted = folded(text)
    entries = list(catalog.entries()) if wanted else []
    ranked = [(_rank(wanted, *entry[:3]), *entry[3:]) for entry in entries]
    matches = [match for match in ranked if match[0] is not None]
    if not matches:
        return _of_most_words(wanted, entries)
    return [item for _, _, item in sorted(matches, key=itemgetter(0, 1))]


def _of_most_words(wanted: str, entries: Sequence["Entry"]) -> list[Category | Brand]:
    """What has the most of the words; of them what has the rarest words first."""
    words = [word.rstrip("sx") for word in wanted.split() if len(word) >= SHORTEST]
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
"""Code, label and path, as they are compared; the place among equally good ones; what it is."""


def _rank(wanted: str, code: str, name: str, path: str) -> Rank | None:
    words = wanted.split()
    ranks = {
        Rank.IS_CODE: wanted == code,
        Rank.IS_NAME: wanted == name,
        Rank.BEGINS_CODE: code.startswith(wanted),
        Rank.BEGINS_NAME: name.startswith(wanted),
        Rank.BEGINS_WORD: f" {wanted}" in name,
        Rank.IN_NAME: wanted in name,
        Rank.BEGINS_WORDS: all(f" {word}" in f" {path}" for word in words),
        Rank.IN_PATH: all(word in path or code.startswith(word) for word in words),
    }
    return next((rank for rank, is_so in ranks.items() if is_so), None)


def meant(catalog: Catalog, text: str, most: int = 3) -> list[str]:
    """Codes, labels and names of brands that a text without matches may stand for."""
    names = [name for item in catalog.categories.values() for name in (item.label, item.reference)]
    names += [brand.name for brand in catalog.brands()]
    known = {folded(name): name for name in reversed(names) if folded(name)}
    return [known[item] for item in nearest(folded(text), list(known), most)]
