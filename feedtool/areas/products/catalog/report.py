"""The reports about the catalogue: of a search, of one category, of a sync."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TextIO

from feedtool.areas.products.catalog import Brand, Catalog, Category, Property
from feedtool.areas.products.catalog.cache import Saved
from feedtool.areas.products.catalog.model import Origin
from feedtool.areas.products.catalog.sync import Synced
from feedtool.report.as_json import dumped, write_entries
from feedtool.report.plain import clean, counted, shorten

Fields = dict[str, Any]

FEW_CHOICES = 60
"""Characters of a property's choices that are shown unless all were asked for."""

LONGEST_LABEL = 60


def describe_origin(origin: Origin) -> str:
    """`https://… in en, synced 2026-03-01 14:02 UTC`."""
    at = origin.synced_at
    when = f"synced {_minute(at)}" if at else "never brought to its end"
    return f"{origin.service} in {origin.language}, {when}"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


# Search.


def write_results(results: Sequence[Category | Brand], out: TextIO, form: str) -> None:
    """The results of a search: as a table, or as a list in JSON."""
    if form == "json":
        write_entries(map(_result_fields, results), out)
        return
    categories = [item for item in results if isinstance(item, Category)]
    brands = [item for item in results if isinstance(item, Brand)]
    if categories:
        _write_categories(categories, out)
    if brands:
        out.write("\n" if categories else "")
        _write_table(("CODE", "BRAND"), brands, out)


def _write_categories(categories: Iterable[Category], out: TextIO) -> None:
    endings = {True: "", False: "  (not active)"}
    rows = (
        (item.reference, str(item.level), item.full_path + endings[item.is_active])
        for item in categories
    )
    _write_table(("CODE", "LEVEL", "CATEGORY"), rows, out)


def _result_fields(item: Category | Brand) -> Fields:
    if isinstance(item, Brand):
        return {"type": "brand", "brandReference": item.reference, "name": item.name}
    return {"type": "category", **_head(item)}


def _head(category: Category) -> Fields:
    return {
        "categoryReference": category.reference,
        "level": category.level,
        "isActive": category.is_active,
        "label": category.label,
        "path": category.full_path,
    }


# One category.


def write_category(
    catalog: Catalog, category: Category, out: TextIO, form: str, *, is_verbose: bool = False
) -> None:
    """A category with its properties; above the deepest level, with the categories in it."""
    if form == "json":
        out.write(dumped(_category_fields(catalog, category)) + "\n")
        return
    facts = (
        f"level {category.level}",
        "active" if category.is_active else "not active",
        "brand mandatory" if category.is_brand_mandatory else "brand optional",
        "variants possible" if category.is_variant else "no variants",
    )
    out.write(clean(f"{category.reference}  {category.full_path}") + "\n")
    out.write(f"{', '.join(facts)}\n")
    properties = catalog.properties(category.reference)
    if properties is None:
        out.write("products go into categories of level 3\n\n")
        inside = (item for item in catalog.categories.values() if item.parent == category.reference)
        _write_categories(sorted(inside), out)
        return
    mandatory = sum(item.is_mandatory for item in properties)
    count = counted(len(properties), "property", "properties")
    at = catalog.checked_at(category.reference)
    out.write(f"{count}, {mandatory} mandatory{f', as of {_minute(at)}' if at else ''}\n\n")
    rows = (
        (
            *(item.reference, str(item.necessity), shorten(item.label, LONGEST_LABEL)),
            *(_value(item), item.unit or "", _choices(item, is_verbose=is_verbose)),
        )
        for item in properties
    )
    _write_table(("CODE", "NECESSITY", "LABEL", "VALUE", "UNIT", "CHOICES"), rows, out)


