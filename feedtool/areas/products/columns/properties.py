"""The other columns of a products sheet, from the catalogue, and its rows' categories."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from msgspec import Struct

from feedtool.areas.products.columns import attribute
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns.common import CategoryCode, corrected_code, faults_of
from feedtool.areas.products.settings import ProductSettings
from feedtool.catalog import Catalog, Category, Property
from feedtool.catalog.model import folded
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.feed import (
    Enrich,
    ExtraColumns,
    HeaderContext,
    Layout,
    Row,
    SheetColumns,
    stamped_list,
)
from feedtool.model.cells import BLANK, STAMP_LANGUAGE, Cell, Column, Kind, index_of
from feedtool.model.errors import Exit, FileProblem
from feedtool.model.nouns import Issue
from feedtool.model.settings import CELL, AccountSettings, Context
from feedtool.model.text import tr

ATTRIBUTES = "attributes"
"""The key of the attributes that an enriched row sends, in order."""

STAMP_CATEGORY = "feedtool.category"
STAMP_FINGERPRINT = "feedtool.fingerprint"
STAMP_TRAITS = "feedtool.traits"
"""The prefix of a stamp with the fingerprints of a category's properties."""

_REFERENCE = re.compile(r"[0-9]{1,10}", re.ASCII)
"""The form of a propertyReference (source: real requests)."""
_CODE = re.compile(r"[0-9A-Za-z]{6}(?:[0-9A-Za-z]{2})?", re.ASCII)

_REMEMBERED = 4096
"""The most distinct cells kept for a property in a category."""


class CatalogMissing(FileProblem):
    """There is no local catalogue to check products."""

    code = "catalog-missing"
    exit = Exit.USAGE


class Details(Struct, frozen=True):
    """A row's category and its properties."""

    category: Category
    properties: Mapping[str, Property]
    mandatory: tuple[str, ...]
    """References of mandatory properties."""
    variation: tuple[str, ...]
    """References of the properties in which members of a family differ: size and color."""


def details_of(row: Row) -> Details | None:
    """Return the details of a row's category; None if it takes no products."""
    return row.details if isinstance(row.details, Details) else None


def categories_of(stamp: Mapping[str, str]) -> tuple[str, ...]:
    return stamped_list(stamp, STAMP_CATEGORY)


def only_category(stamp: Mapping[str, str]) -> str | None:
    """Return the category of rows without one, if the sheet was made for exactly one."""
    result = categories_of(stamp)
    return result[0] if len(result) == 1 else None


# Before the rows are read.


def layout(
    rows: Sequence[tuple[int, Sequence[Cell]]],
    header: int,
    keys: Mapping[int, str],
    settings: AccountSettings,
) -> Layout:
    """Return the stamps of the operator's own templates, and the row before their first data row.

    These templates have the category's code in C1, labels above a hidden row of codes, and rows of
    notes below it (source: the field's files; a profile may change this).
    """
    by_number = dict(rows)
    labels = by_number.get(header - 1, ())
    labelled = sum(index < len(labels) and labels[index].kind is Kind.TEXT for index in keys)
    place = CELL.fullmatch(settings.of(ProductSettings).operator_category)
    code = ""
    if place and 2 * labelled > len(keys) and int(place[2]) < header - 1:
        code = _operator_code(by_number.get(int(place[2]), ()), index_of(place[1]))
    if not code:
        return Layout()
    after = header + settings.of(ProductSettings).operator_notes
    cells = by_number.get(after + 1, ())
    gtin = next((index for index, key in keys.items() if key == columns.GTIN), len(cells))
    cell = cells[gtin] if gtin < len(cells) else BLANK
    digits = sum(map(str.isdigit, cell.text))
    if cell.kind is Kind.TEXT and digits < len(cell.text.strip()) / 2:
        after += 1  # a further row of notes, about GTINs
    return Layout({STAMP_CATEGORY: code}, after)


