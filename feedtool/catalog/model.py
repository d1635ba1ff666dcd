"""The nouns of the catalogue (specification, part "Catalog"), their names and fingerprints."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import astuple

DEEPEST = 3
"""The level of the categories that accept products."""


class Necessity(StrEnum):
    """The need of a product for a property; without a mandatory property its creation is denied."""

    MANDATORY = "Mandatory"
    RECOMMENDED = "Recommended"
    OPTIONAL = "Optional"


class Category(NamedTuple):
    """A node of the tree of categories."""

    reference: str
    """`categoryReference`: 2, 4 or 6 characters for level 1, 2 or 3."""
    label: str
    """The label in the catalogue's language, or ""."""
    level: int
    is_active: bool
    parent: str | None
    """`parentReference`; None at the top."""
    path: tuple[str, ...]
    """The labels from the top level to this category."""
    is_brand_mandatory: bool
    is_variant: bool
    """True if the category can have families of variants."""

    @property
    def takes_products(self) -> bool:
        """True for active categories of the deepest level; only these take products."""
        return self.is_active and self.level == DEEPEST

    @property
    def full_path(self) -> str:
        """The path in one line: `Home > Kitchen > Kettles`."""
        return " > ".join(self.path)


class PropertyChoice(NamedTuple):
    """A possible value of a ranged property."""

    code: str
    """The text that is sent."""
    label: str
    """The text for people; the code if the service gives only one text."""


class Property(Struct, frozen=True):
    """A property that products of one category can have."""

    reference: str
    """`propertyReference`."""
    index: int
    necessity: Necessity
    label: str
    unit: str | None
    is_ranged: bool
    """True if only the choices are allowed."""
    is_numeric: bool
    is_multiple: bool
    """True if it can have several values."""
    is_variation: bool
    """True if members of a family differ in it."""
    is_size: bool
    choices: tuple[PropertyChoice, ...]
    """The choices of a ranged property."""
    allowed_file_types: tuple[str, ...]
    """The types of files, if the values are files."""

    @property
    def is_mandatory(self) -> bool:
        return self.necessity is Necessity.MANDATORY

    @property
    def is_split(self) -> bool:
        """True if a cell may hold several values; a single text may contain the separator."""
        return self.is_multiple or self.is_ranged or self.is_numeric

    @property
    def name(self) -> str:
        """The label with the reference: `Main colour (3263)`."""
        return f"{self.label} ({self.reference})" if self.label else self.reference


class Brand(NamedTuple):
    """A brand that the service knows; a product with an unknown brand adds it."""

    reference: str
    """`brandReference`."""
    name: str


class Validators(NamedTuple):
    """The headers that make a later request conditional."""

    etag: str | None = None
    last_modified: str | None = None


class Origin(NamedTuple):
    """The source of a catalogue."""

    service: str
    language: str
    """The language of labels: `en`, `fr` or `es`."""
    synced_at: datetime | None
    """The end of the last complete sync; None without any."""


class CheckedProperties(NamedTuple):
    """The properties of a category, with the time of their check."""

    properties: tuple[Property, ...]
    checked_at: datetime
    """The time of the service's last answer about them."""


# The tree of categories.


def with_paths(categories: Mapping[str, Category]) -> dict[str, Category]:
    """Return the categories, each with the labels from the top level."""
    return {
        reference: category._replace(
            path=tuple(item.label or item.reference for item in _lineage(category, categories))
        )
        for reference, category in categories.items()
    }


def with_subcategories(codes: Iterable[str], categories: Mapping[str, Category]) -> frozenset[str]:
    """Return the references of these categories and of all below them."""
    tops = frozenset(codes)
    return frozenset(
        reference
        for reference, category in categories.items()
        if any(item.reference in tops for item in _lineage(category, categories))
    )


def _lineage(category: Category, categories: Mapping[str, Category]) -> list[Category]:
    """Return the categories from the top to this one; a circle of parents ends the list."""
    chain: dict[str, Category] = {}
    current: Category | None = category
    while current is not None and current.reference not in chain:
        chain[current.reference] = current
        current = categories.get(current.parent) if current.parent else None
    return [*reversed(chain.values())]


# JSON texts of the cache and the excerpts.