def _value(item: Property) -> str:
    """The kind of its values: `number`, `choice, several`, `file (pdf)`."""
    kind = "number" if item.is_numeric else "text"
    if item.is_ranged:
        kind = "choice"
    if item.allowed_file_types:
        kind = f"file ({', '.join(item.allowed_file_types)})"
    more = {"several": item.is_multiple, "variation": item.is_variation, "size": item.is_size}
    return ", ".join([kind, *(word for word, is_so in more.items() if is_so)])


def _choices(item: Property, *, is_verbose: bool) -> str:
    if not item.choices:
        return ""
    text = ", ".join(
        label if label == code else f"{label} ({code})" for code, label in item.choices
    )
    return f"{len(item.choices):,}: {text if is_verbose else shorten(text, FEW_CHOICES)}"


def _category_fields(catalog: Catalog, category: Category) -> Fields:
    reference = category.reference
    properties = catalog.properties(reference)
    return {
        **_head(category),
        "parentReference": category.parent,
        "isBrandMandatory": category.is_brand_mandatory,
        "isVariant": category.is_variant,
        "service": catalog.origin.service,
        "language": catalog.language,
        "syncedAt": _iso(catalog.synced_at),
        "checkedAt": _iso(catalog.checked_at(reference)),
        "fingerprint": catalog.fingerprint(reference),
        "properties": None if properties is None else [*map(_property_fields, properties)],
    }


def _property_fields(item: Property) -> Fields:
    return {
        "propertyReference": item.reference,
        "index": item.index,
        "necessity": item.necessity,
        "label": item.label,
        "unit": item.unit,
        "isRanged": item.is_ranged,
        "isNumeric": item.is_numeric,
        "isMultiple": item.is_multiple,
        "isVariation": item.is_variation,
        "isSize": item.is_size,
        "choices": [choice.code for choice in item.choices],
        "choiceLabels": {code: label for code, label in item.choices if label != code},
        "allowedFileTypes": list(item.allowed_file_types),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None


# A sync.


def write_synced(synced: Synced, out: TextIO, form: str) -> None:
    """The result of a sync."""
    if form == "json":
        out.write(dumped(_synced_fields(synced)) + "\n")
        return
    origin = describe_origin(Origin(synced.service, synced.language, synced.at))
    missing = len(synced.lacks)
    out.write(clean(f"Catalogue of {origin}") + "\n")
    out.write(_line("Categories", synced.categories, removed=synced.removed.categories))
    out.write(_line("Brands", synced.brands, removed=synced.removed.brands))
    out.write(_line("Properties of", synced.properties, kept=synced.resumed, missing=missing))


def _line(what: str, counts: Counter[Saved], **more: int) -> str:
    """`Categories: 388, 3 new, 1 changed`."""
    total = counts.total() + more.get("kept", 0)
    words = {"new": counts[Saved.NEW], "changed": counts[Saved.CHANGED], **more}
    words["brought before the sync was stopped"] = words.pop("kept", 0)
    parts = ["", *(f"{number:,} {word}" for word, number in words.items() if number)]
    if what.endswith(" of"):
        return f"{what} {counted(total, 'category', 'categories')}{', '.join(parts)}\n"
    return f"{what}: {total:,}{', '.join(parts)}\n"


def _synced_fields(synced: Synced) -> Fields:
    return {
        "service": synced.service,
        "language": synced.language,
        "syncedAt": _iso(synced.at),
        "categories": _counts(synced.categories) | {"removed": synced.removed.categories},
        "brands": _counts(synced.brands) | {"removed": synced.removed.brands},
        "properties": {
            **_counts(synced.properties),
            "resumed": synced.resumed,
            "missing": [
                {"categoryReference": item.category, "reason": item.reason} for item in synced.lacks
            ],
        },
        "warnings": synced.warnings,
    }


def _counts(counts: Counter[Saved]) -> Fields:
    return {str(how): counts[how] for how in Saved}


def _write_table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], out: TextIO) -> None:
    """Columns as wide as what is in them; the last of each row as long as it is."""
    cleaned = [heads, *(tuple(map(clean, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cleaned, strict=True)]
    for row in cleaned:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")
