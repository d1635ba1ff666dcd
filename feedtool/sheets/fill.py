"""Write rows into an empty workbook or a CSV as a stream: a million rows need little memory.

The workbook was written by feedtool with openpyxl: its parts are copied, and the rows go into the
XML of their sheets, after the rows that are there. Each cell takes the style of its column. The
file is read again before it is kept.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from feedtool.model.cells import SHOWN_DIGITS, Block, Cell, Kind, letters
from feedtool.model.cells import shown as as_shown
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.annotate.csv_copy import FORBIDDEN, FORMULA_STARTS
from feedtool.sheets.annotate.zip_copy import Repack
from feedtool.sheets.atomic_write import Digest
from feedtool.sheets.cell_text import inline, shown
from feedtool.sheets.read.file_format import open_source
from feedtool.sheets.read.package import DEFAULT_LIMITS
from feedtool.sheets.read.source import LAST_ROW, Sheet
from feedtool.sheets.read.xlsx import XlsxSource

Value = str | int | Decimal | Cell | None
"""A text, a number, a cell of another file, or nothing."""


class Formats(NamedTuple):
    """Indexes of the workbook's styles for cells that do not take the style of their column."""

    date: int | None = None
    percent: int | None = None
    """None writes a percentage as the text that it shows."""


PLAIN = Formats()

_END = b"</sheetData>"
_EMPTY = b"<sheetData/>"
_ROW = re.compile(rb'<row r="([0-9]+)"')
_COLUMN = re.compile(rb"<col ([^>]*)/>")
_NEGATIVE = re.compile(r"-[0-9]+(?:\.[0-9]+)?")
_DIMENSION = re.compile(rb"<dimension [^>]*/>")
_ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA")
)
"""Error values that every program knows."""
_GENERAL = 0
"""The index of the first style of every workbook."""
_UNKNOWN_ERROR = "#VALUE!"
_NO_RESULT = "#N/A"
"""Written for a formula without a result, since formulas are never written."""
_BATCH = 500
"""Rows that are written together."""


class TooManyRows(UsageProblem):
    """There are more rows than a sheet can have."""


def fill_workbook(
    empty: Path,
    target: Path,
    sheets: Mapping[str, Iterable[Sequence[Value]]],
    limits: ReadingLimits = DEFAULT_LIMITS,
    formats: Formats = PLAIN,
) -> None:
    """Write rows into sheets of one of feedtool's workbooks.

    A cell of another file keeps its kind: a text, a number to its last digit, a date, an error; a
    formula becomes its result.

    `empty` is the workbook without the rows, `sheets` the rows of each sheet, with their values
    from column A on, `formats` the styles of cells of another file with a date or a percentage.
    Raises TooManyRows, NotAsWritten.
    """
    writers: dict[str, _RowWriter] = {}
    with XlsxSource(empty) as book, empty.open("rb") as raw, target.open("wb") as out:
        names = {book.parts.worksheet(name).part: name for name in sheets}
        copy = Repack(out)
        for info in book.package.infos:
            if name := names.get(info.filename):
                writer = writers[name] = _RowWriter(book.package.read(info.filename), formats)
                copy.write(info, writer.pieces(sheets[name]), is_sheet=True)
            else:
                copy.copy(info, raw)
        copy.finish(b"")
    with open_source(target, limits=limits) as written:
        for name, writer in writers.items():
            rows = _read(written.sheet(name), writer.first - 1)
            rows.require_same(writer.digest, target.name)


