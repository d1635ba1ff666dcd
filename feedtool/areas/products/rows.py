"""What a product of the service becomes: a row of its category's columns. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from feedtool.areas.products.catalog import Catalog, Property
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns.attribute import RETIRED, SEPARATOR
from feedtool.areas.products.template_shared import offered
from feedtool.areas.products.wire.sheets import ProductSheet, SheetAttribute, SheetSeller
from feedtool.feeds.export import ExportTally, KeyedRow, MadeRow
from feedtool.model.cells import Value

LEFT, PICTURES = "left", "pictures"
"""What is tallied: values that no cell can hold, by their property; pictures without a column."""

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_TWO_MEANINGS = re.compile(r"-?[0-9]{1,3}\.[0-9]{3}")
"""A number whose point might separate thousands."""

VALUES, URLS = "values:", "urls:"
"""Before a propertyReference: what its attribute says, one a line, until its cell is known."""
LINE = "\0"


def flat(sheet: ProductSheet, own: SheetSeller) -> Iterator[tuple[str, Value]]:
    """A product under the keys of common columns; attributes wait for their category."""
    yield columns.GTIN, sheet.gtin
    yield columns.REFERENCE, own.product_reference
    yield columns.TITLE, sheet.label
    yield columns.DESCRIPTION, sheet.description
    yield columns.BRAND, sheet.brand
    yield columns.CATEGORY, sheet.category
    yield columns.LANGUAGE, sheet.language
    yield columns.GTIN_REFERENCE, own.gtin_reference
    yield columns.MARKETING, sheet.marketing_description
    yield columns.GROUP, sheet.group
    for index, url in sheet.pictures.items():
        yield columns.picture_key(index), url
    for reference, attribute in sheet.attributes.items():
        yield VALUES + reference, LINE.join(attribute.values)
        yield URLS + reference, LINE.join(attribute.urls)


class ProductRows:
    """Makes the rows of products, once it is known which categories they are of.

    Args:
        catalog: The local catalogue, in the language of the sheet.
        known: The same in a language, where there is one.
        codes: The categories.
    """

    def __init__(
        self,
        catalog: Catalog,
        known: Callable[[str | None], Catalog | None],
        codes: Iterable[str],
    ) -> None:
        self._catalog, self._known = catalog, known
        self._properties = {
            code: {one.reference: one for one in catalog.properties(code) or ()} for code in codes
        }
        self._cells: dict[tuple[str, str, str], PropertyCells] = {}

    def row(self, product: KeyedRow) -> MadeRow:
        """A product under the keys of its columns; the tally says what has no place in them."""
        row: dict[str, Value] = {}
        tally: ExportTally = Counter()
        category = str(product[columns.CATEGORY])
        language = str(product.get(columns.LANGUAGE) or "")[:2].lower()
        for key, value in product.items():
            name, _, reference = key.partition(":")
            if not reference:
                row[key] = value
            elif reference.upper() != RETIRED:
                texts = tuple(str(value).split(LINE))
                is_values = f"{name}:" == VALUES
                attribute = SheetAttribute(texts, ()) if is_values else SheetAttribute((), texts)
                cell = self._cell(category, reference, language, attribute)
                if cell is not None:
                    row[reference] = cell
                elif reference not in row:
                    tally[LEFT, reference] += 1
        for key in [key for key in row if key.startswith(_PICTURE) and key not in _PICTURES]:
            del row[key]
            tally[PICTURES, ""] += 1
        return MadeRow(row, tally)

    def _cell(
        self, category: str, reference: str, language: str, attribute: SheetAttribute
    ) -> Value:
        one = self._properties[category].get(reference)
        if one is None:
            return None
        key = category, reference, language
        if key not in self._cells:
            self._cells[key] = PropertyCells(one, self._other(category, reference, language))
        return self._cells[key].cell(attribute)

    def _other(self, category: str, reference: str, language: str) -> Property | None:
        """The property as the catalogue in the product's language has it."""
        if language == self._catalog.language:
            return None
        other = self._known(language)
        if other is None or other.language != language:
            return None
        found = other.properties(category) or ()
        return next((one for one in found if one.reference == reference), None)


_PICTURE = columns.picture_key(1)[:-1]
_PICTURES = frozenset(columns.PICTURE_KEYS)


class PropertyCells:
    """What the cells of one category's property hold.

    Args:
        one: The property.
        other: The same in the language of the products, where that is another one.
    """

    def __init__(self, one: Property, other: Property | None = None) -> None:
        self._one = one
        told = dict(zip((choice.code for choice in one.choices), offered(one.choices), strict=True))
        self._told = {**told}
        for choice in (*(other.choices if other else ()), *one.choices):
            if choice.code in told:
                self._told[choice.label] = told[choice.code]

    def cell(self, attribute: SheetAttribute) -> Value:
        """The cell; None where none could say it."""
        one = self._one
        if one.allowed_file_types:
            return SEPARATOR.join(attribute.urls) or None
        values = [self._told.get(value, value) for value in attribute.values]
        is_split = one.is_multiple or one.is_ranged or one.is_numeric
        if is_split and len(values) > 1 and any(SEPARATOR in value for value in values):
            return None
        if is_split and not one.choices and any(SEPARATOR in value for value in values):
            return None
        if len(values) == 1 and one.is_numeric and not one.choices and not one.is_multiple:
            return _number(values[0])
        if one.is_numeric:
            values = [_clear(value) for value in values]
        return SEPARATOR.join(values) or None


def _number(text: str) -> Value:
    return Decimal(text) if _NUMBER.fullmatch(text) else text


def _clear(text: str) -> str:
    """A number of which nobody can take the point for one that separates thousands."""
    return f"{text}0" if _TWO_MEANINGS.fullmatch(text) else text
