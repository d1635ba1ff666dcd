"""Find rows of a sheet to skip: totals, repeated headers and examples.

A false alarm is worse than a miss, since it keeps an offer from being sent. So a word must be the
whole reference, a sum must be of at least two cells, and a row with an identity and another
reference is never skipped.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from msgspec import Struct

from feedtool.check.rules import EXAMPLE_LEFT, not_a_row
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Number
from feedtool.feeds.columns.text import ProductReference, Reference
from feedtool.feeds.template import example_reference
from feedtool.model.cells import (
    LONGEST_SHOWN,
    Block,
    Cell,
    Cells,
    Column,
    Header,
    Kind,
    folded,
    shown,
)
from feedtool.model.nouns import Issue
from feedtool.model.settings import Context
from feedtool.model.text import LANGUAGES, Translator, tr
from feedtool.sheets import Sheet

TOTALS = frozenset(
    (
        *("total", "totals", "grandtotal", "subtotal", "subtotals", "sum"),
        *("totaux", "totalgeneral", "soustotal", "soustotaux", "somme"),
        *("totalht", "totalttc", "totalstock", "totalarticles", "nombretotal", "quantitetotale"),
        *("totales", "sumatotal", "subtotales", "suma", "sumas"),
        *("summe", "gesamt", "gesamtsumme", "endsumme", "zwischensumme"),
        *("totale", "totali", "totalegenerale", "totalegeneral", "subtotale", "somma"),
        *("totaal", "totaalgeneraal", "subtotaal", "totais", "totalgeral", "soma", "razem"),
    )
)
"""Words for totals in English, French, Spanish, German, Italian, Dutch, Portuguese and Polish,
folded like a header: without case, blanks, accents and punctuation."""

LONGEST_WORD = 40
LONGEST_LABEL = 1000
"""The most characters to examine: a cell may have megabytes of text, and is no header then."""
LEAST_ABOVE = 2
"""The least cells of a sum; a single cell may just be repeated."""
NOISE = Decimal("0.005")
"""The tolerance of a sum: programs add binary fractions."""

_has_digit = re.compile("[0-9]").search
_WORD, _TEXT = object(), object()
"""Parts that are no number: a word for a total, or another text."""

Parts = dict[int, object]
"""0-based index → content of a filled cell: a Decimal, `_WORD` or `_TEXT`."""


class _Part(Number, frozen=True):
    """The type of any cell in the search for totals."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a Decimal, `_WORD` or `_TEXT`; None for a blank."""
        if is_total(cell):
            return _WORD
        value = Number.read(self, cell, column)
        return _TEXT if isinstance(value, InvalidValue) else value

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        """Return a number of usual size; a larger one is no sum."""
        del cell, column
        return number if abs(number.adjusted()) <= LONGEST_SHOWN else _TEXT


class _Sum(Struct):
    """The sum of a column's numbers above a row."""

    number: Decimal = Decimal(0)
    count: int = 0

    def add(self, number: Decimal) -> None:
        self.number += number
        self.count += 1

    def is_(self, number: Decimal) -> bool:
        return self.count >= LEAST_ABOVE and abs(self.number - number) < NOISE


Sums = defaultdict[int, _Sum]
"""The sums of columns by their indexes."""


def is_total(cell: Cell) -> bool:
    """Return True if a cell has only a word for a total."""
    is_short = cell.kind is Kind.TEXT and len(cell.text) <= LONGEST_WORD
    return is_short and folded(cell.text) in TOTALS


def _is_text_of(text: str, column: Column) -> bool:
    """Return True if a text is the example of its column in any language."""
    if isinstance(column.type, Choice):
        return text in {column.example, *column.type.values.get(column.example, ())}
    if not isinstance(column.type, Number):
        return text.strip() in {Translator(item).message(column.example) for item in LANGUAGES}
    try:
        return Decimal(text.replace(",", ".")) == Decimal(column.example)
    except InvalidOperation:
        return False


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


