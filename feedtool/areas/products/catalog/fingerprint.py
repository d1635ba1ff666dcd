"""Fingerprints of the properties that a template was made for, so that changes can be named.

A category's fingerprint tells that something has changed; those of each property tell which one,
and in what. They travel in the template's stamps, hence they are short.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from feedtool.areas.products.catalog.model import Property

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
    """A short text for all that a sheet made for these properties depends on.

    Two lists in one language have the same one when the same cells are right in both: labels, the
    order of the properties and that of the choices do not count.

    Returns:
        32 hexadecimal digits.
    """
    return _digest(
        [
            [item.reference, str(item.necessity), *_form(item), _choices(item), _types(item)]
            for item in sorted(properties, key=lambda item: item.reference)
        ]
    )[:32]


def fingerprint_of(item: Property) -> PropertyFingerprint:
    """A property's own; its label does not count, nor the order of its choices."""
    form, choices = _digest([*_form(item), _types(item)]), _digest(_choices(item))
    return PropertyFingerprint(str(item.necessity)[0], form[:_LETTERS], choices[:_LETTERS])


def written(properties: Iterable[Property]) -> Iterator[str]:
    """Each property with its own; one whose reference could not be read again is left out."""
    for item in properties:
        text = f"{item.reference}:{''.join(fingerprint_of(item))}"
        if _WRITTEN.fullmatch(text):
            yield text


def read(texts: Iterable[str]) -> Mapping[str, PropertyFingerprint]:
    """Those of `written` by reference; other texts are passed over."""
    result = filter(None, map(_WRITTEN.fullmatch, texts))
    return {item[1]: PropertyFingerprint(*item.groups()[1:]) for item in result}


def _form(item: Property) -> list[Any]:
    flags = (item.is_ranged, item.is_numeric, item.is_multiple, item.is_variation, item.is_size)
    return [item.unit, *flags]


def _choices(item: Property) -> list[str]:
    return sorted(choice.code for choice in item.choices)


def _types(item: Property) -> list[str]:
    return sorted(item.allowed_file_types)


def _digest(content: object) -> str:
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()
