"""Search for categories and brands by a part of their names. Pure."""

from collections.abc import Iterator
from enum import IntEnum

from feedtool.areas.products.catalog.lookup import Catalog
from feedtool.areas.products.catalog.model import Brand, Category
from feedtool.areas.products.catalog.words import folded, nearest


class Rank(IntEnum):
    """The ways in which a text matches; the best first."""

    IS_CODE = 0
    IS_NAME = 1
    BEGINS_CODE = 2
    BEGINS_NAME = 3
    BEGINS_WORD = 4
    IN_NAME = 5
    IN_PATH = 6
    """Or each of its words is somewhere in the path."""


def search(catalog: Catalog, text: str) -> list[Category | Brand]:
    """Categories by code, label or path, and brands by name or reference; the best first.

    Case and accents do not count. Of the equally good the active ones come first, then those
    that take products, then by name.
    """
    wanted = folded(text)
    ranked = sorted(_matches(catalog, wanted), key=lambda item: item[0]) if wanted else []
    return [result for _, result in ranked]


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
    ranks = {
        Rank.IS_CODE: wanted == code,
        Rank.IS_NAME: wanted == name,
        Rank.BEGINS_CODE: code.startswith(wanted),
        Rank.BEGINS_NAME: name.startswith(wanted),
        Rank.BEGINS_WORD: f" {wanted}" in name,
        Rank.IN_NAME: wanted in name,
    }
    return next((rank for rank, is_so in ranks.items() if is_so), None)


def meant(catalog: Catalog, text: str, most: int = 3) -> list[str]:
    """Codes, labels and names of brands that a text without matches may stand for."""
    names = [name for item in catalog.categories.values() for name in (item.label, item.reference)]
    names += [brand.name for brand in catalog.brands()]
    known = {folded(name): name for name in reversed(names) if folded(name)}
    return [known[item] for item in nearest(folded(text), list(known), most)]
