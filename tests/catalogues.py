"""Two small catalogues made by hand, and rows of products that are valid by the first."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from feedtool.catalog import (
    Brand,
    Catalog,
    Category,
    Necessity,
    Property,
    PropertyChoice,
)
from feedtool.catalog.model import CheckedProperties, Origin, with_paths
from feedtool.model.settings import AccountSettings, Context
from tests.conftest import changed, gtin

AT = datetime(2026, 3, 1, 14, 2, tzinfo=UTC)
SERVICE = "https://service.example/v2"
MANDATORY, RECOMMENDED, OPTIONAL = Necessity


KINDS = ("ranged", "numeric", "multiple", "variation", "size")


def prop(reference: str = "3263", **changes: Any) -> Property:
    """A property, by default an optional text."""
    usual: dict[str, Any] = {f"is_{name}": False for name in KINDS}
    usual |= {"index": 1, "necessity": OPTIONAL, "label": "Colour", "unit": None}
    usual |= {"choices": (), "allowed_file_types": ()}
    return Property(**{"reference": reference, **usual, **changes})


def choices(*labels: str) -> tuple[PropertyChoice, ...]:
    return tuple(PropertyChoice(label, label) for label in labels)


def coded(*labels: str) -> tuple[PropertyChoice, ...]:
    """Choices whose codes are numbers of three digits."""
    return tuple(PropertyChoice(str(code), label) for code, label in enumerate(labels, start=100))


def category(reference: str, label: str, **changes: Any) -> Category:
    """An active category; its level and parent follow from its reference."""
    usual: dict[str, Any] = {"reference": reference, "label": label, "level": len(reference) // 2}
    usual |= {"is_active": True, "parent": reference[:-2] or None, "path": (label,)}
    return Category(**(usual | {"is_brand_mandatory": False, "is_variant": False} | changes))


COLOURS = coded("Beige", "Black", "Blue", "Brown")
RANGED: dict[str, Any] = {"is_ranged": True}
VARIATION = RANGED | {"is_variation": True}
NUMERIC: dict[str, Any] = {"is_numeric": True}
ENERGY = prop("3001", label="Energy class", necessity=MANDATORY, **RANGED, choices=coded(*"ABC"))
COLOUR = prop("3002", label="Main colour", is_multiple=True, **RANGED, choices=COLOURS)
LENGTH = prop("3003", label="Length", **NUMERIC, unit="cm")
MATERIAL = prop("3004", label="Material")
FEATURES = prop("3005", label="Features", is_multiple=True)
MANUAL = prop("3006", label="Manual", allowed_file_types=("pdf",))
LABELS = prop("3007", label="Certificates", is_multiple=True, allowed_file_types=("pdf", "jpg"))
SIZES = choices("64", "128", "0.5")
STORAGE = prop("3008", label="Storage", unit="GB", **RANGED, **NUMERIC, choices=SIZES)
SPEEDS = prop("3009", label="Speeds", unit="Mbit/s", **NUMERIC, is_multiple=True)
SHARE = prop("3010", label="Recycled share", unit="%", **NUMERIC)
CDAV = prop("CDAV", label="CDAV code")
SIZE = prop("4001", label="Size", **VARIATION, is_size=True, choices=coded(*"SML"))
SHADE = prop("4002", label="Shade", **VARIATION, choices=COLOURS)
SLEEVE = prop("4003", label="Sleeve")
KETTLES = (ENERGY, COLOUR, LENGTH, MATERIAL, FEATURES, MANUAL, LABELS, STORAGE, SPEEDS, SHARE, CDAV)
SHIRTS = (SIZE, SHADE, SLEEVE)

CATEGORIES = (
    category("01", "Home"),
    category("0101", "Kitchen"),
    category("010101", "Kettles"),
    category("010102", "Shirts", is_variant=True),
    category("010103", "Trousers", is_variant=True),
    category("010104", "Branded kettles", is_brand_mandatory=True),
    category("010105", "Closed kettles", is_active=False),
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


def brands_of(*names: str) -> tuple[Brand, ...]:
    return tuple(Brand(str(number), name) for number, name in enumerate(names, start=1))


BRANDS = brands_of("Maison Alder", "Café Brume", "Nestlé")
TREE_BRANDS = brands_of("Nestlé", "L\u2019Oréal", "Kettler", "NESTLE")


def catalog_of(
    properties: Mapping[str, tuple[Property, ...]],
    categories: Iterable[Category] = CATEGORIES,
    brands: Iterable[Brand] = BRANDS,
    language: str = "en",
) -> Catalog:
    """A catalogue with these properties of categories."""
    return Catalog(
        Origin(SERVICE, language, AT),
        with_paths({item.reference: item for item in categories}),
        lambda reference: (
            CheckedProperties(properties[reference], AT) if reference in properties else None
        ),
        lambda: brands,
    )


def catalog(
    properties: Mapping[str, tuple[Property, ...]] | None = None,
    categories: Iterable[Category] = TREE,
) -> Catalog:
    return catalog_of(properties or {}, categories, TREE_BRANDS)


CATALOG = catalog_of(PROPERTIES)


def judging(catalog: Catalog | None = None, dialect: AccountSettings | None = None) -> Context:
    known = catalog or CATALOG
    return Context(dialect or AccountSettings(), lambda _: known)


def product(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of a kettle with changes: `p3001` is property 3001, None leaves a column out."""
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
    return changed(
        row,
        {
            name.removeprefix("p") if name[1:].isdigit() else name: value
            for name, value in changes.items()
        },
    )


def shirt(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of a shirt that is a variant."""
    variant = {"variantGroupReference": "SHIRT-7", "p4001": "M", "p4002": "Blue", "p3001": None}
    return product(number, **{"categoryCode": "010102", **variant, **changes})