def _operator_code(cells: Sequence[Cell], index: int) -> str:
    cell = cells[index] if index < len(cells) else BLANK
    text = cell.text.strip() if cell.kind in {Kind.TEXT, Kind.NUMBER} else ""
    if cell.kind is Kind.NUMBER and text.isdecimal():
        text = text.zfill(columns.LENGTH)
    return text.upper() if _CODE.fullmatch(text) else ""


def may_be_property(key: str) -> bool:
    return _REFERENCE.fullmatch(key) is not None


def extra_columns(sheet: HeaderContext) -> ExtraColumns:
    """Return the columns of the properties of the sheet's categories.

    Categories are read while there are unknown headers: first the categories that the sheet was
    made for, then those of its rows, and all others if a header can only be a property's reference.

    Raises:
        CatalogMissing: there is no catalogue.
    """
    catalog: Catalog | None = sheet.context.catalog(sheet.stamp.get(STAMP_LANGUAGE))
    if catalog is None or not catalog.categories:
        raise CatalogMissing(
            tr("products are checked by the catalogue, and there is no catalogue here yet"),
            tr("download it with `feedtool catalog sync`"),
        )
    context = sheet.context._replace(catalog=lambda _: catalog)
    matches = _HeaderMatches(sheet.headers, context.settings.columns)
    for code in _codes(sheet, context):
        if not matches.names and not matches.has_labels:
            break  # else another category may have the same label, which then matches none
        matches.look_at(catalog.properties(code) or ())
    if any(map(may_be_property, matches.names)):
        matches.names = set(filter(may_be_property, matches.names))
        for code in catalog.categories:
            if not matches.names:
                break
            matches.look_at(catalog.properties(code) or ())
    return ExtraColumns(context, tuple(matches.columns()))


def _codes(sheet: HeaderContext, context: Context) -> Iterator[str]:
    """Yield the categories that the sheet was made for, then those of its rows, in order."""
    yield from categories_of(sheet.stamp)
    reader = ColumnReader(CategoryCode(), context)
    for cell in sheet.cells(columns.CATEGORY):
        result = reader.cell_type.read(cell, reader)
        code = result.value if isinstance(result, InvalidValue) else result
        if isinstance(code, str):
            yield code


class _HeaderMatches:
    """Unknown headers, and the properties of categories that they match."""

    def __init__(self, headers: Iterable[str], mapping: Mapping[str, str]) -> None:
        mapped = {_bare(header): key for header, key in mapping.items()}
        self.names = {mapped.get(_bare(header), header) for header in headers}
        self.has_labels = False
        self._found: dict[str, Property] = {}
        self._by_label: dict[str, set[str]] = {}

    def look_at(self, properties: Iterable[Property]) -> None:
        """Note the properties of a category, and the headers that match them."""
        new = {item.reference: item for item in properties if item.reference not in self._found}
        names = {_bare(name): name for name in self.names} if new else {}
        for item in new.values():
            self._by_label.setdefault(_bare(item.label), set()).add(item.reference)
            reference, label = names.get(_bare(item.reference)), names.get(_bare(item.label))
            if name := reference or label:
                self.names.discard(name)
            self.has_labels = self.has_labels or bool(label and not reference)
        self._found |= new

    def columns(self) -> Iterator[Column]:
        """Yield a column for each property; a label of several properties matches none."""
        for item in self._found.values():
            is_unique = len(self._by_label[_bare(item.label)]) == 1
            label = item.label if is_unique and item.label else item.reference
            yield Column(item.reference, attribute.PropertyCell(), (label,) * 3, ("", "", ""))


def _bare(header: str) -> str:
    """Return a header without case, blanks, accents and punctuation, for comparisons."""
    return "".join(filter(str.isalnum, folded(header)))


# While the rows are read.