class SummaryRows:
    """Find the rows of one sheet to skip; sums are computed when a row first looks like one."""

    def __init__(self, sheet: Sheet, header: Header, reference: str, context: Context) -> None:
        self._sheet, self._header, self._key = sheet, header, reference
        self._reader = ColumnReader(_Part(), context)
        index = header.index_of(reference)
        self._reference = -1 if index is None else index
        self._names = {
            index: frozenset(
                map(
                    folded,
                    (header.texts.get(index, ""), column.key, *column.labels, *column.aliases),
                )
            ).difference([""])
            for index, column in header.columns.items()
        }
        self._identity = {
            index: column.key
            for index, column in header.columns.items()
            if isinstance(column.type, Gtin | Reference | ProductReference)
        }
        self._heading = header.texts.get(self._reference)
        self._words = TOTALS | self._names.get(self._reference, frozenset())
        self._example = "" if index is None else header.columns[index].example
        self._examples = {
            folded(example_reference(language, self._example)) for language in LANGUAGES
        }
        self._prefixes = tuple(_squeezed(example_reference(language, "")) for language in LANGUAGES)
        self._sums: frozenset[int] | None = None

    def may_be(self, values: Mapping[str, object]) -> bool:
        """Return True if `fault` has to check a row with these values: nearly no row needs it."""
        reference = values.get(self._key)
        if not isinstance(reference, str):
            return all(values[key] is None for key in self._identity.values())
        if self._example and reference != self._example and reference.endswith(self._example):
            return True
        if len(reference) > LONGEST_LABEL:
            return False
        if _has_digit(reference) and reference != self._heading:
            return False
        return folded(reference) in self._words

    def fault(self, cells: Cells, position: int) -> Issue | None:
        """Return the issue of a row of a block that is skipped, else None."""
        filled = self._filled(cells, position)
        first = filled.get(self._reference)
        reason = ""
        if self._is_header(filled):
            reason = tr("this row repeats the header")
        elif self._is_example(filled):
            reason = tr("this row is the template's example, left as it was")
        if reason:
            return not_a_row(reason, shown(first or next(iter(filled.values()))))
        if first and is_total(first):
            return not_a_row(tr("this row is a total by its reference"), first.text)
        # Nearly all rows have a name, which is read before the numbers.
        names = {index: cell for index, cell in filled.items() if index in self._identity}
        parts = self._parts(filled) if self._is_anonymous(self._parts(names)) else None
        if parts is None or _TEXT in parts.values():
            return None
        word = next((filled[index] for index, part in parts.items() if part is _WORD), None)
        if word:
            return not_a_row(tr("this row is a total, without a reference or a GTIN"), word.text)
        if self._sums is None:
            self._sums = frozenset(self._find_sums())
        if cells.block.rows[position] not in self._sums:
            return None
        text = shown(next(iter(filled.values())))
        return not_a_row(tr("the only cells of this row are the sums of those above them"), text)

    def left_of_example(self, cells: Cells, position: int) -> Iterator[Issue]:
        """Yield the issues of a row typed over a template's example that still has parts of it.

        Only columns that name a product are checked: the reference, and texts of several words.
        """
        for index, cell in self._filled(cells, position).items():
            column = self._header.columns.get(index)
            if column is None:
                continue
            is_left = _squeezed(cell.text).startswith(self._prefixes)
            if index != self._reference:
                names_product = isinstance(column.type, ProductReference) or " " in column.example
                is_left = names_product and _is_text_of(cell.text, column)
            if is_left:
                text = tr("“{cell}” is left of the template's example", cell=shown(cell))
                yield Issue(EXAMPLE_LEFT, text, tr("type your own value over it"), column.key)

    def _filled(self, cells: Cells, position: int) -> Mapping[int, Cell]:
        """Return the filled cells of a row, without the columns of feedtool."""
        result = {
            index: cells.at(position, index)
            for index in cells.block.used(0)
            if index not in self._header.own
        }
        return {index: cell for index, cell in result.items() if cell.text.strip()}

    def _is_header(self, filled: Mapping[int, Cell]) -> bool:
        """Return True if most known columns have their own name as content."""
        known = filled.keys() & self._names
        count = sum(folded(filled[index].text) in self._names[index] for index in known)
        return 2 * count > len(known) and count >= min(2, len(self._names))

    def _is_example(self, filled: Mapping[int, Cell]) -> bool:
        """Return True if every cell is the cell of a template's example row."""
        first = filled.get(self._reference)
        return (
            first is not None
            and folded(first.text) in self._examples
            and all(
                index in self._header.columns
                and _is_text_of(cell.text, self._header.columns[index])
                for index, cell in filled.items()
                if index != self._reference
            )
        )

    def _parts(self, cells: Mapping[int, Cell]) -> Parts:
        read = self._reader.cell_type.read
        return {index: read(cell, self._reader) for index, cell in cells.items()}

    def _is_anonymous(self, parts: Parts) -> bool:
        return all(parts.get(index) in {None, _WORD} for index in self._identity)

    def _find_sums(self) -> set[int]:
        """Read the whole sheet, and return the rows with only sums of their columns."""
        result: set[int] = set()
        whole: Sums = defaultdict(_Sum)
        since: Sums = defaultdict(_Sum)  # the last total
        for block in self._sheet.blocks(self._header.after):
            for row, parts in self._rows(block):
                is_anonymous = self._is_anonymous(parts)
                is_total = is_anonymous and _WORD in parts.values()
                if is_anonymous and not is_total and _are_sums(parts, whole, since):
                    result.add(row)
                    is_total = True
                for index, part in parts.items():
                    if is_total:
                        since.pop(index, None)
                    elif isinstance(part, Decimal):
                        whole[index].add(part)
                        since[index].add(part)
        return result

    def _rows(self, block: Block) -> list[tuple[int, Parts]]:
        """Return the rows of a block, with the parts of filled cells."""
        indexes = [index for index in block.used(0) if index not in self._header.own]
        columns = [self._reader.read(block.column(index), block.decode) for index in indexes]
        return [
            (row, {i: part for i, part in zip(indexes, parts, strict=True) if part is not None})
            for row, parts in zip(block.rows, zip(*columns, strict=True), strict=False)
        ]


def _are_sums(parts: Parts, whole: Sums, since: Sums) -> bool:
    """Return True if all cells are sums of the numbers above them, and not all zero."""
    return any(parts.values()) and all(
        isinstance(part, Decimal) and (whole[index].is_(part) or since[index].is_(part))
        for index, part in parts.items()
    )
