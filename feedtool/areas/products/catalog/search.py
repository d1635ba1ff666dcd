"""Finding categories and brands by what people remember of them. Pure."""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from feedtool.areas.products.catalog.lookup import Catalog
from feedtool.areas.products.catalog.model import Brand, Category
from feedtool.areas.products.catalog.words import folded, nearest


class Rank(IntEnum):
    """How a text was found; the best first."""

    IS_CODE = 0
    IS_NAME = 1
    BEGINS_CODE = 2
    BEGINS_NAME = 3
    BEGINS_WORD = 4
    IN_NAME = 5
    IN_PATH = 6
    """Or each of its words is somewhere in the path."""


class SearchResult(NamedTuple):
    """What was found, the best first."""

    ranked: list[Category | Brand]

    @property
    def categories(self) -> list[Category]:
        """The categories alone."""
        return [item for item in self.ranked if isinstance(item, Category)]

    @property
    def brands(self) -> list[Brand]:
        """The brands alone."""
        return [item for item in self.ranked if isinstance(item, Brand)]


def search(catalog: Catalog, text: str) -> SearchResult:
    """Categories by code, label or path, and brands by name or reference.

    Case and accents do not count. Of the equally good the active ones come first, then those
    that take products, then by name.
    """
    wanted = folded(text)
    if not wanted:
        return SearchResult([])
    ranked = sorted(_matches(catalog, wanted), key=lambda item: item[0])
    return SearchResult([result for _, result in ranked])


Key = tuple[Rank, bool, bool, str, str]


def _matches(catalog: Catalog, wanted: str) -> Iterator[tuple[Key, Category | Brand]]:
    words = wanted.split()
    for category in catalog.categories.values():
        code, path = folded(category.reference), folded(category.full_path)
        rank = _rank(wanted, code, folded(category.label))
        if rank is None and all(word in path or code.startswith(word) for word in words):
            rank = Rank.IN_PATH
        if rank is not None:
            key = (rank, not category.is_active, not category.takes_products)
            yield (*key, path, category.reference), category
    for brand in catalog.brands():
        rank = _rank(wanted, folded(brand.reference), folded(brand.name))
        if rank is not None:
            yield (rank, False, True, folded(brand.name), brand.reference), brand


def _rank(wanted: str, code: str, name: str) -> Rank | None:
    if wanted == code:
        return Rank.IS_CODE
    if wanted == name:
        return Rank.IS_NAME
    if code.startswith(wanted):
        return Rank.BEGINS_CODE
    if name.startswith(wanted):
        return Rank.BEGINS_NAME
    if f" {wanted}" in name:
        return Rank.BEGINS_WORD
    return Rank.IN_NAME if wanted in name else None


def meant(catalog: Catalog, text: str, most: int = 3) -> list[str]:
    """Codes, labels and names of brands that a text which finds nothing may stand for."""
    known: dict[str, str] = {}
    for category in catalog.categories.values():
        known.setdefault(folded(category.label), category.label)
        known.setdefault(folded(category.reference), category.reference)
    for brand in catalog.brands():
        known.setdefault(folded(brand.name), brand.name)
    known.pop("", None)
    return [known[item] for item in nearest(folded(text), list(known), most)]