def as_json(content: object) -> str:
    """Return content as JSON: equal content gives equal texts."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def document_of(properties: Sequence[Property]) -> str:
    return as_json([astuple(item) for item in properties])


def properties_of(document: str) -> tuple[Property, ...]:
    """Return the properties in a text of `document_of`."""
    items: list[list[Any]] = json.loads(document)
    for item in items:
        _, _, necessity, *_, choices, types = item
        item[2], item[-1] = Necessity(necessity), tuple(types)
        item[-2] = tuple(PropertyChoice(*choice) for choice in choices)
    return tuple(Property(*item) for item in items)


def stamp(moment: datetime) -> str:
    """Return a time in UTC as a text that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4`"), "'")

LOOK_ALIKE = str.maketrans("ILOSBZ", "110582")
"""Letters that look like digits."""

CLOSE = 0.7
"""The least likeness, by difflib, of a name that may be meant."""

MOST_NEAR = 3
"""The most names that are returned as similar to one."""

SHORTLIST = 100
"""The number of names compared by difflib, preselected by a faster measure."""
MOST_NEAR = 3
"""The most names that are proposed."""


def folded(name: str) -> str:
    """Return a name for comparisons: `Nestlé ` and `NESTLE` become the same."""
    plain = name.translate(APOSTROPHES)
    if plain.isascii():
        return " ".join(plain.lower().split())
    for _ in range(2):  # twice, as decomposition can reveal capitals
        decomposed = unicodedata.normalize("NFKD", plain.casefold())
        plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return " ".join(plain.split())


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the folded names most similar to a folded name, the most similar first."""
    from rapidfuzz import fuzz, process

    # This ratio is never below difflib's, so it misses no name.
    alike = process.extract(name, list(known), scorer=fuzz.ratio, limit=SHORTLIST)
    return get_close_matches(name, [other for other, *_ in alike], n=MOST_NEAR, cutoff=CLOSE)


def near_codes(code: str, known: Iterable[str]) -> list[str]:
    """Return codes that a mistyped code may mean, first those that look alike; all in capitals."""
    codes, plain = list(known), code.strip().upper()
    seen = plain.translate(LOOK_ALIKE)
    alike = [other for other in codes if other.translate(LOOK_ALIKE) == seen]
    return list(dict.fromkeys([*alike, *nearest(plain, codes)]))[:MOST_NEAR]


_LETTERS = 6
"""Hexadecimal digits of a part: different lists have the same digits once in 16 million."""
_WRITTEN = re.compile(
    rf"([0-9A-Za-z]{{1,50}}):([A-Z])([0-9a-f]{{{_LETTERS}}})([0-9a-f]{{{_LETTERS}}})"
)


class PropertyFingerprint(NamedTuple):
    """The parts of a property that decide about its cells."""

    necessity: str
    """The first letter of the necessity: M, R or O."""
    form: str
    """Digits for its unit, kind and number of values."""
    choices: str


def fingerprint(properties: Iterable[Property]) -> str:
    """Return 32 hexadecimal digits for everything in the properties that affects a sheet.

    Lists in one language have the same fingerprint if the same cells are valid: labels, and the
    order of properties and choices, do not count.
    """
    ordered = sorted(properties, key=lambda item: item.reference)
    parts = [([item.reference, str(item.necessity)], *_parts(item)) for item in ordered]
    return _digest([[*head, *form, choices, types] for head, form, choices, types in parts])[:32]


def fingerprint_of(item: Property) -> PropertyFingerprint:
    """Return the fingerprint of one property; its label and the order of choices do not count."""
    form, choices, types = _parts(item)
    texts = (_digest([*form, types]), _digest(choices))
    return PropertyFingerprint(str(item.necessity)[0], *(text[:_LETTERS] for text in texts))


def written_fingerprints(properties: Iterable[Property]) -> Iterator[str]:
    """Yield each property with its fingerprint, without references that could not be read again."""
    for item in properties:
        text = f"{item.reference}:{''.join(fingerprint_of(item))}"
        if _WRITTEN.fullmatch(text):
            yield text


def read_fingerprints(texts: Iterable[str]) -> Mapping[str, PropertyFingerprint]:
    """Return the fingerprints in texts of `written_fingerprints`, by reference."""
    result = filter(None, map(_WRITTEN.fullmatch, texts))
    return {item[1]: PropertyFingerprint(*item.groups()[1:]) for item in result}


def _parts(item: Property) -> tuple[list[Any], list[str], list[str]]:
    """Return the form, the choices, and the types of files."""
    flags = (item.is_ranged, item.is_numeric, item.is_multiple, item.is_variation, item.is_size)
    choices = sorted(choice.code for choice in item.choices)
    return [item.unit, *flags], choices, sorted(item.allowed_file_types)


def _digest(content: object) -> str:
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()