def fill_csv(target: Path, heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Write a CSV for spreadsheet programs: UTF-8 with a byte order mark, and without formulas.

    A text that would be a formula is written as `="…"`, which shows the text, and is read as the
    text. Raises NotAsWritten.
    """
    digest = Digest()
    with target.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        for number, row in enumerate(rows, start=2):
            fields = [_field(value) for value in row]
            digest.add((number, column, text) for column, text in enumerate(fields) if text)
            for column, text in enumerate(fields):
                # A negative number alone is safe: there is nothing to calculate.
                if text.startswith(FORMULA_STARTS) and not _NEGATIVE.fullmatch(text):
                    fields[column] = '="' + text.replace('"', '""') + '"'
            writer.writerow(fields)
    with open_source(target) as written:
        _read(written.sheet(written.sheets[0].name), 1).require_same(digest, target.name)


def fill_tabbed(target: Path, heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Write a text with tabs between fields, for accounting programs.

    UTF-8 without quotes, lines end with CR LF; in a field a tab or an end of line becomes a blank.
    """
    with target.open("w", encoding="utf-8", newline="") as file:
        for row in chain((heads,), rows):
            fields = (_field(value).translate(_IN_TABS) for value in row)
            file.write("\t".join(fields) + "\r\n")


_IN_TABS = str.maketrans("\t\r\n", "   ")


class _RowWriter:
    """Writes rows into the XML of a sheet, each cell in the style of its column or of its kind."""

    def __init__(self, xml: bytes, formats: Formats) -> None:
        xml = _DIMENSION.sub(b"", xml, count=1).replace(_EMPTY, b"<sheetData></sheetData>", 1)
        before, end, after = xml.partition(_END)
        self._before, self._after = before, end + after
        self.first = max(map(int, _ROW.findall(before)), default=0) + 1
        """The number of the first new row."""
        self.digest = Digest()
        """The digest of all cells that were written."""
        self._formats = formats
        styles: dict[int, bytes] = {}
        for attributes in _COLUMN.findall(before.partition(b"<sheetData")[0]):
            values: dict[bytes, bytes] = dict(re.findall(rb'(\w+)="([^"]*)"', attributes))
            if style := values.get(b"style"):
                columns = range(int(values[b"min"]) - 1, int(values[b"max"]))
                styles |= dict.fromkeys(columns, style)

        @cache
        def start(column: int) -> tuple[bytes, bytes]:
            style = b' s="%b"' % styles[column] if column in styles else b""
            return b'<c r="' + letters(column).encode(), b'"' + style

        self._start = start
        """Returns the beginning of a column's cells, before and after the number of the row."""

    def pieces(self, rows: Iterable[Sequence[Value]]) -> Iterator[bytes]:
        """Yield the XML of the sheet with its rows, in batches. Raises TooManyRows."""
        yield self._before
        numbered = enumerate(rows, self.first)
        while batch := list(islice(numbered, _BATCH)):
            if batch[-1][0] > LAST_ROW:
                raise TooManyRows(
                    tr(
                        "a sheet has {most:,} rows, and there are more to be written", most=LAST_ROW
                    ),
                    tr("write a .csv with --out, or ask for fewer"),
                )
            yield b"".join(self._row(number, row) for number, row in batch)
        yield self._after

    def _row(self, number: int, row: Sequence[Value]) -> bytes:
        place = b"%d" % number
        cells, placed = [b'<row r="%b">' % place], []
        for column, value in enumerate(row):
            if value is None or value == "":
                continue
            text, rest, style = _cell(value, self._formats)
            if not text:
                continue
            placed.append((number, column, text))
            start, attributes = self._start(column)
            cells += (start, place, attributes if style is None else b'" s="%d"' % style, rest)
        self.digest.add(placed)
        cells.append(b"</row>")
        return b"".join(cells)


_Content = tuple[str, bytes, int | None]
"""The text of a cell, its XML after the style, and the style if not its column's."""


def _cell(value: Value, formats: Formats) -> _Content:
    if isinstance(value, Cell):
        return _copied_cell(value, formats)
    if isinstance(value, int | Decimal):
        text = f"{value:f}" if isinstance(value, Decimal) else str(value)
        if _is_exact(text):  # programs would lose digits of any other number
            return text, _value_markup(text), None
    return _text_cell(str(value))


def _text_cell(text: str) -> _Content:
    text = shown(text)
    return text, inline(text), None


def _value_markup(text: str, kind: bytes = b"") -> bytes:
    return b"%b><v>%b</v></c>" % (kind, text.encode())


def _copied_cell(cell: Cell, formats: Formats) -> _Content:
    """Return a cell of another file, of the same kind; a number to its last digit.

    A number whose format shows leading zeros becomes the text that it shows.
    """
    text = cell.text
    if cell.kind is Kind.NUMBER and cell.percent and formats.percent is not None:
        return text, _value_markup(text), formats.percent
    if cell.kind is Kind.NUMBER and not cell.percent and not (cell.zeros > 1 and _is_exact(text)):
        return text, _value_markup(text), None
    if cell.kind is Kind.DATE and _is_date(text):
        return text, _value_markup(text, b' t="d"'), formats.date
    if cell.kind is Kind.BOOLEAN:
        # In a number's format LibreOffice would show and save 1 for TRUE.
        return text, _value_markup(str(int(text == "TRUE")), b' t="b"'), _GENERAL
    if cell.kind in {Kind.ERROR, Kind.NO_RESULT}:
        other = _NO_RESULT if cell.kind is Kind.NO_RESULT else _UNKNOWN_ERROR
        text = text if text in _ERRORS else other
        return text, _value_markup(text, b' t="e"'), None
    return _text_cell(as_shown(cell))


def _is_exact(digits: str) -> bool:
    """True if programs show every digit of a number."""
    return sum(map(str.isdigit, digits)) <= SHOWN_DIGITS


def _is_date(text: str) -> bool:
    """True if every program reads the text as a date, which excludes times and durations."""
    with suppress(ValueError):
        return datetime.fromisoformat(text).isoformat()[: len(text)] == text
    return False


def _field(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, Cell):
        return _field(as_shown(value))
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    return FORBIDDEN.sub("\ufffd", text).encode("utf-8", "replace").decode("utf-8")


def _read(sheet: Sheet, after: int) -> Digest:
    digest = Digest()
    for block in sheet.blocks(after):
        digest.add_block(block, block.used(0))
    return digest


# Convert a spreadsheet of another format to a workbook, in which results can be written.


DATE, PERCENT = "yyyy-mm-dd", "0.00%"


def write_as_workbook(
    path: Path, target: Path, limits: ReadingLimits = DEFAULT_LIMITS, csv_fallback: str = ""
) -> None:
    """Write all rows of a spreadsheet into an .xlsx; every cell keeps its kind.

    Raises:
        FileProblem: the file cannot be read.
    """
    from openpyxl import Workbook  # slow to import

    with (
        open_source(path, limits=limits, csv_fallback=csv_fallback) as source,
        temporary_folder() as folder,
    ):
        book = Workbook()
        book.remove(book.worksheets[0])
        for entry in source.sheets:
            sheet = book.create_sheet(entry.name)
            sheet.sheet_state = "hidden" if entry.hidden else "visible"
        styles = []
        for letters, code in (("XFC", DATE), ("XFD", PERCENT)):
            # openpyxl writes only formats that are used: an unused column uses this one.
            column = book.worksheets[0].column_dimensions[letters]
            column.number_format = code
            styles.append(column.style_id)
        book.save(empty := folder / "empty.xlsx")
        rows = {entry.name: _rows(source.sheet(entry.name).blocks()) for entry in source.sheets}
        fill_workbook(empty, target, rows, limits, Formats(*styles))


def _rows(blocks: Iterator[Block]) -> Iterator[Sequence[Cell]]:
    """Yield the rows from 1 on; rows that the file does not have are blank."""
    expected = 1
    for block in blocks:
        columns = [list(map(block.decode, block.column(index))) for index in range(block.width)]
        for position, number in enumerate(block.rows):
            yield from ((),) * (number - expected)
            yield [column[position] for column in columns]
            expected = number + 1
