"""Read workbooks of Excel 97-2003 and older (.xls) with xlrd."""

from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from struct import Struct, unpack, unpack_from
from typing import Any, NamedTuple

import xlrd
from xlrd.biffh import XLRDError

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.limits import MIB
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import (
    BUILT_IN,
    GENERAL,
    DateKind,
    NumberStyle,
    style_of_code,
)
from feedtool.sheets.read.errors import SAVE_AS_XLSX, Encrypted, LegacyXls
from feedtool.sheets.read.others.rows import (
    LARGEST,
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    number_cell,
    text_cell,
)
from feedtool.sheets.read.source import CellRange

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NO_SECTOR = 0xFFFFFFFA
"""The first of the numbers that are marks, not sectors."""
_LARGEST_SHIFT = 20
_ENTRY = Struct("<64sHxx3I36xII4x")


def open_xls(path: Path) -> RowsSource:
    """Return the sheets of a workbook. LegacyXls if it is too large; Encrypted."""
    if path.stat().st_size > LARGEST:
        raise LegacyXls(
            tr(
                "The workbook of Excel 97-2003 (.xls) is larger than {size} MiB.",
                size=LARGEST // MIB,
            ),
            SAVE_AS_XLSX,
        )
    try:
        book = xlrd.open_workbook(
            file_contents=workbook_stream(path.read_bytes()),
            formatting_info=True,
            ragged_rows=True,
            logfile=_Silent(),
        )
    except XLRDError as error:
        if "encrypted" in str(error):
            raise Encrypted(
                tr("The workbook is protected by a password."),
                tr("Open it, remove the password to open (File > Info), and save it again."),
            ) from error
        raise
    styles = [_style(book, number) for number in range(len(book.xf_list))]
    return RowsSource(
        "xls",
        [
            RowsTable(sheet.name, partial(_rows, book, sheet, styles), bool(sheet.visibility))
            for sheet in book.sheets()
        ],
        LegacyXls,
    )


def workbook_stream(data: bytes) -> bytes:
    """Return the records of a workbook, which may be in a compound file ([MS-CFB] 2)."""
    # Only the sectors of the workbook must be right: some programs let two streams share a sector,
    # or write a chain longer than its stream, and spreadsheet programs read such files.
    if not data.startswith(_COMPOUND):
        return data
    shift, small_shift = unpack_from("<2H", data, 30)
    first, _, cutoff, small_first, _, next_table, _, *places = unpack_from("<116I", data, 48)
    if not small_shift <= shift <= _LARGEST_SHIFT:
        raise Damage(tr("the file is damaged"))

    def sector(number: int) -> bytes:
        return data[(number + 1) << shift : (number + 2) << shift]

    def table(content: bytes) -> tuple[int, ...]:
        return unpack(f"<{len(content) // 4}I", content[: len(content) & -4])

    while next_table < _NO_SECTOR and len(places) << shift <= len(data):
        *more, next_table = table(sector(next_table))
        places += more
    nexts = table(b"".join(sector(place) for place in places if place < _NO_SECTOR))
    root, stream = find_workbook(_chain(nexts, first, sector))
    if stream.size >= cutoff:
        return _chain(nexts, stream.first, sector, stream.size)
    small, small_nexts = (_chain(nexts, start, sector) for start in (root.first, small_first))

    def small_sector(number: int) -> bytes:
        return small[number << small_shift : (number + 1) << small_shift]

    return _chain(table(small_nexts), stream.first, small_sector, stream.size)


class _Entry(NamedTuple):
    """An entry of the directory of a compound file."""

    name: bytes
    length: int
    """Bytes of the name with its two final NULs."""
    left: int
    right: int
    child: int
    first: int
    """The first sector."""
    size: int


def find_workbook(directory: bytes) -> tuple[_Entry, _Entry]:
    """Return the entries of the root and the workbook; Damage if there is no workbook."""
    root = _Entry(*_ENTRY.unpack_from(directory))
    streams, pending, seen = dict[str, _Entry](), [root.child], set[int]()
    while pending:
        number = pending.pop()
        if number not in seen and (number + 1) * _ENTRY.size <= len(directory):
            seen.add(number)
            entry = _Entry(*_ENTRY.unpack_from(directory, number * _ENTRY.size))
            name = entry.name[: max(0, entry.length - 2)].decode("utf-16-le", "replace")
            streams.setdefault(name.casefold(), entry)
            pending += (entry.left, entry.right)
    stream = streams.get("workbook") or streams.get("book")
    if stream is None:
        raise Damage(tr("it holds no workbook"))
    return root, stream


def _chain(
    nexts: Sequence[int], number: int, sector: Callable[[int], bytes], size: int | None = None
) -> bytes:
    """Return the bytes of a chain of sectors; Damage if it is shorter than `size`, or a circle."""
    content = bytearray()
    for _ in nexts:
        if number >= len(nexts) or (size is not None and len(content) >= size):
            break
        content += sector(number)
        number = nexts[number]
    if len(content) < (size or 0) or (size is None and number < len(nexts)):
        raise Damage(tr("it is cut off"))
    return bytes(content[:size])


class _Silent:
    """A log that keeps nothing."""

    def write(self, text: str) -> None:
        """Ignore a text."""


def _style(book: Any, number: int) -> NumberStyle:
    key = book.xf_list[number].format_key
    format_ = book.format_map.get(key)
    if format_ and format_.format_str is None:  # a built-in format, which differs by country
        return BUILT_IN.get(key, GENERAL)
    return style_of_code(format_.format_str) if format_ else GENERAL


def _rows(book: Any, sheet: Any, styles: list[NumberStyle]) -> Generator[CellRow]:
    merged = defaultdict[int, list[CellRange]](list)
    for first, end, left, right in sheet.merged_cells:
        merged[first].append(CellRange(first + 1, left, end, right - 1))
    for row in range(sheet.nrows):
        info = sheet.rowinfo_map.get(row)
        cells = [
            _cell(book, sheet.cell_type(row, column), sheet.cell_value(row, column), style)
            for column in range(sheet.row_len(row))
            for style in (styles[sheet.cell_xf_index(row, column)],)
        ]
        yield CellRow(row + 1, cells, bool(info and info.hidden), merged.get(row, ()))


def _cell(book: Any, kind: int, value: Any, style: NumberStyle) -> Cell:
    match kind:
        case xlrd.XL_CELL_TEXT:
            return text_cell(value)
        case xlrd.XL_CELL_NUMBER:
            return number_cell(value, style, date1904=bool(book.datemode))
        case xlrd.XL_CELL_DATE:
            dated = style if style.moment is not DateKind.NONE else NumberStyle(DateKind.DATE)
            return number_cell(value, dated, date1904=bool(book.datemode))
        case xlrd.XL_CELL_BOOLEAN:
            return Cell(Kind.BOOLEAN, "TRUE" if value else "FALSE")
        case xlrd.XL_CELL_ERROR:
            return Cell(Kind.ERROR, xlrd.error_text_from_code.get(value, "#N/A"))
    return BLANK
