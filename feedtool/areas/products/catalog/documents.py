"""Properties and times as text: how the cache and the excerpts keep them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.products.catalog.model import Necessity, Property, PropertyChoice


def document_of(properties: Sequence[Property]) -> str:
    """The properties of a category as JSON: equal lists give equal texts."""
    told = [[getattr(item, name) for name in Property.__slots__] for item in properties]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def properties_of(document: str) -> tuple[Property, ...]:
    """From what `document_of` made."""
    return tuple(
        _property(dict(zip(Property.__slots__, item, strict=True))) for item in json.loads(document)
    )


def _property(told: dict[str, Any]) -> Property:
    told["necessity"] = Necessity(told["necessity"])
    told["choices"] = tuple(PropertyChoice(*choice) for choice in told["choices"])
    told["allowed_file_types"] = tuple(told["allowed_file_types"])
    return Property(**told)


def stamp(at: datetime) -> str:
    """A time in UTC, so written that it sorts as text."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """From what `stamp` made."""
    return datetime.fromisoformat(text)
