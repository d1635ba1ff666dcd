"""The part of the catalogue that checks have consulted, kept so that they repeat at any time.

A file of products is checked again when its answers are written beside the rows: days later, when
a sync may have changed the cache, or somebody has removed it. What was right when it was sent
stays so. So the answers that the first check got are kept with the run: all categories, the
properties of those that were looked at, and the brands where one was looked for. Whoever asks the
same question of the excerpt gets the same answer.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.products.catalog.lookup import Catalog
from feedtool.areas.products.catalog.model import (
    Brand,
    Category,
    Listed,
    Origin,
    document_of,
    properties_of,
)

OpenCatalog = Callable[[str | None], Catalog | None]
"""Opens the catalogue in a language, or in any; None where there is none."""

ANY = ""
"""In the place of a language: none was asked for."""


class Consulted:
    """A catalogue, in one language or several, that remembers which questions it answered."""

    def __init__(self, opening: OpenCatalog) -> None:
        """In front of the function that opens the catalogue."""
        self._opening = opening
        self._opened: dict[str | None, Catalog | None] = {}

    def __call__(self, language: str | None) -> Catalog | None:
        """The catalogue; None where there is none."""
        if language not in self._opened:
            self._opened[language] = self._opening(language)
        return self._opened[language]

    def excerpt(self) -> bytes | None:
        """The answers as JSON; None where nobody has asked."""
        if not self._opened:
            return None
        content = {
            language or ANY: catalog and _content(catalog)
            for language, catalog in self._opened.items()
        }
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def from_excerpt(excerpt: bytes) -> OpenCatalog:
    """Opens the catalogue as it was, in place of the one of today."""
    content: dict[str, Any] = json.loads(excerpt)
    return Consulted(lambda language: (known := content.get(language or ANY)) and _catalog(known))


def _content(catalog: Catalog) -> dict[str, Any]:
    origin = catalog.origin
    return {
        "service": origin.service,
        "language": origin.language,
        "synced_at": _stamp(origin.synced_at) if origin.synced_at else None,
        "categories": list(catalog.categories.values()),
        "listed": {
            code: item and [document_of(item.properties), _stamp(item.checked_at)]
            for code, item in catalog.consulted.items()
        },
        "brands": list(catalog.consulted_brands),
    }


def _catalog(content: dict[str, Any]) -> Catalog:
    synced = content["synced_at"]
    categories = [Category(*item) for item in content["categories"]]
    listed = {
        code: item and Listed(properties_of(item[0]), datetime.fromisoformat(item[1]))
        for code, item in content["listed"].items()
    }
    return Catalog(
        Origin(content["service"], content["language"], synced and datetime.fromisoformat(synced)),
        {item.reference: item._replace(path=tuple(item.path)) for item in categories},
        listed.get,
        lambda: [Brand(*item) for item in content["brands"]],
    )


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
