"""The sheets that exist already: every well-formed GTIN has one, but for the restricted range.

They are somebody else's, and made up from the GTIN, always in the same way: the mandatory
properties are filled, about half of the others too, and some lack a picture or a brand. All are
standard products.
"""

import zlib
from functools import cache
from typing import Any

from feedtool.areas.products.sandbox.catalogue import (
    LANGUAGES,
    CatalogueCategory,
    CatalogueProperty,
    catalogue,
)
from feedtool.areas.products.sandbox.submission import CATEGORY, PICTURES

SINCE = "2024-01-15T08:00:00.000000Z"
"""The time at which all of them were made."""

PICTURE = "https://images.sandbox.invalid/{}/{}.{}"

# One in so many has no picture, and one in as many no brand.
INCOMPLETE = 8
# The shortest GTIN has 8 digits, and there is none of 9 to 11.
LENGTHS = (8, 12, 13, 14)


def gtin(product: str) -> str:
    """The GTIN of a product, in the shortest way to write it."""
    digits = product.lstrip("0")
    return digits.zfill(next(length for length in LENGTHS if length >= len(digits)))


def values(product: str) -> dict[str, Any]:
    """The common fields and properties of a product's sheet by name."""
    category = _pick(_categories(), product, "category")
    brand = _pick(catalogue().brands, product, "brand").name
    made: dict[str, Any] = {
        "title": f"{category.label[0]} {brand} {gtin(product)}",
        "description": f"{category.label[0]} de la marque {brand}.",
        CATEGORY: category.reference,
        "language": LANGUAGES[0],
    }
    if _hash(product, "has brand") % INCOMPLETE:
        made["brand"] = brand
    if _hash(product, "has picture") % INCOMPLETE:
        made[PICTURES] = [{"index": 1, "url": PICTURE.format(gtin(product), 1, "jpg")}]
    return made | {
        use.known.reference: _value(product, use.known)
        for use in category.uses
        if not use.known.is_variation
        and (use.is_mandatory or _hash(product, use.known.reference) % 2)
    }


@cache
def _categories() -> tuple[CatalogueCategory, ...]:
    """The categories that products may be put into without being variants."""
    return tuple(
        category
        for category in catalogue().categories.values()
        if category.takes_products
        and not any(use.known.is_variation and use.is_mandatory for use in category.uses)
    )


def _value(product: str, known: CatalogueProperty) -> dict[str, Any]:
    if known.file_types:
        url = PICTURE.format(gtin(product), known.reference, known.file_types[0])
        return {"values": [], "files": [{"index": 1, "url": url}]}
    if known.choices:
        return {"values": [_pick(known.choices, product, "value", known.reference)[0]], "files": []}
    number = _hash(product, "value", known.reference)
    text = str(1 + number % 200) if known.is_numeric else f"{known.label[0]} {number % 1000}"
    return {"values": [text], "files": []}


def _pick(items: tuple[Any, ...], *about: str) -> Any:
    return items[_hash(*about) % len(items)]


def _hash(*about: str) -> int:
    """A number that is always the same for the same thing."""
    return zlib.crc32("|".join(about).encode())