def enrich(sheet: SheetColumns) -> Enrich:
    """Check the properties of rows by their categories, each distinct cell once."""
    catalog: Catalog | None = sheet.context.catalog(None)
    if catalog is None:
        raise CatalogMissing(
            tr("there is no catalogue"), tr("download it with `feedtool catalog sync`")
        )
    sheet_code, category_faults = _sheet_category(sheet.stamp, catalog)
    references = [key for key in sheet.fields if key not in columns.UNDERSTOOD_KEYS]
    categories: dict[str, _RowEnricher] = {}

    def enrich_row(row: Row) -> tuple[Row, Sequence[Issue]]:
        code = row.values.get(columns.CATEGORY)
        faults: list[Issue] = []
        if code is None and columns.CATEGORY not in row.refused:
            code, faults = sheet_code, [*category_faults]
        if code is None:
            return row, faults
        enricher = categories.get(code)
        if enricher is None:
            enricher = _RowEnricher(catalog.categories[code], catalog, references)
            categories[code] = enricher
        return enricher.enrich(row, faults)

    return enrich_row


def _sheet_category(stamp: Mapping[str, str], catalog: Catalog) -> tuple[str | None, list[Issue]]:
    """Return the category of rows without one, and its faults."""
    text = only_category(stamp)
    if text is None:
        return None, []
    code, _ = corrected_code(text, catalog, is_number=False)
    faults = [fault._replace(field=columns.CATEGORY) for fault in faults_of(code, catalog)]
    return (None if faults else code), faults


class _RowEnricher:
    def __init__(self, category: Category, catalog: Catalog, references: Sequence[str]) -> None:
        properties = catalog.properties(category.reference) or ()
        known = {item.reference: item for item in properties}
        self.details = Details(
            category,
            known,
            tuple(item.reference for item in properties if item.is_mandatory),
            tuple(item.reference for item in properties if item.is_variation or item.is_size),
        )
        known_references = [reference for reference in known if reference in references]
        unknown_references = [reference for reference in references if reference not in known]
        self._known = [(name, _JudgedCells(known[name])) for name in known_references]
        self._unknown = [
            (name, attribute.unneeded_value(name, category)) for name in unknown_references
        ]
        # Getters read many keys of a row at once, in C.
        self._known_cells = _getter(known_references)
        self._unknown_cells = _getter(unknown_references)
        self._no_unknown = (None,) * len(unknown_references)

    def enrich(self, row: Row, faults: list[Issue]) -> tuple[Row, Sequence[Issue]]:
        """Return the row with its properties as sent."""
        values = dict(row.values)
        values[columns.CATEGORY] = self.details.category.reference
        refused: list[str] = []
        attributes: list[object] = []
        unknown_cells = self._unknown_cells(values)
        known_cells = self._known_cells(values)
        for written, (reference, judged) in zip(known_cells, self._known, strict=True):
            if written is None:
                continue
            _, (attribute, result) = judged.get(id(written)) or judged.judge(written)
            values[reference] = attribute
            if attribute:
                attributes.append(attribute)
            if result:
                faults += result
                refused.append(reference)
        if unknown_cells != self._no_unknown:
            for written, (reference, fault) in zip(unknown_cells, self._unknown, strict=True):
                if written is not None:
                    values[reference] = None
                    faults.append(fault)
        values[ATTRIBUTES] = attributes
        all_refused = row.refused.union(refused) if refused else row.refused
        return row._replace(values=values, refused=all_refused, details=self.details), faults


def _getter(keys: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function that reads these keys of a dict."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda values: tuple(values[key] for key in keys)


class _JudgedCells(dict[int, tuple[attribute.WrittenProperty, attribute.JudgedValue]]):
    """The results of one category's property for each distinct cell.

    A column's reader returns the same object for equal cells, so its id is the key. The object is
    kept with its result, so that no other object gets the same id.
    """

    def __init__(self, known: Property) -> None:
        super().__init__()
        self._judge = attribute.Judge(known)

    def judge(
        self, written: attribute.WrittenProperty
    ) -> tuple[attribute.WrittenProperty, attribute.JudgedValue]:
        if len(self) > _REMEMBERED:
            self.clear()
        self[id(written)] = result = (written, self._judge.judge(written))
        return result
