"""The nouns of the catalogue, in the specification's words (part "Catalog")."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

DEEPEST = 3
"""The level of the categories that accept products."""

SEPARATOR = " > "
"""Between the labels of a path."""


class Necessity(StrEnum):
    """The need of a product for a property; without a mandatory one its creation is denied."""

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
    """True if families of variants are possible here."""

    @property
    def takes_products(self) -> bool:
        """True for active categories of the deepest level: only these take products."""
        return self.is_active and self.level == DEEPEST

    @property
    def full_path(self) -> str:
        """The path on one line: `Home > Kitchen > Kettles`."""
        return SEPARATOR.join(self.path)


class PropertyChoice(NamedTuple):
    """A value that a ranged property can have."""

    code: str
    """The text that is sent."""
    label: str
    """The text that people read; the same where the service gives but one."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property that products of one category can have."""

    reference: str
    """`propertyReference`."""
    index: int
    """Its place among the category's properties."""
    necessity: Necessity
    label: str
    unit: str | None
    is_ranged: bool
    """True if only the choices are possible."""
    is_numeric: bool
    is_multiple: bool
    """True if it can have several values."""
    is_variation: bool
    """True if members of a family differ by it."""
    is_size: bool
    choices: tuple[PropertyChoice, ...]
    """Filled where it is ranged."""
    allowed_file_types: tuple[str, ...]
    """Of a property whose values are files."""

    @property
    def is_mandatory(self) -> bool:
        """True if a product without it is denied."""
        return self.necessity is Necessity.MANDATORY

    @property
    def is_split(self) -> bool:
        """True if its cells may hold several values; a lone text may hold the separator."""
        return self.is_multiple or self.is_ranged or self.is_numeric

    @property
    def name(self) -> str:
        """`Main colour (3263)`."""
        return f"{self.label} ({self.reference})" if self.label else self.reference


class Brand(NamedTuple):
    """A brand that the service knows; unknown ones are added when a product names them."""

    reference: str
    """`brandReference`."""
    name: str


class Validators(NamedTuple):
    """The headers by which an answer of the service can be compared when it is asked for again."""

    etag: str | None = None
    last_modified: str | None = None


class Origin(NamedTuple):
    """The source of a catalogue."""

    service: str
    """The base address."""
    language: str
    """`en`, `fr` or `es`: of the labels."""
    synced_at: datetime | None
    """The end of the last whole sync; None when there was none."""


class Listed(NamedTuple):
    """The properties of a category."""

    properties: tuple[Property, ...]
    """By their index."""
    checked_at: datetime
    """The time of the last answer of the service about them."""


# The tree of categories.


def with_paths(categories: Mapping[str, Category]) -> dict[str, Category]:
    """The same categories, each with the labels of all that it is in."""
    return {
        reference: category._replace(
            path=tuple(item.label or item.reference for item in _lineage(category, categories))
        )
        for reference, category in categories.items()
    }


def within(wanted: Iterable[str], categories: Mapping[str, Category]) -> frozenset[str]:
    """The references of these categories and of all that are in them, however deep."""
    tops = frozenset(wanted)
    return frozenset(
        reference
        for reference, category in categories.items()
        if any(item.reference in tops for item in _lineage(category, categories))
    )


def _lineage(category: Category, categories: Mapping[str, Category]) -> list[Category]:
    """From the top down to itself; a tree that bites its own tail ends where it does."""
    chain: dict[str, Category] = {}
    at: Category | None = category
    while at is not None and at.reference not in chain:
        chain[at.reference] = at
        at = categories.get(at.parent) if at.parent else None
    return [*reversed(chain.values())]


# Properties as text: how the cache and the excerpts keep them.


def document_of(properties: Sequence[Property]) -> str:
    """The properties of a category as JSON: equal lists give equal texts."""
    items = [[getattr(item, name) for name in Property.__slots__] for item in properties]
    return json.dumps(items, ensure_ascii=False, separators=(",", ":"))


def properties_of(document: str) -> tuple[Property, ...]:
    """The properties of what `document_of` made."""
    items: list[list[Any]] = json.loads(document)
    for item in items:
        _, _, necessity, *_, choices, types = item
        item[2], item[-1] = Necessity(necessity), tuple(types)
        item[-2] = tuple(PropertyChoice(*choice) for choice in choices)
    return tuple(Property(*item) for item in items)
