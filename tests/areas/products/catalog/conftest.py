"""A small catalogue, made by hand."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.products.catalog import Brand, Catalog, Category, Property, PropertyChoice
from feedtool.areas.products.catalog.model import Listed, Origin, with_paths
from tests import catalogues

T0 = datetime(2026, 3, 1, 14, 2, tzinfo=UTC)
SERVICE = "https://service.example/v2"


def category(reference: str, label: str, **changes: Any) -> Category:
    """A category whose parent is what its reference begins with."""
    return catalogues.category(reference, label)._replace(**changes)


def prop(reference: str = "3263", **changes: Any) -> Property:
    """An optional text."""
    usual: dict[str, Any] = {"reference": reference, "index": 1, "label": "Colour"}
    return replace(catalogues.PLAIN, **(usual | changes))


def choices(*labels: str) -> tuple[PropertyChoice, ...]:
    """Choices with but one text."""
    return tuple(PropertyChoice(label, label) for label in labels)


TREE = (
    category("0A", "Home"),
    category("0A01", "Kitchen"),
    category("0A0101", "Kettles", is_brand_mandatory=True),
    category("0A0102", "Café machines", is_variant=True),
    category("0A0103", "Old kettles", is_active=False),
    category("0B", "Garden"),
    category("0B01", "Kitchen gardens"),
    category("0B0101", "Seeds"),
)
NAMES = ("Nestlé", "L\u2019Oréal", "Kettler", "NESTLE")
BRANDS = tuple(Brand(str(number), name) for number, name in enumerate(NAMES, start=1))


def catalog(
    properties: Mapping[str, tuple[Property, ...]] | None = None,
    categories: Iterable[Category] = TREE,
) -> Catalog:
    """A catalogue in memory."""
    known = properties or {}
    return Catalog(
        Origin(SERVICE, "en", T0),
        with_paths({item.reference: item for item in categories}),
        lambda reference: Listed(known[reference], T0) if reference in known else None,
        lambda: BRANDS,
    )
