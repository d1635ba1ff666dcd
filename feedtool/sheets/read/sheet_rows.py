"""Read the rows of a sheet with one pattern if that is safe, else with a parser.

Nearly all programs write rows in one canonical form:

    <row r="5" spans="1:3"><c r="A5" s="1" t="s"><v>12</v></c><c r="C5"><v>19.9</v></c></row>

One pattern matches such a row with a group for each column, `findall` a whole chunk, and `zip`
turns the rows into columns; no Python runs for each cell. `RowMatcher.read` proves that nothing
was overlooked, and leaves any other chunk to the parser.

The pattern also accepts variants of programs in use: blanks around the cells of a row (Apache
POI), a blank before `/>` (.NET and openpyxl without lxml), a type before a style.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from xml.parsers import expat

from feedtool.model.cells import index_of, letters
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import MessageText, tr
from feedtool.sheets.read.cell_decoder import ATTRIBUTES, CELL_TYPES, CONTENT, Raw
from feedtool.sheets.read.errors import CorruptXml, GridOutOfRange
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW, MOST_MERGED, CellRange, cell_range
from feedtool.sheets.read.xml_parser import (
    Chunk,
    Node,
    XmlParser,
    corrupt,
    hardened_parser,
    is_true,
    parse,
    string_text,
)

DATA = "/worksheet/sheetData"
"""The path of the rows' element."""
_ROW = f"{DATA}/row"

WIDEST = 1024
"""Columns of a pattern at most; the parser reads wider rows."""
_STEP, _WIDE_STEP = 8, 128
"""Columns by which patterns grow: each width is compiled, which can take a second."""

_BLANKS = r"[ \t\n]*+"
_ROW_TAG = rf'<row r="([1-9][0-9]{{0,6}})"((?:[^<>/]++|/(?!>))*+)(?:/>|>{_BLANKS}'
_NO_VALUE = r"(?:<v(?: ?/>|></v>)|<is><t(?: ?/>|></t>)</is>)?+"
_CELL = (
    rf'(?:<c r="{{}}\1"(?:({ATTRIBUTES}>{CONTENT})</c>'
    rf"|{ATTRIBUTES}(?: ?/>|>{_NO_VALUE}</c>)))?+"
)
_UNREAD_CELL = _CELL.replace(f"({ATTRIBUTES}>", f"(?:{ATTRIBUTES}>")
"""A cell of a column that is not read: no text is made of it."""
_EMPTY = (
    r'(?:<c r="(?:[A-Z]{1,2}|[A-W][A-Z]{2}|X[A-E][A-Z]|XF[A-D])\1"'
    rf"{ATTRIBUTES}(?: ?/>|></c>))*+"
)
"""Formatted but empty cells, within the grid, to the right of the last column."""
_ROW_END = rf"{_BLANKS}</row>){_BLANKS}(?=<row|\Z)"
"""The next row or the end must follow, so that no text between two rows is overlooked."""
_NUMBER = re.compile(rb' r="([1-9][0-9]{0,6})"')
_HIDDEN = re.compile(r'\shidden\s*=\s*"(?:1|true)"')
_KNOWN_AT_MOST = 10_000


class SheetRow(NamedTuple):
    """A row with values."""

    number: int
    hidden: bool
    cells: Mapping[int, Hashable]
    """The keys of cells with a value or a formula, by 0-based column."""


class SheetParser(XmlParser):
    """A parser of a sheet, from which complete rows may be left out.

    Feeding raises CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb.
    """

    def __init__(self, part: str, limits: ReadingLimits) -> None:
        self.dimension: CellRange | None = None
        """The size that the sheet states."""
        self.last_row = 0
        """The number of the last row so far, also of rows that were left out."""
        self.merged: list[CellRange] = []
        """The ranges of merged cells, which follow the rows."""
        self._rows: list[SheetRow] = []
        self._hidden = False
        self._cells: dict[int, Raw] = {}
        self._column = -1
        super().__init__(
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

    def rows(self, data: bytes) -> list[SheetRow]:
        """Return the rows that end in the next piece, without empty rows that have formats."""
        self.feed(data)
        rows, self._rows = self._rows, []
        return rows

    def place(self, error: expat.ExpatError) -> MessageText:
        """Name the row before the malformed place; rows may have been left out before it."""
        if not self.last_row:
            return super().place(error)
        return tr("its XML is malformed after row {row}", row=self.last_row)

    def _announce(self, node: Node) -> None:
        """Note the dimension, which is only a hint: a wrong one does no harm."""
        self.dimension = cell_range(node.attributes.get("ref", ""))

    def _merge(self, node: Node) -> None:
        """Note a range of merged cells.

        A wrong one does no harm: it only explains why cells are blank.
        """
        merged = cell_range(node.attributes.get("ref", ""))
        if merged and len(self.merged) < MOST_MERGED:
            self.merged.append(merged)

    def _start_row(self, node: Node) -> None:
        number = self.last_row + 1
        if "r" in node.attributes:
            text = node.attributes["r"].strip()
            if not (text.isascii() and text.isdecimal()):
                raise self._corrupt(tr("a row has the number {text}", text=repr(text)))
            number = int(text[:20])
            if number == 0:
                raise _outside(tr("row {row}", row=0))
        if number == self.last_row:
            raise self._corrupt(tr("row {number} is there twice", number=number))
        if number < self.last_row:
            raise self._corrupt(
                tr("row {number} comes after row {row}", number=number, row=self.last_row)
            )
        if number > LAST_ROW:
            raise _outside(tr("row {row}", row=number))
        self.last_row = number
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
                raise _outside(
                    tr("column {column} in row {row}", column=self._column + 1, row=self.last_row)
                )
        else:
            self._column, number = self._place(reference)
            if number != self.last_row:
                raise self._corrupt(
                    tr(
                        "cell {reference} stands in row {row}",
                        reference=reference,
                        row=self.last_row,
                    )
                )
        value, inline, formula = _content(node)
        if not value and not inline and formula is None:
            return
        kind = attributes.get("t", "n")
        if kind not in CELL_TYPES:
            raise self._corrupt(
                tr("row {row} has a cell of the unknown type {kind}", row=self.last_row, kind=kind)
            )
        if self._column in self._cells:
            raise self._corrupt(
                tr(
                    "row {row} has two cells in column {column}",
                    row=self.last_row,
                    column=self._column + 1,
                )
            )
        self._cells[self._column] = Raw(attributes.get("s", "0"), kind, value, inline, formula)

    def _place(self, reference: str) -> tuple[int, int]:
        """Return the 0-based column and the row of `B7`. Raises CorruptXml, GridOutOfRange."""
        letters = reference.rstrip("0123456789")
        row = reference[len(letters) :]
        if not (letters.isascii() and letters.isalpha() and row):
            raise self._corrupt(tr("{reference} is not a cell", reference=reference))
        column = index_of(letters.upper()[:4])
        if column > LAST_COLUMN or not 0 < int(row[:20]) <= LAST_ROW:
            raise _outside(tr("cell {cell}", cell=reference))
        return column, int(row)

    def _corrupt(self, what: str) -> CorruptXml:
        return corrupt(self.part, what)


def _content(cell: Node) -> tuple[str, str | None, str | None]:
    """Return the value of a cell, its text and its formula."""
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
        tr(
            "The sheet has {what}, outside the grid of 1,048,576 rows and columns A to XFD.",
            what=what,
        ),
        tr("Correct the program that made the file, or split the rows over several files."),
    )


