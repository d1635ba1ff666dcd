"""A sheet read by a parser: whatever namespaces, comments, CDATA or encodings it is written in."""

from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import NamedTuple

from feedtool.model.cells import index_of
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.read.cell_decoder import CELL_TYPES, Raw
from feedtool.sheets.read.errors import SAVE_AGAIN, CorruptXml, GridOutOfRange, ZipBomb
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW, MergedArea
from feedtool.sheets.read.xml_parser import Node, XmlParser, corrupt, is_true, string_text

_MOST_MERGES = 200_000
_DATA = "/worksheet/sheetData"
_ROW = f"{_DATA}/row"


class Extent(NamedTuple):
    """The last row (1-based) and column (0-based) of a sheet."""

    last_row: int
    last_column: int


class SheetRow(NamedTuple):
    """One row that has values."""

    number: int
    hidden: bool
    cells: Mapping[int, Hashable]
    """Their keys by 0-based column; only those with a value or a formula."""


class SheetParser:
    """A parser that is fed the sheet, or all of it but some whole rows.

    Raises on feeding: CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb.
    """

    def __init__(self, part: str, limits: ReadingLimits) -> None:
        self.merges: list[MergedArea] = []
        self.dimension: Extent | None = None
        """As the sheet announces it."""
        self.last_row = 0
        """The number of the last row so far, whoever read it."""
        self._part = part
        self._rows: list[SheetRow] = []
        self._number = ""
        self._hidden = False
        self._cells: dict[int, Raw] = {}
        self._column = -1
        self._columns: dict[str, int] = {}
        """The 0-based columns by their letters, as far as met."""
        self._parser = XmlParser(
            part,
            limits,
            {
                f"{_ROW}/c": self._add_cell,
                "/worksheet/dimension": self._announce,
                "/worksheet/mergeCells/mergeCell": self._merge,
            },
            starts={_ROW: self._start_row},
            ends={_ROW: self._end_row},
        )

    @property
    def prefixes(self) -> set[str]:
        """The namespace prefixes that every row may use."""
        return self._parser.prefixes

    def expects_rows(self, prefix: str) -> bool:
        """True if a `row` with this prefix (`x:` or none) would be a row of the sheet now."""
        return self._parser.is_right_inside(_DATA, prefix)

    def feed(self, data: bytes) -> list[SheetRow]:
        """The rows that end in `data`; formatted but empty ones are left out."""
        self._parser.feed(data)
        rows, self._rows = self._rows, []
        return rows

    def finish(self) -> None:
        """The sheet is at its end."""
        self._parser.finish()

    def _announce(self, node: Node) -> None:
        """Remember the dimension, a mere hint: what is wrong with it harms nobody."""
        with suppress(CorruptXml, GridOutOfRange):
            area = self._area(node.attributes.get("ref", ""))
            self.dimension = Extent(area.last_row, area.last_column)

    def _merge(self, node: Node) -> None:
        self.merges.append(self._area(node.attributes.get("ref", "")))
        if len(self.merges) > _MOST_MERGES:
            raise ZipBomb(f"The sheet has more than {_MOST_MERGES:,} merged cells.", SAVE_AGAIN)

    def _start_row(self, node: Node) -> None:
        number = (
            self._row_number(node.attributes["r"]) if "r" in node.attributes else self.last_row + 1
        )
        if number == self.last_row:
            raise self._corrupt(f"row {number} is there twice")
        if number < self.last_row:
            raise self._corrupt(f"row {number} comes after row {self.last_row}")
        if number > LAST_ROW:
            raise _outside(f"row {number}")
        self.last_row = number
        self._number = str(number)
        self._hidden = is_true(node.attributes.get("hidden"))
        self._cells = {}
        self._column = -1

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(SheetRow(self.last_row, self._hidden, self._cells))

    def _add_cell(self, node: Node) -> None:
        attributes = node.attributes
        reference = attributes.get("r")
        if reference is None:
            self._column += 1
            if self._column > LAST_COLUMN:
                raise _outside(f"column {self._column + 1} in row {self._number}")
        else:
            letters = reference.removesuffix(self._number)
            column = self._columns.get(letters)
            self._column = self._cell_column(reference) if column is None else column
        value, inline, formula = _content(node)
        if not value and not inline and formula is None:
            return
        kind = attributes.get("t", "n")
        if kind not in CELL_TYPES:
            raise self._corrupt(f"row {self._number} has a cell of the unknown type {kind}")
        if self._column in self._cells:
            raise self._corrupt(f"row {self._number} has two cells in column {self._column + 1}")
        self._cells[self._column] = Raw(attributes.get("s", "0"), kind, value, inline, formula)

    def _row_number(self, text: str) -> int:
        text = text.strip()
        if not (text.isascii() and text.isdecimal()):
            raise self._corrupt(f"a row has the number {text!r}")
        number = int(text[:20])
        if number == 0:
            raise _outside("row 0")
        return number

    def _cell_column(self, reference: str) -> int:
        column, row = self._place(reference)
        if row != self.last_row:
            raise self._corrupt(f"cell {reference} stands in row {self.last_row}")
        self._columns[reference.removesuffix(self._number)] = column
        return column

    def _place(self, reference: str) -> tuple[int, int]:
        """The 0-based column and the row of `B7`. Raises CorruptXml, GridOutOfRange."""
        letters = reference.rstrip("0123456789")
        row = reference[len(letters) :]
        if not (letters.isascii() and letters.isalpha() and row):
            raise self._corrupt(f"{reference!r} is no cell")
        column = index_of(letters.upper()[:4])
        if column > LAST_COLUMN or not 0 < int(row[:20]) <= LAST_ROW:
            raise _outside(f"cell {reference}")
        return column, int(row)

    def _area(self, reference: str) -> MergedArea:
        first, _, last = reference.replace("$", "").partition(":")
        first_column, first_row = self._place(first)
        last_column, last_row = self._place(last or first)
        return MergedArea(first_row, first_column, last_row, last_column)

    def _corrupt(self, what: str) -> CorruptXml:
        return corrupt(self._part, what)


def _content(cell: Node) -> tuple[str, str | None, str | None]:
    """The value of a cell, its text and its formula."""
    value, inline, formula = "", None, None
    for child in cell.children:
        if not child.is_main:
            continue
        if child.name == "v":
            value += child.text
        elif child.name == "f":
            formula = (formula or "") + child.text
        elif child.name == "is":
            inline = (inline or "") + string_text(child)
    return value, inline, formula


def _outside(what: str) -> GridOutOfRange:
    return GridOutOfRange(
        f"The sheet has {what}, outside the grid of 1,048,576 rows and columns A to XFD.",
        "Correct the program that made the file, or split the rows over several files.",
    )
