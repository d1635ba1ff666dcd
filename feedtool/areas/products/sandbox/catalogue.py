"""The catalogue that the sandbox knows from the start: parts "Catalog" and "Catalog endpoints".

Brands, a tree of categories and their properties, all invented; they never change, so they are no
state. `samples/make_catalogue.py` says how the file is laid out that they are read from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE = Path(__file__).with_name("catalogue.json")

LANGUAGES = ("fr-FR", "en-US", "es-ES")
"""In the order of the texts; the first one is the default, and what is not translated is in it."""

MANDATORY = "Mandatory"
NECESSITIES = {"!": MANDATORY, "+": "Recommended", "-": "Optional"}
LEVEL_OF_LENGTH = {2: 1, 4: 2, 6: 3}
"""A categoryReference has 2, 4 or 6 characters for level 1, 2, 3."""
DEEPEST = 3
"""Only level 3 categories accept products."""

# A step of the index, so that nobody takes it for a place in the list.
INDEX_STEP = 10

Texts = tuple[str, ...]
"""A text in each of LANGUAGES, or one for all of them."""


def text_in(texts: Texts, language: str) -> str:
    """The text in a language."""
    return texts[LANGUAGES.index(language)] if len(texts) > 1 else texts[0]


@dataclass(frozen=True, slots=True)
class CatalogueProperty:
    """What a product of some category may say of itself."""

    reference: str
    label: Texts
    unit: Texts | None
    choices: tuple[Texts, ...]
    """Filled when ranged."""
    file_types: tuple[str, ...]
    """Filled when its values are files: their extensions, `pdf`."""
    is_numeric: bool
    is_multiple: bool
    is_variation: bool
    is_size: bool

    @property
    def is_ranged(self) -> bool:
        """Whether a value must be one of the choices."""
        return bool(self.choices)

    @property
    def is_translated(self) -> bool:
        """Whether its label and its choices are the language's."""
        return len(self.label) > 1

    def choices_in(self, language: str) -> list[str]:
        """The choices as a product of this language names them."""
        return [text_in(choice, language) for choice in self.choices]

    def choice(self, value: str, language: str) -> Texts | None:
        """The choice that a product of this language names so."""
        return next((one for one in self.choices if text_in(one, language) == value), None)

    def canonical(self, given: Mapping[str, Any], language: str) -> dict[str, Any]:
        """Values and files with the choices in the default language, so that they compare."""
        return {**given, "values": self._translated(given["values"], language, LANGUAGES[0])}

    def shown(self, held: Mapping[str, Any], language: str) -> list[str]:
        """The values that `canonical` gave, in a language."""
        return self._translated(held["values"], LANGUAGES[0], language)

    def _translated(self, values: Iterable[str], source: str, target: str) -> list[str]:
        choices = {text_in(one, source): text_in(one, target) for one in self.choices}
        return [choices.get(value, value) for value in values]


@dataclass(frozen=True, slots=True)
class Use:
    """A property in a category."""

    known: CatalogueProperty
    necessity: str
    index: int

    @property
    def is_mandatory(self) -> bool:
        """Whether product creation is denied without it."""
        return self.necessity == MANDATORY


@dataclass(frozen=True)
class CatalogueCategory:
    """A category of any level."""

    reference: str
    label: Texts
    is_active: bool
    is_brand_mandatory: bool
    is_variant: bool
    uses: tuple[Use, ...]
    """None above level 3."""

    @property
    def level(self) -> int:
        """1 to 3."""
        return LEVEL_OF_LENGTH[len(self.reference)]

    @property
    def parents(self) -> list[str]:
        """The references of those above it, the highest first."""
        return [self.reference[:length] for length in range(2, len(self.reference), 2)]

    @property
    def is_translated(self) -> bool:
        """Whether its label is the language's."""
        return len(self.label) > 1

    @property
    def takes_products(self) -> bool:
        """Whether a product may be put into it."""
        return self.level == DEEPEST and self.is_active

    @cached_property
    def use_of(self) -> dict[str, Use]:
        """Its properties by propertyReference."""
        return {use.known.reference: use for use in self.uses}


@dataclass(frozen=True, slots=True)
class CatalogueBrand:
    """A brand of the referential."""

    reference: str
    name: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that there is from the start."""

    brands: tuple[CatalogueBrand, ...]
    categories: Mapping[str, CatalogueCategory]
    """By categoryReference, in the order of it."""


@cache
def catalogue() -> Catalogue:
    """The one catalogue, read when it is first needed."""
    document = orjson.loads(FILE.read_bytes())
    lists = {
        name: tuple(tuple(choice) for choice in choices)
        for name, choices in document["choices"].items()
    }
    properties = {
        reference: _property(reference, entry, lists)
        for reference, entry in document["properties"].items()
    }
    categories = sorted(
        (_category(entry, properties) for entry in document["categories"]),
        key=lambda category: category.reference,
    )
    return Catalogue(
        tuple(CatalogueBrand(reference, name) for reference, name in document["brands"]),
        {category.reference: category for category in categories},
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
