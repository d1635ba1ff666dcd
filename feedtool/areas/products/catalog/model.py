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


class Property(Struct, frozen=True):
    """A property that products of one category can have."""

    reference: str
    """`propertyReference`."""
    index: int
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
    language: str
    """`en`, `fr` or `es`: of the labels."""
    synced_at: datetime | None
    """The end of the last whole sync; None when there was none."""


class Listed(NamedTuple):
    """The properties of a category."""

    properties: tuple[Property, ...]
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


# As text: how the cache and the excerpts keep them.


def as_json(content: object) -> str:
    """Content as JSON: equal content gives equal texts."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def document_of(properties: Sequence[Property]) -> str:
    """The properties of a category as JSON."""
    return as_json([astuple(item) for item in properties])


def properties_of(document: str) -> tuple[Property, ...]:
    """The properties of what `document_of` made."""
    items: list[list[Any]] = json.loads(document)
    for item in items:
        _, _, necessity, *_, choices, types = item
        item[2], item[-1] = Necessity(necessity), tuple(types)
        item[-2] = tuple(PropertyChoice(*choice) for choice in choices)
    return tuple(Property(*item) for item in items)


def stamp(at: datetime) -> str:
    """A time in UTC, so written that it sorts as text."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4`"), "'")

LOOK_ALIKE = str.maketrans("ILOSBZ", "110582")
"""Letters that are read for digits."""

CLOSE = 0.7
"""The likeness, as difflib counts it, from which a name may stand for another."""

SHORTLIST = 100
"""The names that are compared by that likeness: the likeliest by one that is quickly reckoned."""


def folded(name: str) -> str:
    """A name for comparing: `Nestlé ` and `NESTLE` are the same."""
    plain = name.translate(APOSTROPHES)
    if plain.isascii():
        return " ".join(plain.lower().split())
    for _ in range(2):  # twice, for what hides a capital until it is taken apart
        apart = unicodedata.normalize("NFKD", plain.casefold())
        plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(plain.split())


def nearest(wanted: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Those of folded names that a folded name may stand for, the likeliest first."""
    from rapidfuzz import fuzz, process

    # Letters in common count at least as much here as in difflib's likeness, so none is missed.
    alike = process.extract(wanted, list(known), scorer=fuzz.ratio, limit=SHORTLIST)
    return get_close_matches(wanted, [name for name, *_ in alike], n=most, cutoff=CLOSE)


def near_codes(wanted: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Codes in capitals that a mistyped one may stand for, first those that look alike."""
    codes, plain = list(known), wanted.strip().upper()
    seen = plain.translate(LOOK_ALIKE)
    alike = [code for code in codes if code.translate(LOOK_ALIKE) == seen]
    return list(dict.fromkeys([*alike, *nearest(plain, codes, most)]))[:most]


_LETTERS = 6
"""Hexadecimal digits of a part: two lists that differ are taken for one once in 16 million."""
_WRITTEN = re.compile(
    rf"([0-9A-Za-z]{{1,50}}):([A-Z])([0-9a-f]{{{_LETTERS}}})([0-9a-f]{{{_LETTERS}}})"
)


class PropertyFingerprint(NamedTuple):
    """The parts of a property on which its cells depend."""

    necessity: str
    """The first letter of it: M, R or O."""
    form: str
    """Of its unit, what values it takes, and how many."""
    choices: str


def fingerprint(properties: Iterable[Property]) -> str:
    """32 hexadecimal digits for all that a sheet made for these properties depends on.

    Two lists in one language have the same when the same cells are right in both: labels, the
    order of the properties and that of the choices do not count.
    """
    ordered = sorted(properties, key=lambda item: item.reference)
    parts = [([item.reference, str(item.necessity)], *_parts(item)) for item in ordered]
    return _digest([[*head, *form, choices, types] for head, form, choices, types in parts])[:32]


def fingerprint_of(item: Property) -> PropertyFingerprint:
    """A property's own; its label does not count, nor the order of its choices."""
    form, choices, types = _parts(item)
    texts = (_digest([*form, types]), _digest(choices))
    return PropertyFingerprint(str(item.necessity)[0], *(text[:_LETTERS] for text in texts))


def written_fingerprints(properties: Iterable[Property]) -> Iterator[str]:
    """Each property with its own; one whose reference could not be read again is left out."""
    for item in properties:
        text = f"{item.reference}:{''.join(fingerprint_of(item))}"
        if _WRITTEN.fullmatch(text):
            yield text


def read_fingerprints(texts: Iterable[str]) -> Mapping[str, PropertyFingerprint]:
    """Those of `written_fingerprints` by reference; other texts are passed over."""
    result = filter(None, map(_WRITTEN.fullmatch, texts))
    return {item[1]: PropertyFingerprint(*item.groups()[1:]) for item in result}


def _parts(item: Property) -> tuple[list[Any], list[str], list[str]]:
    """Its form, its choices, its types of files."""
    flags = (item.is_ranged, item.is_numeric, item.is_multiple, item.is_variation, item.is_size)
    choices = sorted(choice.code for choice in item.choices)
    return [item.unit, *flags], choices, sorted(item.allowed_file_types)


def _digest(content: object) -> str:
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()