class Scan(NamedTuple):
    """The columns of a chunk of rows."""

    rows: list[int]
    hidden: frozenset[int]
    columns: list[tuple[str, ...]]
    """The keys of each column; "" for no cell, or a cell without a value."""


class RowMatcher:
    """Reads chunks of canonical rows; remembers the attributes that rows may have."""

    def __init__(self, namespaces: Mapping[str, str], first: int = 0) -> None:
        """Read the columns from `first` on."""
        self._namespaces, self._first = namespaces, first
        self._known: set[str] = {""}

    def read(self, text: str, width: int, after: int) -> Scan | None:
        """Return the rows of a chunk of normalized XML; None unless all are canonical.

        `width` is the number of columns of the pattern, `after` the number of the row before.
        Every `<row` of the chunk begins a match, since there are as many matches as `<row`, and a
        `<row` or the chunk's end follows every match: nothing is left over.
        """
        text = text.lstrip(" \t\n")
        # A sheet may have formats down to its last row; empty rows need no columns.
        width = width if "</c>" in text else 0
        first = min(self._first, width)
        pattern = _pattern(width, first)
        matches = pattern.findall(text) if pattern.match(text) else []
        if not matches or len(matches) != text.count("<row"):
            return None
        numbers, attributes, *columns = zip(*matches, strict=True)
        rows = list(map(int, numbers))
        is_ascending = after < rows[0] and rows[-1] <= LAST_ROW and rows == sorted(set(rows))
        if not is_ascending or not self._are_allowed(set(attributes)):
            return None
        unread = [("",) * len(rows)] * first
        marks = {text for text in set(attributes) if "hidden" in text and _HIDDEN.search(text)}
        pairs = zip(rows, attributes, strict=True) if marks else ()
        hidden = frozenset(row for row, text in pairs if text in marks)
        return Scan(rows, hidden, [*unread, *columns])

    def _are_allowed(self, attributes: set[str]) -> bool:
        """True if rows may have these attributes, and none of them declares a namespace."""
        new = attributes - self._known
        rows = "".join(f'<row r="1"{text}/>' for text in new)
        if any(text in rows for text in ("xmlns", "'", "&")):
            return False
        declared = "".join(f" xmlns:{name}='{uri}'" for name, uri in self._namespaces.items())
        try:
            root = f"<rows{declared}>{rows}</rows>".encode()
            parse(hardened_parser("", " "), root, "", final=True)
        except CorruptXml:
            return False
        if len(self._known) < _KNOWN_AT_MOST:
            self._known |= new
        return True


def last_row_of(chunk: Chunk) -> int:
    """Return the number of the last row of a chunk; 0 if it is not the first attribute.

    In a chunk of whole rows every `<` begins a tag.
    """
    begin = f"<{chunk.prefix or ''}row".encode()
    number = _NUMBER.match(chunk.data, chunk.data.rfind(begin) + len(begin))
    return int(number[1]) if number else 0


def pattern_width(rows: Iterable[SheetRow]) -> int:
    """Return the number of columns of a pattern for these rows, in steps.

    Rows with more cells than a pattern can have columns are left out.
    """
    cells = (row.cells for row in rows if len(row.cells) <= WIDEST)
    columns = (column for row in cells for column in row if column < WIDEST)
    count = max(columns, default=-1) + 1
    step = _STEP if count <= _WIDE_STEP else _WIDE_STEP
    return -(-count // step) * step


@lru_cache(maxsize=64)
def _pattern(width: int, first: int) -> re.Pattern[str]:
    """Return the pattern of a row of `width` columns.

    Its groups are number, attributes, and the columns from `first` on.
    """
    unread, read = [_UNREAD_CELL] * first, [_CELL] * (width - first)
    cells = "".join(cell.format(letters(column)) for column, cell in enumerate([*unread, *read]))
    return re.compile(_ROW_TAG + cells + _EMPTY + _ROW_END, re.ASCII)
