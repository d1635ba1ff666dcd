"""A sheet read by a parser: whatever namespaces, comments, CDATA or encodings it is written in."""

from contextlib import suppress
from typing import NamedTuple

from feedtool.cells import index_of
from feedtool.sheets.decode import CELL_TYPES, Raw
from feedtool.sheets.markup import MAIN_NAMESPACES, corrupt, hardened_parser, is_true, parse
from feedtool.sheets.package import Limits
from feedtool.sheets.source import Merge
from feedtool.sheets.unreadable import SAVE_AGAIN, CorruptXml, GridOutOfRange, ZipBomb

LAST_ROW = 1_048_576
LAST_COLUMN = 16_383
"""0-based: XFD."""

_IN_DATA = ["worksheet", "sheetData"]
_IN_ROW = [*_IN_DATA, "row"]
_IN_CELL = [*_IN_ROW, "c"]
_VALUE = [*_IN_CELL, "v"]
_FORMULA = [*_IN_CELL, "f"]
_INLINE = [*_IN_CELL, "is"]
_TEXTS = ([*_INLINE, "t"], [*_INLINE, "r", "t"])
_MERGE = ["worksheet", "mergeCells", "mergeCell"]
_DIMENSION = ["worksheet", "dimension"]
_TAGS = {name for path in (_VALUE, _FORMULA, *_TEXTS, _MERGE, _DIMENSION) for name in path}
_NAMES = {f"{namespace} {tag}": tag for namespace in MAIN_NAMESPACES for tag in _TAGS}


class Extent(NamedTuple):
    """How far a sheet reaches: row 1-based, column 0-based."""

    last_row: int
    last_column: int


class Row(NamedTuple):
    """One row that has values."""

    number: int
    hidden: bool
    cells: dict[int, Raw]
    """By 0-based column; only those with a value or a formula."""


