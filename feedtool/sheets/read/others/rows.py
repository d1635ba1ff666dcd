"""A file of another format, as rows of Cells."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from itertools import islice
from typing import NamedTuple, Self

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.sheets.read.number_formats import GENERAL, DateKind, NumberStyle, iso
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW, Sheet, decode
from feedtool.sheets.read.workbook import SheetEntry

_BLOCK = 1000
"""Rows of a block."""
EXACT = 10**15
"""Whole numbers below it are exact in a file."""


class CellRow(NamedTuple):
    """A row of a sheet."""

    number: int
    """1-based."""
    cells: Sequence[Cell]
    """From column A on."""
    hidden: bool = False


class Table(NamedTuple):
    """A sheet of the file."""

    name: str
    rows: Callable[[], Generator[CellRow]]
    """Its rows in order; read anew each time."""
    is_hidden: bool = False


class RowsSheet(Sheet):
    """A sheet made of rows of Cells."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.name = table.name
        self._rows = table.rows

    def _read(self) -> Generator[Block]:
        with closing(self._rows()) as rows:
            while some := list(islice(rows, _BLOCK)):
                width = max(len(row.cells) for row in some)
                columns = [
                    [row.cells[at] if at < len(row.cells) else BLANK for row in some]
                    for at in range(width)
                ]
                yield Block(
                    [row.number for row in some],
                    None,
                    frozenset(row.number for row in some if row.hidden),
                    width,
                    columns.__getitem__,
                    decode,
                )


class RowsSource:
    """An open file of another format."""

    properties: Mapping[str, str] = {}

    def __init__(
        self, format_: str, tables: Iterable[Table], package: ZipPackage | None = None
    ) -> None:
        self.format, self._package = format_, package
        self._tables = {table.name: table for table in tables}

    @property
    def sheets(self) -> Sequence[SheetEntry]:
        """The sheets, in the order of the tabs."""
        return [
            SheetEntry(table.name, "", "hidden" if table.is_hidden else "visible")
            for table in self._tables.values()
        ]

    def sheet(self, name: str) -> RowsSheet:
        """The sheet of this name."""
        return RowsSheet(self._tables[name])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._package:
            self._package.close()


def number_cell(
    number: float | Decimal, style: NumberStyle = GENERAL, *, date1904: bool = False
) -> Cell:
    """The cell of a number as its format shows it."""
    value = float(number)
    if style.moment is not DateKind.NONE:
        moment = iso(value, style.moment, date1904=date1904)
        if moment is not None:
            return Cell(Kind.DATE, moment)
    is_whole = -EXACT < value < EXACT and value.is_integer()
    text = str(int(value)) if is_whole else repr(value)
    return Cell(Kind.NUMBER, text, style.percent, style.zeros)


def text_cell(text: str) -> Cell:
    """The cell of a text."""
    return Cell(Kind.TEXT, text) if text else BLANK


def in_grid(row: int, column: int) -> bool:
    """True for a place that a sheet has; 1-based row, 0-based column."""
    return 1 <= row <= LAST_ROW and 0 <= column <= LAST_COLUMN
