"""Sheets made of rows of Cells, for files of other formats."""

import gzip
import math
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.files import is_users_file
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.text import joined, tr
from feedtool.sheets.read.cell_decoder import GENERAL, DateKind, NumberStyle, iso
from feedtool.sheets.read.errors import COPY_AGAIN, SAVE_AS_XLSX, CorruptZip, NotAWorkbook, ZipBomb
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import (
    LAST_COLUMN,
    LAST_ROW,
    MOST_MERGED,
    CellRange,
    Sheet,
    Source,
    decode,
)
from feedtool.sheets.read.workbook import SheetEntry

LARGEST = 64 * MIB
"""The most bytes of a file that is read whole, which takes up to ten times as much memory."""
_BLOCK = 1000
"""Rows of a block."""
MOST_REPEATED = 20_000_000
"""The most cells of a sheet that the file does not have, but gives as a number of repetitions."""
EXACT = 10**15
"""Smaller whole numbers are exact in a file."""
_NOT_IN_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_NAME = 31
"""The most characters of a sheet's name in a workbook."""


class CellRow(NamedTuple):
    number: int
    """The number of the row, 1-based."""
    cells: Sequence[Cell]
    """The cells from column A on."""
    hidden: bool = False
    merged: Sequence[CellRange] = ()
    """The ranges of merged cells that begin in the row."""


class RowsTable(NamedTuple):
    name: str
    rows: Callable[[], Generator[CellRow]]
    """Yields the rows in order; each call reads anew."""
    is_hidden: bool = False


class Damage(ValueError):
    """A file is damaged; the error's text is the reason, in the user's language."""


@contextmanager
def refusing(problem: type[FileProblem], what: str) -> Iterator[None]:
    """Turn the errors of a reader into a problem of the file, without the library's words."""
    try:
        yield
    except (FeedtoolError, OSError):
        raise
    except Exception as error:
        why = error.args[0] if isinstance(error, Damage) else tr("the file is damaged")
        raise problem(
            tr("{what}, and cannot be read: {why}.", what=what, why=why), SAVE_AS_XLSX
        ) from error


class RowsSheet(Sheet):
    """A sheet made of rows of Cells."""

    def __init__(self, table: RowsTable, problem: type[FileProblem]) -> None:
        super().__init__()
        self.name = table.name
        self._rows, self._problem = table.rows, problem

    def _read(self) -> Generator[Block]:
        with closing(self._in_order()) as rows:
            while batch := list(islice(rows, _BLOCK)):
                yield _block(batch)

    def _in_order(self) -> Generator[CellRow]:
        last = 0
        merged: list[CellRange] = []
        what = tr("Sheet “{name}” is damaged", name=self.name)
        with refusing(self._problem, what), closing(self._rows()) as rows:
            for row in rows:
                if not last < row.number <= LAST_ROW or len(row.cells) > LAST_COLUMN + 1:
                    raise Damage(tr("row {number} is out of order, or too long", number=row.number))
                last = row.number
                merged += row.merged if len(merged) < MOST_MERGED else ()
                yield row
        self._merged = merged


def _block(rows: list[CellRow]) -> Block:
    def column(index: int) -> list[Cell]:
        return [row.cells[index] if index < len(row.cells) else BLANK for row in rows]

    return Block(
        [row.number for row in rows],
        None,
        frozenset(row.number for row in rows if row.hidden),
        max(len(row.cells) for row in rows),
        column,
        decode,
    )


