"""What a template was made for, property by property, so that what has changed can be named.

A fingerprint says that something is otherwise; the traits of each property say which one, and in
what. They travel in the template's stamps, hence they are short.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from feedtool.areas.products.catalog.model import Property

_LETTERS = 6
"""Hexadecimal digits of a part: two lists that differ are taken for one once in 16 million."""
_WRITTEN = re.compile(
    rf"([0-9A-Za-z]{{1,50}}):([A-Z])([0-9a-f]{{{_LETTERS}}})([0-9a-f]{{{_LETTERS}}})"
)


class Traits(NamedTuple):
    """What the cells of a property depend on."""

    necessity: str
    """The first letter of it: M, R or O."""
    form: str
    """Of its unit, what values it takes, and how many."""
    choices: str


def traits_of(item: Property) -> Traits:
    """A property's traits; its label does not count, nor the order of its choices."""
    form = (
        item.unit,
        item.is_ranged,
        item.is_numeric,
        item.is_multiple,
        item.is_variation,
        item.is_size,
        sorted(item.allowed_file_types),
    )
    choices = sorted(choice.code for choice in item.choices)
    return Traits(str(item.necessity)[0], _short(form), _short(choices))


def written(properties: Iterable[Property]) -> Iterator[str]:
    """Each property with its traits; one whose reference could not be read again is left out."""
    for item in properties:
        text = f"{item.reference}:{''.join(traits_of(item))}"
        if _WRITTEN.fullmatch(text):
            yield text


def read(texts: Iterable[str]) -> Mapping[str, Traits]:
    """The traits by reference; what was not written here is passed over."""
    result = filter(None, map(_WRITTEN.fullmatch, texts))
    return {item[1]: Traits(*item.groups()[1:]) for item in result}


def _short(told: object) -> str:
    text = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()[:_LETTERS]
