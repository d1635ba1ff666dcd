"""Read cells, formats and hidden rows of binary workbooks (.xlsb): [MS-XLSB]."""

from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from itertools import islice, takewhile
from struct import unpack_from
from typing import NamedTuple

from feedtool.model.cells import Cell, Kind
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import BUILT_IN, GENERAL, NumberStyle, style_of_code
from feedtool.sheets.read.errors import XlsbUnsupported
from feedtool.sheets.read.others.rows import (
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    number_cell,
    put_cell,
    text_cell,
)
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import MOST_MERGED, CellRange
from feedtool.sheets.read.workbook import read_relationships

# Records ([MS-XLSB] 2.3.2).
ROW, BLANK_CELL, RK, ERROR, BOOL, REAL, TEXT, SHARED = range(8)
FORMULA_TEXT, FORMULA_REAL, FORMULA_BOOL, FORMULA_ERROR = 8, 9, 10, 11
SHARED_ITEM, FORMAT, XF, RICH_TEXT = 19, 44, 47, 62
END_SHEET_DATA, BOOK_PROPERTIES, SHEET = 146, 153, 156
MERGED = 176
AFTER_MERGED = (178, 461, 476, 494, 573)
"""Records behind the merged cells: their end, conditional formats, margins, links, validations."""
BEGIN_CELL_XFS, END_CELL_XFS = 617, 618
SHORT = range(12, 19)
"""BLANK_CELL to SHARED without a column: the cell follows the previous one."""
_OF_SHORT = 11

ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}
WORKBOOK, SHARED_TEXTS, STYLES = "xl/workbook.bin", "xl/sharedStrings.bin", "xl/styles.bin"
_ABSENT = 0xFFFFFFFF
HEAD = 6
"""Bytes of a record's kind and size at most."""
FLAGS = 11
"""The place of a row's flags in its record."""
_RECORD_HIDDEN = 0x10


class _Book(NamedTuple):
    """The texts and styles that the cells of all sheets refer to."""

    texts: list[str]
    styles: list[NumberStyle]
    date1904: bool


def open_xlsb(package: ZipPackage) -> RowsSource:
    """Return the sheets of a binary workbook. A damaged one may raise any exception."""
    parts = {
        relation.id: relation.target
        for relation in read_relationships(package, "xl/_rels/workbook.bin.rels")
        if relation.kind == "worksheet"
    }
    sheets: list[tuple[str, str, bool]] = []
    sheet_of_part: dict[str, str] = {}
    date1904 = False
    for kind, data in _records(package, WORKBOOK):
        if kind == BOOK_PROPERTIES:
            date1904 = bool(data[0] & 1)
        elif kind == SHEET:
            (state,) = unpack_from("<I", data)
            relation, after = _wide(data, 8)
            name, _ = _wide(data, after)
            if relation in parts:
                part = parts[relation]
                if part in sheet_of_part:
                    first = sheet_of_part[part]
                    raise Damage(
                        tr(
                            "sheets “{first}” and “{second}” have one part",
                            first=first,
                            second=name,
                        )
                    )
                sheet_of_part[part] = name
                sheets.append((name, part, state != 0))
    book = _Book(_shared_texts(package), _styles(package), date1904)
    return RowsSource(
        "xlsb",
        [
            RowsTable(name, partial(_rows, package, part, book), hidden)
            for name, part, hidden in sheets
        ],
        XlsbUnsupported,
        package,
    )


def _records(package: ZipPackage, part: str) -> Iterator[tuple[int, bytes]]:
    """Yield the kinds and the data of a part's records. Damage for an incomplete record."""
    buffer, start = b"", 0
    chunks = package.stream(part)
    while True:
        while len(buffer) - start < HEAD and (more := next(chunks, b"")):
            buffer, start = buffer[start:] + more, 0
        if start >= len(buffer):
            return
        kind, start = _number(buffer, start, 2)
        size, start = _number(buffer, start, 4)
        if size > package.limits.text:
            raise ValueError(f"a record of {size:,} bytes")
        while len(buffer) - start < size and (more := next(chunks, b"")):
            buffer, start = buffer[start:] + more, 0
        if len(buffer) - start < size:
            raise Damage(tr("it is cut off"))
        yield kind, buffer[start : start + size]
        start += size


def _number(buffer: bytes, start: int, most: int) -> tuple[int, int]:
    """Return a number of at most `most` bytes, seven bits in each, and its end."""
    number, end = 0, start
    for group in range(most):
        byte = buffer[end]
        end += 1
        number |= (byte & 0x7F) << (7 * group)
        if not byte & 0x80:
            break
    return number, end


