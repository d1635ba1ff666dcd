"""The nouns of the catalogue, in the specification's words (part "Catalog")."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

DEEPEST = 3
"""The level of the categories that accept products."""

SEPARATOR = " > "
"""Between the labels of a path."""


class Necessity(StrEnum):
    """Whether a product needs a property; without a mandatory one its creation is denied."""

    MANDATORY = "Mandatory"
    RECOMMENDED = "Recommended"
    OPTIONAL = "Optional"


class Category(NamedTuple):
    """A node of the tree of categories."""

    reference: str
    """`categoryReference`: 2, 4 or 6 characters for level 1, 2 or 3."""
    label: str
    """In the catalogue's language; "" where the service gives none."""
    level: int
    is_active: bool
    parent: str | None
    """`parentReference`; None at the top."""
    path: tuple[str, ...]
    """The labels from the top down to its own."""
    is_brand_mandatory: bool
    is_variant: bool
    """Whether families of variants are possible here."""

    @property
    def takes_products(self) -> bool:
        """Whether products can be put here: only into active categories of the deepest level."""
        return self.is_active and self.level == DEEPEST

    @property
    def full_path(self) -> str:
        """The path on one line: `Home > Kitchen > Kettles`."""
        return SEPARATOR.join(self.path)


class PropertyChoice(NamedTuple):
    """A value that a ranged property can have."""

    code: str
    """What is sent."""
    label: str
    """What people read; the same where the service gives but one text."""


@dataclass(frozen=True, slots=True)
class Property:
    """What products of one category can say of themselves."""

    reference: str
    """`propertyReference`."""
    index: int
    """Its place among the category's properties."""
    necessity: Necessity
    label: str
    unit: str | None
    is_ranged: bool
    """Whether only the choices are possible."""
    is_numeric: bool
    is_multiple: bool
    """Whether it can have several values."""
    is_variation: bool
    """Whether members of a family differ by it."""
    is_size: bool
    choices: tuple[PropertyChoice, ...]
    """Filled where it is ranged."""
    allowed_file_types: tuple[str, ...]
    """Of a property whose values are files."""

    @property
    def is_mandatory(self) -> bool:
        """Whether a product without it is denied."""
        return self.necessity is Necessity.MANDATORY


class Brand(NamedTuple):
    """A brand that the service knows; unknown ones are added when a product names them."""

    reference: str
    """`brandReference`."""
    name: str


class Validators(NamedTuple):
    """What an answer of the service's can be compared by when it is asked for again."""

    etag: str | None = None
    last_modified: str | None = None


def fingerprint(properties: Iterable[Property]) -> str:
    """What a sheet made for these properties depends on, as a short text that stays the same.

    Two lists in one language have the same one when the same cells are right in both: labels, the
    order of the properties and that of the choices do not count.

    Returns:
        32 hexadecimal digits.
    """
    told = [_essence(item) for item in sorted(properties, key=lambda item: item.reference)]
    text = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()[:32]


def _essence(item: Property) -> list[Any]:
    return [
        item.reference,
        str(item.necessity),
        item.unit,
        item.is_ranged,
        item.is_numeric,
        item.is_multiple,
        item.is_variation,
        item.is_size,
        sorted(choice.code for choice in item.choices),
        sorted(item.allowed_file_types),
    ]
