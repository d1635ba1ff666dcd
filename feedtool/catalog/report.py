"""Reports about the catalogue: of a search, of one category, of a sync."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TextIO

from feedtool.catalog import Brand, Catalog, Category, Necessity, Property
from feedtool.catalog.cache import Saved
from feedtool.catalog.model import Origin
from feedtool.catalog.sync import Synced
from feedtool.model.text import MessageText, Translator, joined, plural, tr
from feedtool.report.as_json import dumped, write_entries
from feedtool.report.plain import clean, shorten

Fields = dict[str, Any]

FEW_CHOICES = 60
"""Characters shown of a property's choices, unless verbose."""

LONGEST_LABEL = 60


def describe_origin(origin: Origin) -> MessageText:
    """Return `https://… in en, synced 2026-03-01 14:02 UTC`."""
    moment = origin.synced_at
    when = tr("synced {time}", time=_minute(moment)) if moment else tr("sync never finished")
    return tr(
        "{service} in {language}, {when}",
        service=clean(origin.service),
        language=origin.language,
        when=when,
    )


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


# Search.


def write_results(
    results: Sequence[Category | Brand], out: TextIO, form: str, say: Translator
) -> None:
    """Write the results of a search, as a table or as a list in JSON."""
    if form != "text":
        write_entries(map(_result_fields, results), out, form)
        return
    categories = [item for item in results if isinstance(item, Category)]
    brands = [item for item in results if isinstance(item, Brand)]
    if categories:
        _write_categories(categories, out, say)
    if brands:
        out.write("\n" if categories else "")
        _write_table((tr("CODE"), tr("BRAND")), brands, out, say)


def _write_categories(categories: Iterable[Category], out: TextIO, say: Translator) -> None:
    endings = {True: "", False: f"  ({say(tr('not active'))})"}
    rows = (
        (item.reference, str(item.level), item.full_path + endings[item.is_active])
        for item in categories
    )
    _write_table((tr("CODE"), tr("LEVEL"), tr("CATEGORY")), rows, out, say)


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

_NECESSITIES = {
    Necessity.MANDATORY: tr("Required"),
    Necessity.RECOMMENDED: tr("Recommended"),
    Necessity.OPTIONAL: tr("Optional"),
}


def write_category(
    catalog: Catalog,
    category: Category,
    out: TextIO,
    form: str,
    say: Translator,
    *,
    is_verbose: bool,
) -> None:
    """Write a category with its properties; above the deepest level, with its subcategories."""
    if form != "text":
        out.write(dumped(_category_fields(catalog, category)) + "\n")
        return
    facts: tuple[MessageText, ...] = (
        tr("level {level}", level=category.level),
        tr("active") if category.is_active else tr("not active"),
        tr("brand required") if category.is_brand_mandatory else tr("brand optional"),
        tr("variants possible") if category.is_variant else tr("no variants"),
    )
    out.write(clean(f"{category.reference}  {category.full_path}") + "\n")
    out.write(f"{say(joined(facts))}\n")
    properties = catalog.properties(category.reference)
    if properties is None:
        out.write(say(tr("products go into categories of level 3")) + "\n\n")
        inside = (item for item in catalog.categories.values() if item.parent == category.reference)
        _write_categories(sorted(inside), out, say)
        return
    mandatory = sum(item.is_mandatory for item in properties)
    facts = (
        plural("{count:,} property", "{count:,} properties", len(properties)),
        tr("{count} required", count=mandatory),
    )
    if checked := catalog.checked_at(category.reference):
        facts += (tr("as of {time}", time=_minute(checked)),)
    out.write(f"{say(joined(facts))}\n\n")
    rows = (
        (
            *(item.reference, _NECESSITIES[item.necessity], shorten(item.label, LONGEST_LABEL)),
            *(_value(item), item.unit or "", _choices(item, is_verbose=is_verbose)),
        )
        for item in properties
    )
    heads = (tr("CODE"), tr("NECESSITY"), tr("LABEL"), tr("VALUE"), tr("UNIT"), tr("CHOICES"))
    _write_table(heads, rows, out, say)


def _value(item: Property) -> MessageText:
    """Return the kind of its values: `number`, `choice, several`, `file (pdf)`."""
    kind = tr("number") if item.is_numeric else tr("text")
    if item.is_ranged:
        kind = tr("choice")
    if item.allowed_file_types:
        kind = tr("file ({types})", types=joined(item.allowed_file_types))
    more = {
        tr("several"): item.is_multiple,
        tr("variation"): item.is_variation,
        tr("size"): item.is_size,
    }
    return joined([kind, *(word for word, is_so in more.items() if is_so)])


def _choices(item: Property, *, is_verbose: bool) -> str:
    if not item.choices:
        return ""
    text = ", ".join(
        label if label == code else f"{label} ({code})" for code, label in item.choices
    )
    count = tr("{count:,}", count=len(item.choices))
    return joined((count, text if is_verbose else shorten(text, FEW_CHOICES)), ": ")


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


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


# A sync.


def write_synced(synced: Synced, out: TextIO, form: str, say: Translator) -> None:
    if form != "text":
        out.write(dumped(_synced_fields(synced)) + "\n")
        return
    origin = describe_origin(Origin(synced.service, synced.language, synced.ended_at))
    missing = len(synced.missing_properties)
    properties = synced.properties.total() + synced.resumed
    lines = (
        tr("Catalogue of {origin}", origin=origin),
        joined(
            (
                tr("Categories: {count:,}", count=synced.categories.total()),
                *_changes(synced.categories, removed=synced.removed.categories),
            )
        ),
        joined(
            (
                tr("Brands: {count:,}", count=synced.brands.total()),
                *_changes(synced.brands, removed=synced.removed.brands),
            )
        ),
        joined(
            (
                plural(
                    "Properties of {count:,} category",
                    "Properties of {count:,} categories",
                    properties,
                ),
                *_changes(synced.properties, missing=missing, kept=synced.resumed),
            )
        ),
    )
    out.writelines(f"{say(line)}\n" for line in lines)


def _changes(
    counts: Counter[Saved], *, removed: int = 0, missing: int = 0, kept: int = 0
) -> Iterator[MessageText]:
    """Yield `3 new`, `1 changed`."""
    if count := counts[Saved.NEW]:
        yield tr("{count:,} new", count=count)
    if count := counts[Saved.CHANGED]:
        yield tr("{count:,} changed", count=count)
    if removed:
        yield tr("{count:,} removed", count=removed)
    if missing:
        yield tr("{count:,} missing", count=missing)
    if kept:
        yield tr("{count:,} downloaded before the sync was stopped", count=kept)


def _synced_fields(synced: Synced) -> Fields:
    return {
        "service": synced.service,
        "language": synced.language,
        "syncedAt": _iso(synced.ended_at),
        "categories": _counts(synced.categories) | {"removed": synced.removed.categories},
        "brands": _counts(synced.brands) | {"removed": synced.removed.brands},
        "properties": {
            **_counts(synced.properties),
            "resumed": synced.resumed,
            "missing": [
                {"categoryReference": item.category, "reason": item.reason}
                for item in synced.missing_properties
            ],
        },
        "warnings": synced.warnings,
    }


def _counts(counts: Counter[Saved]) -> Fields:
    return {str(difference): counts[difference] for difference in Saved}


def _write_table(
    heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], out: TextIO, say: Translator
) -> None:
    """Write columns as wide as their cells; the last cell of each row is not padded."""
    cleaned = [tuple(clean(say(cell)) for cell in row) for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cleaned, strict=True)]
    for row in cleaned:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")