class RowsSource:
    """An open file of another format; `problem` is the error if it is damaged."""

    properties: Mapping[str, str] = {}

    def __init__(
        self,
        format_: str,
        tables: Iterable[RowsTable],
        problem: type[FileProblem],
        package: ZipPackage | None = None,
    ) -> None:
        self.format, self._problem, self._package = format_, problem, package
        self._tables: dict[str, RowsTable] = {}
        for table in tables:
            name = _free_name(table.name, self._tables)
            self._tables[name] = table

    @property
    def sheets(self) -> Sequence[SheetEntry]:
        """The sheets in the order of the tabs."""
        return [
            SheetEntry(name, "", "hidden" if table.is_hidden else "visible", full_name=table.name)
            for name, table in self._tables.items()
        ]

    def sheet(self, name: str) -> RowsSheet:
        return RowsSheet(self._tables[name]._replace(name=name), self._problem)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._package:
            self._package.close()


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return a free name that a sheet can have in the workbook of results."""
    legal = _NOT_IN_NAME.sub("_", name)[:_LONGEST_NAME].strip("'") or "Sheet"
    others, free, number = {other.casefold() for other in taken}, legal, 1
    while free.casefold() in others:
        number += 1
        free = f"{legal[: _LONGEST_NAME - len(f' {number}')]} {number}"
    return free


def number_cell(
    number: float | Decimal, style: NumberStyle = GENERAL, *, date1904: bool = False
) -> Cell:
    """Return the cell of a number in its style."""
    value = float(number)
    if not math.isfinite(value):
        return Cell(Kind.ERROR, "#NUM!")
    if style.moment is not DateKind.NONE:
        moment = iso(value, style.moment, date1904=date1904)
        if moment is not None:
            return Cell(Kind.DATE, moment)
    is_whole = -EXACT < value < EXACT and value.is_integer()
    text = str(int(value)) if is_whole else repr(value)
    return Cell(Kind.NUMBER, text, style.percent, style.zeros)


def date_cell(text: str) -> Cell:
    """Return the cell of a date or time in ISO 8601, or else of a text."""
    for read in (datetime.fromisoformat, time.fromisoformat):
        with suppress(ValueError):
            read(text)
            return Cell(Kind.DATE, text.removesuffix("T00:00:00"))
    return text_cell(text)


def text_cell(text: str) -> Cell:
    return Cell(Kind.TEXT, text) if text else BLANK


def put_cell(cells: list[Cell], column: int, cell: Cell) -> None:
    """Append a cell to a row, with blanks before it; Damage outside the grid."""
    if not len(cells) <= column <= LAST_COLUMN:
        raise Damage(
            tr("a cell in column {number} is out of order, or outside the grid", number=column + 1)
        )
    cells += [BLANK] * (column - len(cells))
    cells.append(cell)


# Read the only table of a gzip file or a zip, unpacked into a temporary folder.


GZIP = b"\x1f\x8b"
SHEET = "Sheet1"
"""The name of a CSV's table in the workbook of results."""
TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".fods")
"""The endings of tables, for a zip that also has other files."""
_PIECE = 1 << 18


class PackedSource:
    """The unpacked table, open; a context manager."""

    def __init__(self, source: Source, opened: ExitStack) -> None:
        self._source, self._opened = source, opened
        is_csv = source.format == "csv"
        self.format = "packed" if is_csv else source.format
        self.properties: Mapping[str, str] = source.properties
        sheets = (SheetEntry(SHEET, ""),) if is_csv else source.sheets
        self.sheets: Sequence[SheetEntry] = sheets

    def sheet(self, name: str) -> Sheet:
        sheet = self._source.sheet(name)
        sheet.name = name
        return sheet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def open_packed(
    path: Path, limits: ReadingLimits, open_file: Callable[[Path], Source]
) -> PackedSource:
    """Open the only table of an archive.

    Raises CorruptZip, ZipBomb and NotAWorkbook, and the errors of opening the table.
    """
    with ExitStack() as stack:
        place = stack.enter_context(temporary_folder()) / "table"
        with path.open("rb") as file:
            is_gzip = file.read(len(GZIP)) == GZIP
        with place.open("wb") as target:
            target.writelines(inflated(path, limits) if is_gzip else only_table(path, limits))
        source = stack.enter_context(open_file(place))
        return PackedSource(source, stack.pop_all())


def inflated(path: Path, limits: ReadingLimits) -> Iterator[bytes]:
    """Yield the content of a gzip file in pieces."""
    size = 0
    try:
        with gzip.open(path) as file:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > limits.part:
                    most = f"{limits.part / MIB:,.0f} MiB"
                    reason = tr("The gzip file unpacks to more than {size}.", size=most)
                    raise ZipBomb(reason, tr("Have its sender make it anew, or unpack it."))
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorruptZip(tr("The gzip file is damaged or incomplete."), COPY_AGAIN) from error


def only_table(path: Path, limits: ReadingLimits) -> Iterable[bytes]:
    """Yield the content of a zip's only table in pieces."""
    with ZipPackage(path, limits) as package:
        paths = [PurePosixPath(name.replace("\\", "/")) for name in package.names]
        files = [path for path in paths if is_users_file(path)]
        tables = [
            str(path) for path in files if len(files) == 1 or path.suffix.casefold() in TABLES
        ]
        if len(tables) > 1:
            raise NotAWorkbook(
                tr("The zip archive holds several tables: {names}.", names=joined(tables[:10])),
                tr("Unpack it and give the one that is meant."),
            )
        if not tables:
            raise NotAWorkbook(
                tr("The file is a zip archive, not a workbook."),
                tr("Unpack it and give the file inside."),
            )
        yield from package.stream(tables[0], _PIECE)