class SheetEvents:
    """A parser that is fed the sheet, or all of it but some whole rows.

    Raises on feeding: CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb.
    """

    def __init__(self, part: str, limits: Limits) -> None:
        self.merges: list[Merge] = []
        self.dimension: Extent | None = None
        """What the sheet announces of itself."""
        self.last_row = 0
        """The number of the last row so far, whoever read it."""
        self.prefixes: set[str] = set()
        """The namespace prefixes that every row may use."""
        self._default = ""
        self._part = part
        self._limit = limits.text
        self._path: list[str] = []
        self._rows: list[Row] = []
        self._fed = 0
        self._hidden = False
        self._cells: dict[int, Raw] = {}
        self._column = -1
        self._type, self._style, self._value = "n", 0, ""
        self._inline: str | None = None
        self._formula: str | None = None
        self._texts: list[str] | None = None
        """The text being read; None outside of values, formulas and texts."""
        self._size = 0
        self._parser = hardened_parser(part, " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartNamespaceDeclHandler = self._namespace

    @property
    def expects_plain_rows(self) -> bool:
        """Whether a `<row` without a prefix would be a row of the sheet now."""
        return self._path == _IN_DATA and self._default in MAIN_NAMESPACES

    def feed(self, data: bytes) -> list[Row]:
        """The rows that end in `data`; formatted but empty ones are left out."""
        self._parse(data, final=False)
        rows, self._rows = self._rows, []
        return rows

    def finish(self) -> None:
        """The sheet is at its end."""
        self._parse(b"", final=True)

    def _parse(self, data: bytes, *, final: bool) -> None:
        self._fed += len(data)
        parse(self._parser, data, self._part, final=final)
        # The parser keeps a tag in memory until it ends.
        if self._path and self._fed - self._parser.CurrentByteIndex > self._limit + len(data):
            raise ZipBomb(f"Part {self._part} holds a tag of more than {self._limit} bytes.")

    def _namespace(self, prefix: str | None, uri: str) -> None:
        if self._path:
            return
        if prefix:
            self.prefixes.add(prefix)
        else:
            self._default = uri

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        path = self._path
        path.append(_NAMES.get(name, ""))
        tag = path[-1]
        if tag == "c" and path == _IN_CELL:
            self._start_cell(attributes)
        elif tag in ("v", "f", "t"):
            self._start_text(tag)
        elif tag == "is" and path == _INLINE:
            self._inline = self._inline or ""
        elif tag == "row" and path == _IN_ROW:
            self._start_row(attributes)
        elif tag == "mergeCell" and path == _MERGE:
            self.merges.append(self._area(attributes.get("ref", "")))
        elif tag == "dimension" and path == _DIMENSION and attributes.get("ref"):
            self._announce(attributes["ref"])

    def _end(self, _name: str) -> None:
        path = self._path
        tag = path[-1]
        if tag == "c" and path == _IN_CELL:
            self._end_cell()
        elif tag in ("v", "f", "t"):
            self._end_text(tag)
        elif tag == "row" and path == _IN_ROW and self._cells:
            self._rows.append(Row(self.last_row, self._hidden, self._cells))
        path.pop()

    def _announce(self, reference: str) -> None:
        """Remember the dimension, a mere hint: what is wrong with it harms nobody."""
        with suppress(CorruptXml, GridOutOfRange):
            area = self._area(reference)
            self.dimension = Extent(area.last_row, area.last_column)

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = self._row_number(attributes["r"]) if "r" in attributes else self.last_row + 1
        if number == self.last_row:
            raise self._corrupt(f"row {number} is there twice")
        if number < self.last_row:
            raise self._corrupt(f"row {number} comes after row {self.last_row}")
        if number > LAST_ROW:
            raise _outside(f"row {number}")
        self.last_row = number
        self._hidden = is_true(attributes.get("hidden"))
        self._cells = {}
        self._column = -1

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._column = self._cell_column(attributes["r"]) if "r" in attributes else self._column + 1
        if self._column > LAST_COLUMN:
            raise _outside(f"column {self._column + 1} in row {self.last_row}")
        self._type = attributes.get("t", "n")
        if self._type not in CELL_TYPES:
            raise self._corrupt(f"row {self.last_row} has a cell of the unknown type {self._type}")
        style = attributes.get("s", "0").strip()
        self._style = int(style) if style.isdecimal() and style.isascii() else 0
        self._value = ""
        self._inline = self._formula = None

    def _end_cell(self) -> None:
        raw = Raw(self._style, self._type, self._value, self._inline, self._formula)
        if not raw.is_used:
            return
        if self._column in self._cells:
            raise self._corrupt(f"row {self.last_row} has two cells in column {self._column + 1}")
        self._cells[self._column] = raw

    def _start_text(self, tag: str) -> None:
        """A value, formula or run of text begins; phonetic guides do not count, nor extensions."""
        path = self._path
        if path in (_VALUE, _FORMULA) or (tag == "t" and path in _TEXTS):
            self._texts = []
            self._size = 0

    def _end_text(self, tag: str) -> None:
        if self._texts is None or self._path not in (_VALUE, _FORMULA, *_TEXTS):
            return
        text = "".join(self._texts)
        self._texts = None
        if tag == "v":
            self._value += text
        elif tag == "f":
            self._formula = (self._formula or "") + text
        else:
            self._inline = (self._inline or "") + text

    def _characters(self, text: str) -> None:
        if self._texts is None:
            return
        self._texts.append(text)
        self._size += len(text)
        if self._size > self._limit:
            raise ZipBomb(
                f"A cell of row {self.last_row} has more than {self._limit} characters.", SAVE_AGAIN
            )

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

    def _area(self, reference: str) -> Merge:
        first, _, last = reference.replace("$", "").partition(":")
        first_column, first_row = self._place(first)
        last_column, last_row = self._place(last or first)
        return Merge(first_row, first_column, last_row, last_column)

    def _corrupt(self, what: str) -> CorruptXml:
        return corrupt(self._part, what)


def _outside(what: str) -> GridOutOfRange:
    return GridOutOfRange(
        f"The sheet has {what}, outside the grid of 1,048,576 rows and columns A to XFD.",
        "Correct the program that made the file, or split the rows over several files.",
    )
