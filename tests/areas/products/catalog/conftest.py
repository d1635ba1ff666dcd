"""A small catalogue, made by hand."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from feedtool.areas.products.catalog import (
    Brand,
    Catalog,
    Category,
    Necessity,
    Property,
    PropertyChoice,
)
from feedtool.areas.products.catalog.lookup import Listed, Origin
from feedtool.areas.products.catalog.tree import with_paths

T0 = datetime(2026, 3, 1, 14, 2, tzinfo=UTC)
SERVICE = "https://service.example/v2"

LEVELS = {2: 1, 4: 2, 6: 3}


def category(reference: str, label: str, **changes: Any) -> Category:
    """A category whose parent is what its reference begins with."""
    usual = Category(
        reference=reference,
        label=label,
        level=LEVELS[len(reference)],
        is_active=True,
        parent=reference[:-2] or None,
        path=(label,),
        is_brand_mandatory=False,
        is_variant=False,
    )
    return usual._replace(**changes)


def prop(reference: str = "3263", **changes: Any) -> Property:
    """An optional text."""
    usual: dict[str, Any] = {
        "reference": reference,
        "index": 1,
        "necessity": Necessity.OPTIONAL,
        "label": "Colour",
        "unit": None,
        "is_ranged": False,
        "is_numeric": False,
        "is_multiple": False,
        "is_variation": False,
        "is_size": False,
        "choices": (),
        "allowed_file_types": (),
    }
    return Property(**(usual | changes))


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
BRANDS = (
    Brand("1", "Nestlé"),
    Brand("2", "L\u2019Oréal"),
    Brand("3", "Kettler"),
    Brand("4", "NESTLE"),
)


def catalog(
    properties: Mapping[str, tuple[Property, ...]] | None = None,
    categories: Iterable[Category] = TREE,
    brands: Iterable[Brand] = BRANDS,
) -> Catalog:
    """A catalogue in memory."""
    known = properties or {}
    return Catalog(
        Origin(SERVICE, "en", T0),
        with_paths({one.reference: one for one in categories}),
        lambda reference: Listed(known[reference], T0) if reference in known else None,
        lambda: brands,
    )
