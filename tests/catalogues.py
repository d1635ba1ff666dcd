"""A small catalogue made by hand, and rows of products that it finds right."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from feedtool.areas.products.catalog import (
    Brand,
    Catalog,
    Category,
    Necessity,
    Property,
    PropertyChoice,
)
from feedtool.areas.products.catalog.model import Listed, Origin
from feedtool.model.settings import AccountSettings, Context
from tests.conftest import gtin

AT = datetime(2026, 11, 20, tzinfo=UTC)

PLAIN = Property(
    reference="",
    index=0,
    necessity=Necessity.OPTIONAL,
    label="",
    unit=None,
    is_ranged=False,
    is_numeric=False,
    is_multiple=False,
    is_variation=False,
    is_size=False,
    choices=(),
    allowed_file_types=(),
)


def choices(*labels: str) -> tuple[PropertyChoice, ...]:
    """Choices whose codes are numbers of three digits."""
    return tuple(PropertyChoice(f"{100 + number}", label) for number, label in enumerate(labels))


COLOURS = choices("Beige", "Black", "Blue", "Brown")
MANDATORY = Necessity.MANDATORY

ENERGY = replace(
    PLAIN,
    reference="3001",
    label="Energy class",
    necessity=MANDATORY,
    is_ranged=True,
    choices=choices("A", "B", "C"),
)
COLOUR = replace(
    PLAIN, reference="3002", label="Main colour", is_ranged=True, is_multiple=True, choices=COLOURS
)
LENGTH = replace(PLAIN, reference="3003", label="Length", is_numeric=True, unit="cm")
MATERIAL = replace(PLAIN, reference="3004", label="Material")
FEATURES = replace(PLAIN, reference="3005", label="Features", is_multiple=True)
MANUAL = replace(PLAIN, reference="3006", label="Manual", allowed_file_types=("pdf",))
LABELS = replace(
    PLAIN,
    reference="3007",
    label="Certificates",
    is_multiple=True,
    allowed_file_types=("pdf", "jpg"),
)
STORAGE = replace(
    PLAIN,
    reference="3008",
    label="Storage",
    unit="GB",
    is_ranged=True,
    is_numeric=True,
    choices=tuple(PropertyChoice(size, size) for size in ("64", "128", "0.5")),
)
SPEEDS = replace(
    PLAIN, reference="3009", label="Speeds", unit="Mbit/s", is_numeric=True, is_multiple=True
)
SHARE = replace(PLAIN, reference="3010", label="Recycled share", unit="%", is_numeric=True)
CDAV = replace(PLAIN, reference="CDAV", label="CDAV code")
SIZE = replace(
    PLAIN,
    reference="4001",
    label="Size",
    is_ranged=True,
    is_variation=True,
    is_size=True,
    choices=choices("S", "M", "L"),
)
SHADE = replace(
    PLAIN, reference="4002", label="Shade", is_ranged=True, is_variation=True, choices=COLOURS
)
SLEEVE = replace(PLAIN, reference="4003", label="Sleeve")

KETTLES = (ENERGY, COLOUR, LENGTH, MATERIAL, FEATURES, MANUAL, LABELS, STORAGE, SPEEDS, SHARE, CDAV)
SHIRTS = (SIZE, SHADE, SLEEVE)


def category(reference: str, label: str, *changes: str) -> Category:
    """An active category of the level that its reference tells, as the changes say."""
    return Category(
        reference=reference,
        label=label,
        level=len(reference) // 2,
        is_active="inactive" not in changes,
        parent=reference[:-2] or None,
        path=(label,),
        is_brand_mandatory="brand" in changes,
        is_variant="variant" in changes,
    )


CATEGORIES = (
    category("01", "Home"),
    category("0101", "Kitchen"),
    category("010101", "Kettles"),
    category("010102", "Shirts", "variant"),
    category("010103", "Trousers", "variant"),
    category("010104", "Branded kettles", "brand"),
    category("010105", "Closed kettles", "inactive"),
    category("010106", "Kettles not brought"),
    category("1E0203", "Cups"),
)
PROPERTIES = {
    "010101": KETTLES,
    "010102": SHIRTS,
    "010103": SHIRTS,
    "010104": KETTLES,
    "010105": KETTLES,
    "1E0203": (MATERIAL,),
}
BRANDS = ("Maison Alder", "Café Brume", "Nestlé")


def catalog_of(
    properties: Mapping[str, tuple[Property, ...]],
    categories: Iterable[Category] = CATEGORIES,
    brands: Iterable[str] = BRANDS,
    language: str = "en",
) -> Catalog:
    """A catalogue of these properties by category."""
    return Catalog(
        Origin("https://service.example/v2", language, AT),
        {one.reference: one for one in categories},
        lambda reference: Listed(properties[reference], AT) if reference in properties else None,
        lambda: [Brand(str(number), name) for number, name in enumerate(brands, start=1)],
    )


CATALOG = catalog_of(PROPERTIES)


def judging(catalog: Catalog | None = None, dialect: AccountSettings | None = None) -> Context:
    """A context that judges products by a catalogue."""
    known = catalog or CATALOG
    return Context(dialect or AccountSettings(), lambda _: known)


def product(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of a kettle; a change of None leaves the column out.

    In front of a property's reference stands `p`: `p3001`.
    """
    row = {
        "gtin": gtin(number),
        "sellerProductReference": f"SKU-{number}",
        "title": "Electric kettle",
        "description": "Boils a litre in three minutes.",
        "sellerPictureUrls_1": "https://shop.example/kettle.jpg",
        "brand": "Maison Alder",
        "categoryCode": "010101",
        "language": "en-US",
        "3001": "A",
    }
    return _changed(row, changes)


def shirt(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of a shirt, a variant."""
    row = {**product(number), "categoryCode": "010102"}
    del row["3001"]
    row |= {"variantGroupReference": "SHIRT-7", "4001": "M", "4002": "Blue"}
    return _changed(row, changes)


def _changed(row: dict[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    for name, value in changes.items():
        key = name.removeprefix("p") if name[1:].isdigit() else name
        if value is None:
            row.pop(key, None)
        else:
            row[key] = value
    return row
