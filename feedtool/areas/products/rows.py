"""Products of the service as rows of their categories' columns. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal

from feedtool.areas.products.catalog import Catalog, Property
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns.attribute import RETIRED, SEPARATOR
from feedtool.areas.products.template_shared import offered
from feedtool.areas.products.wire import LINE, URLS
from feedtool.feeds.export import ExportTally, KeyedRow, MadeRow
from feedtool.model.cells import Value

LEFT, PICTURES = "left", "pictures"
"""Entries of the tally: values that no cell can hold, by property; pictures without a column."""

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_TWO_MEANINGS = re.compile(r"-?[0-9]{1,3}\.[0-9]{3}")
"""A number whose point might separate thousands."""


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
            code: {item.reference: item for item in catalog.properties(code) or ()}
            for code in codes
        }
        self._cells: dict[tuple[str, str, str], PropertyCells] = {}

    def row(self, product: KeyedRow) -> MadeRow:
        """A product under the keys of its columns; the tally counts values without a cell."""
        row: dict[str, Value] = {}
        tally: ExportTally = Counter()
        category = str(product[columns.CATEGORY])
        language = str(product.get(columns.LANGUAGE) or "")[:2].lower()
        for key, value in product.items():
            name, _, reference = key.partition(":")
            if not reference:
                if not key.startswith(_PICTURE) or key in _PICTURES:
                    row[key] = value
                else:
                    tally[PICTURES, ""] += 1
            elif reference.upper() != RETIRED:
                cells = self._property_cells(category, reference, language)
                texts = str(value).split(LINE)
                cell = cells.cell(texts, is_files=f"{name}:" == URLS) if cells else None
                if cell is not None:
                    row[reference] = cell
                elif reference not in row:
                    tally[LEFT, reference] += 1
        return MadeRow(row, tally)

    def _property_cells(
        self, category: str, reference: str, language: str
    ) -> "PropertyCells | None":
        known = self._properties[category].get(reference)
        key = category, reference, language
        if known and key not in self._cells:
            self._cells[key] = PropertyCells(known, self._other(category, reference, language))
        return self._cells.get(key)

    def _other(self, category: str, reference: str, language: str) -> Property | None:
        """The property as the catalogue in the product's language has it."""
        other = None if language == self._catalog.language else self._known(language)
        if other is None or other.language != language:
            return None
        properties = other.properties(category) or ()
        return next((item for item in properties if item.reference == reference), None)


_PICTURE = columns.picture_key(1)[:-1]
_PICTURES = frozenset(columns.PICTURE_KEYS)


class PropertyCells:
    """Writes the cells of one category's property.

    Args:
        known: The property.
        other: The same in the language of the products, where that is another one.
    """

    def __init__(self, known: Property, other: Property | None = None) -> None:
        self._known = known
        codes = (choice.code for choice in known.choices)
        shown = dict(zip(codes, offered(known.choices), strict=True))
        self._shown = {**shown}
        for choice in (*(other.choices if other else ()), *known.choices):
            if choice.code in shown:
                self._shown[choice.label] = shown[choice.code]

    def cell(self, texts: Iterable[str], *, is_files: bool = False) -> Value:
        """The cell of values, or of files' addresses; None where none could hold them."""
        known = self._known
        if is_files or known.allowed_file_types:
            fits = is_files and known.allowed_file_types
            return (SEPARATOR.join(texts) or None) if fits else None
        values = [self._shown.get(text, text) for text in texts]
        is_ambiguous = any(SEPARATOR in value for value in values)
        if known.is_split and is_ambiguous and (len(values) > 1 or not known.choices):
            return None
        if known.is_numeric and len(values) == 1 and not known.choices and not known.is_multiple:
            return Decimal(values[0]) if _NUMBER.fullmatch(values[0]) else values[0]
        if known.is_numeric:  # nobody can take the point of `1.2340` for one of thousands
            values = [f"{value}0" if _TWO_MEANINGS.fullmatch(value) else value for value in values]
        return SEPARATOR.join(values) or None
