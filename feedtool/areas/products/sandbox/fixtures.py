"""The sheets that exist already: every well-formed GTIN has one, but for the restricted range.

They are somebody else's, and made up from the GTIN, always in the same way: the mandatory
properties are filled, about half of the others too, and some lack a picture or a brand. All are
standard products.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from feedtool.areas.products.sandbox.catalogue import LANGUAGES, CatalogueCategory, catalogue
from feedtool.areas.products.sandbox.submission import CATEGORY, PICTURES

if TYPE_CHECKING:
    from feedtool.areas.products.sandbox.catalogue import CatalogueProperty

SINCE = "2024-01-15T08:00:00.000000Z"
"""When all of them were made."""

PICTURE = "https://images.sandbox.invalid/{}/{}.{}"

# One in so many has no picture, and one in as many no brand.
INCOMPLETE = 8
# The shortest GTIN has 8 digits, and there is none of 9 to 11.
LENGTHS = (8, 12, 13, 14)


def gtin(product: str) -> str:
    """The GTIN of a product, in the shortest way to write it."""
    digits = product.lstrip("0")
    length = next(length for length in LENGTHS if length >= len(digits))
    return digits.zfill(length)


def values(product: str) -> dict[str, Any]:
    """What the sheet of a product says: common fields and properties by name."""
    category = _category(product)
    brands = catalogue().brands
    brand = brands[_luck(product, "brand") % len(brands)].name
    made: dict[str, Any] = {
        "title": f"{category.label[0]} {brand} {gtin(product)}",
        "description": f"{category.label[0]} de la marque {brand}.",
        CATEGORY: category.reference,
        "language": LANGUAGES[0],
    }
    if _luck(product, "has brand") % INCOMPLETE:
        made["brand"] = brand
    if _luck(product, "has picture") % INCOMPLETE:
        made[PICTURES] = [{"index": 1, "url": PICTURE.format(gtin(product), 1, "jpg")}]
    return made | _properties(product, category)


def _category(product: str) -> CatalogueCategory:
    open_ones = _categories()
    return open_ones[_luck(product, "category") % len(open_ones)]


@cache
def _categories() -> tuple[CatalogueCategory, ...]:
    """Those that products may be put into without being variants."""
    return tuple(
        category
        for category in catalogue().categories.values()
        if category.takes_products
        and not any(use.known.is_variation and use.is_mandatory for use in category.uses)
    )


def _properties(product: str, category: CatalogueCategory) -> dict[str, Any]:
    return {
        use.known.reference: _value(product, use.known)
        for use in category.uses
        if not use.known.is_variation
        and (use.is_mandatory or _luck(product, use.known.reference) % 2)
    }


def _value(product: str, known: CatalogueProperty) -> dict[str, Any]:
    luck = _luck(product, "value", known.reference)
    if known.file_types:
        url = PICTURE.format(gtin(product), known.reference, known.file_types[0])
        return {"values": [], "files": [{"index": 1, "url": url}]}
    if known.is_ranged:
        return {"values": [known.choices[luck % len(known.choices)][0]], "files": []}
    text = str(1 + luck % 200) if known.is_numeric else f"{known.label[0]} {luck % 1000}"
    return {"values": [text], "files": []}


def _luck(product: str, *about: str) -> int:
    """A number that is always the same for the same thing."""
    return zlib.crc32("|".join((product, *about)).encode())