def _wide(data: bytes, start: int) -> tuple[str, int]:
    """Return a text in UTF-16, and its end."""
    (length,) = unpack_from("<I", data, start)
    if length == _ABSENT:
        return "", start + 4
    end = start + 4 + 2 * length
    if end > len(data):
        raise Damage(tr("it is cut off"))
    return data[start + 4 : end].decode("utf-16-le", "surrogatepass"), end


def _shared_texts(package: ZipPackage) -> list[str]:
    if package.part(SHARED_TEXTS) is None:
        return []
    texts, size = [], 0
    for kind, data in _records(package, SHARED_TEXTS):
        if kind == SHARED_ITEM:
            texts.append(_wide(data, 1)[0])
            size += len(data)
            if size > package.limits.strings:
                raise Damage(tr("the file is damaged"))
    return texts


def _styles(package: ZipPackage) -> list[NumberStyle]:
    codes: dict[int, str] = {}
    styles: list[NumberStyle] = []
    is_of_cells = False
    for kind, data in _records(package, STYLES) if package.part(STYLES) else ():
        if kind == FORMAT:
            codes[unpack_from("<H", data)[0]] = _wide(data, 2)[0]
        elif kind in {BEGIN_CELL_XFS, END_CELL_XFS}:
            is_of_cells = kind == BEGIN_CELL_XFS
        elif kind == XF and is_of_cells:
            (number,) = unpack_from("<H", data, 2)
            code = codes.get(number)
            styles.append(
                style_of_code(code) if code is not None else BUILT_IN.get(number, GENERAL)
            )
    return styles


def _rows(package: ZipPackage, part: str, book: _Book) -> Generator[CellRow]:
    row: CellRow | None = None
    cells: list[Cell] = []
    column = -1
    records = _records(package, part)
    for kind, data in records:
        if kind == ROW:
            if row:
                yield row
            cells, column = [], -1
            hidden = bool(data[FLAGS] & _RECORD_HIDDEN)
            row = CellRow(unpack_from("<I", data)[0] + 1, cells, hidden)
        elif kind in _CELLS or kind in SHORT:
            short = (column + 1).to_bytes(4, "little") if kind in SHORT else b""
            full = short + data
            (column,) = unpack_from("<I", full)
            if read := _CELLS.get(kind - _OF_SHORT if short else kind):
                style = int.from_bytes(full[4:7], "little")
                known = book.styles[style] if style < len(book.styles) else GENERAL
                put_cell(cells, column, read(full, known, book))
        elif kind == END_SHEET_DATA:
            break
    rest = takewhile(lambda record: record[0] not in AFTER_MERGED, records)
    ranges = (unpack_from("<4I", data) for kind, data in rest if kind == MERGED)
    if row:
        yield row._replace(
            merged=[
                CellRange(first + 1, left, last + 1, right)
                for first, last, left, right in islice(ranges, MOST_MERGED)
            ]
        )


def _rk(data: bytes, style: NumberStyle, book: _Book) -> Cell:
    """Read a number of 32 bits: an integer or half a double, and perhaps a hundredth of it."""
    (raw,) = unpack_from("<i", data, 8)
    if raw & 2:
        value: float = raw >> 2
    else:
        (value,) = unpack_from("<d", b"\0\0\0\0" + (raw & ~3).to_bytes(4, "little", signed=True))
    return number_cell(value / 100 if raw & 1 else value, style, date1904=book.date1904)


def _real(data: bytes, style: NumberStyle, book: _Book) -> Cell:
    return number_cell(unpack_from("<d", data, 8)[0], style, date1904=book.date1904)


def _boolean(data: bytes, _: NumberStyle, __: _Book) -> Cell:
    return Cell(Kind.BOOLEAN, "TRUE" if data[8] else "FALSE")


def _error(data: bytes, _: NumberStyle, __: _Book) -> Cell:
    return Cell(Kind.ERROR, ERRORS.get(data[8], "#N/A"))


_CELLS: Mapping[int, Callable[[bytes, NumberStyle, _Book], Cell]] = {
    RK: _rk,
    ERROR: _error,
    FORMULA_ERROR: _error,
    BOOL: _boolean,
    FORMULA_BOOL: _boolean,
    REAL: _real,
    FORMULA_REAL: _real,
    TEXT: lambda data, _, __: text_cell(_wide(data, 8)[0]),
    FORMULA_TEXT: lambda data, _, __: text_cell(_wide(data, 8)[0]),
    RICH_TEXT: lambda data, _, __: text_cell(_wide(data, 9)[0]),
    SHARED: lambda data, _, book: text_cell(book.texts[unpack_from("<I", data, 8)[0]]),
}
