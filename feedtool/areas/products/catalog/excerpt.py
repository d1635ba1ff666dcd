"""What checks have asked of the catalogue, kept so that they find the same at any time.

A file of products is checked again when its answers are written beside the rows: days later, when
a sync may have changed the cache, or somebody has removed it. What was right when it was sent
stays so. So what the first check was told is kept with the run: all categories, the properties of
those that were looked at, and the brands where one was looked for. Whoever asks the same question
of the excerpt gets the same answer.
"""

import json
from collections.abc import Callable
from typing import Any

from feedtool.areas.products.catalog.documents import document_of, moment, properties_of, stamp
from feedtool.areas.products.catalog.lookup import Catalog, Listed, Origin
from feedtool.areas.products.catalog.model import Brand, Category

Wanted = Callable[[str | None], Catalog | None]

ANY = ""
"""In the place of a language: none was asked for."""


class Consulted:
    """A catalogue that is asked, in one language or several, and remembers what it was asked."""

    def __init__(self, wanted: Wanted) -> None:
        """In front of what opens the catalogue in a language, or in any."""
        self._wanted = wanted
        self._found: dict[str | None, Catalog | None] = {}

    def __call__(self, language: str | None) -> Catalog | None:
        """The catalogue; None where there is none."""
        if language not in self._found:
            self._found[language] = self._wanted(language)
        return self._found[language]

    def excerpt(self) -> bytes | None:
        """What was told as JSON; None where nobody has asked."""
        if not self._found:
            return None
        told = {
            language or ANY: None if catalog is None else _told(catalog)
            for language, catalog in self._found.items()
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def from_excerpt(excerpt: bytes) -> Wanted:
    """What opens the catalogue as it was, in place of the one of today."""
    told: dict[str, Any] = json.loads(excerpt)
    opened: dict[str, Catalog | None] = {}

    def wanted(language: str | None) -> Catalog | None:
        name = language or ANY
        if name not in opened:
            result = told.get(name)
            opened[name] = None if result is None else _catalog(result)
        return opened[name]

    return wanted


def _told(catalog: Catalog) -> dict[str, Any]:
    origin, seen = catalog.origin, catalog.seen()
    return {
        "service": origin.service,
        "language": origin.language,
        "synced_at": stamp(origin.synced_at) if origin.synced_at else None,
        "categories": list(catalog.categories.values()),
        "listed": {
            code: None if item is None else [document_of(item.properties), stamp(item.checked_at)]
            for code, item in seen.listed.items()
        },
        "brands": list(seen.brands),
    }


def _catalog(told: dict[str, Any]) -> Catalog:
    synced = told["synced_at"]
    categories = [_category(item) for item in told["categories"]]
    listed = {
        code: None if item is None else Listed(properties_of(item[0]), moment(item[1]))
        for code, item in told["listed"].items()
    }
    return Catalog(
        Origin(told["service"], told["language"], moment(synced) if synced else None),
        {item.reference: item for item in categories},
        listed.get,
        lambda: [Brand(*item) for item in told["brands"]],
    )


def _category(told: list[Any]) -> Category:
    result = Category(*told)
    return result._replace(path=tuple(result.path))
