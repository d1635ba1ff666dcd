"""Read OpenDocument spreadsheets (.ods, .fods) with lxml (OpenDocument 1.3, part 3, 9)."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import NumberStyle
from feedtool.sheets.read.errors import SAVE_AS_XLSX, Encrypted, OdsUnsupported, ZipBomb
from feedtool.sheets.read.others.rows import (
    MOST_REPEATED,
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    date_cell,
    number_cell,
    put_cell,
    text_cell,
)
from feedtool.sheets.read.others.xml_2003 import MOST_SHEETS, elements
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW, CellRange

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
SHEET, ROW, SHEET_STYLE = f"{TABLE}table", f"{TABLE}table-row", f"{STYLE}style"
CELL, COVERED = f"{TABLE}table-cell", f"{TABLE}covered-table-cell"
SPREADSHEET = f"{OFFICE}spreadsheet"
_ERROR = re.compile(r"#(?:N/A|[A-Z]+[!?]|DIV/0!)|Err:[0-9]+")
_TIME = re.compile(r"PT([0-9]+)H([0-9]+)M([0-9]+)(?:[.,][0-9]+)?S")
_DAY = 24
"""In hours."""
_MOST_BLANKS = 1000
"""Blanks of one run within a text at most."""

Part = Callable[..., Iterator[tuple[str, Any]]]
"""Yields the elements of these tags in a part of the document."""


def open_ods(package: ZipPackage) -> RowsSource:
    """Return the sheets of a spreadsheet. Encrypted if it is protected by a password."""
    manifest = "META-INF/manifest.xml"
    if package.part(manifest) and b"encryption-data" in package.read(manifest):
        raise Encrypted(
            tr("The spreadsheet is protected by a password."),
            tr("Open it, and save it again without a password."),
        )
    return _source(lambda *tags: elements(package.stream("content.xml"), *tags), package)


def open_fods(pieces: Callable[[], Iterable[bytes]]) -> RowsSource:
    """Return the sheets of a flat spreadsheet. OdsUnsupported for another flat document."""
    return _source(lambda *tags: elements(pieces(), *tags))


def _source(content: Part, package: ZipPackage | None = None) -> RowsSource:
    names: list[tuple[str, bool]] = []
    hidden: set[str] = set()
    is_spreadsheet = False
    for event, element in content(SPREADSHEET, SHEET, ROW, SHEET_STYLE):
        if element.tag == SPREADSHEET:
            is_spreadsheet = True
        elif element.tag == SHEET and event == "start":
            is_hidden = element.get(f"{TABLE}style-name") in hidden
            names.append((element.get(f"{TABLE}name", ""), is_hidden))
            if len(names) > MOST_SHEETS:
                raise Damage(tr("it has more than {most} sheets", most=MOST_SHEETS))
        elif element.tag == SHEET_STYLE and any(
            child.get(f"{TABLE}display") == "false" for child in element
        ):
            hidden.add(element.get(f"{STYLE}name", ""))
    if not is_spreadsheet:
        raise OdsUnsupported(
            tr("The file is an OpenDocument file, and no spreadsheet."), SAVE_AS_XLSX
        )
    return RowsSource(
        "ods",
        [
            RowsTable(name, partial(_rows, content, index), is_hidden)
            for index, (name, is_hidden) in enumerate(names)
        ],
        OdsUnsupported,
        package,
    )


def _rows(content: Part, index: int) -> Generator[CellRow]:
    """Yield the rows of one table, without blank rows that are only counted."""
    sheet, number, repeated = -1, 0, 0
    for event, element in content(SHEET, ROW):
        if element.tag == SHEET:
            sheet += event == "start"
            if sheet > index:
                return
        elif event == "end" and sheet == index:
            cells, merged = _cells(element, number + 1)
            hidden = element.get(f"{TABLE}visibility") in {"collapse", "filter"}
            last = number + _count(element, "rows")
            if cells:
                repeated += len(cells) * (min(last, LAST_ROW + 1) - number) - len(element)
                if repeated > MOST_REPEATED:
                    raise ZipBomb(
                        tr(
                            "The sheet repeats its cells more than {most:,} times.",
                            most=MOST_REPEATED,
                        ),
                        tr("Remove the rows and columns that only repeat others."),
                    )
                first = number + 1
                yield CellRow(first, cells, hidden, merged)
                for copy in range(first + 1, last + 1):
                    yield CellRow(copy, cells, hidden)
            number = last


def _count(element: Any, what: str, how: str = "repeated") -> int:
    return max(1, int(element.get(f"{TABLE}number-{what}-{how}", 1)))


def _cells(row: Any, number: int) -> tuple[list[Cell], list[CellRange]]:
    """Return the cells of a row, and the ranges of merged cells that begin in it."""
    cells: list[Cell] = []
    merged: list[CellRange] = []
    column = 0
    for element in row.iterchildren(CELL, COVERED):
        cell = BLANK if element.tag == COVERED else _cell(element)
        count = _count(element, "columns")
        if cell is not BLANK:
            put_cell(cells, column, cell)
            cells += [cell] * (min(count, LAST_COLUMN + 1 - column) - 1)
        width, height = (_count(element, what, "spanned") for what in ("columns", "rows"))
        if width > 1 or height > 1:
            merged.append(CellRange(number, column, number + height - 1, column + width - 1))
        column += count
    return cells, merged


def _cell(element: Any) -> Cell:
    kind = element.get(f"{OFFICE}value-type")
    text = "\n".join(_paragraph(part) for part in element.iterfind(f"{TEXT}p"))
    formula = element.get(f"{TABLE}formula", "")
    if element.get(f"{CALC}value-type") == "error" or (formula and _ERROR.fullmatch(text)):
        return Cell(Kind.ERROR, text or "#N/A")
    match kind:
        case "float" | "currency" | "percentage":
            value = Decimal(element.get(f"{OFFICE}value"))
            is_padded = text.isdecimal() and text.startswith("0") and int(text) == value
            zeros = len(text) if is_padded else 0
            return number_cell(value, NumberStyle(percent=kind == "percentage", zeros=zeros))
        case "date" | "time":
            return _moment(element.get(f"{OFFICE}{kind}-value", text))
        case "boolean":
            return Cell(Kind.BOOLEAN, element.get(f"{OFFICE}boolean-value", "").upper())
        case None if formula and not text:
            return Cell(Kind.NO_RESULT, formula)
    return text_cell(text or element.get(f"{OFFICE}string-value", ""))


def _moment(text: str) -> Cell:
    """Return the cell of a date, a time (in OpenDocument a duration), or a longer duration."""
    match = _TIME.fullmatch(text)
    if match and int(match[1]) >= _DAY:
        return Cell(Kind.DATE, text)
    return date_cell(":".join(match.groups()) if match else text)


def _paragraph(element: Any) -> str:
    """Return the text of a paragraph; its runs of blanks are elements."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{TEXT}s":
            parts.append(" " * min(int(child.get(f"{TEXT}c", 1)), _MOST_BLANKS))
        elif child.tag == f"{TEXT}tab":
            parts.append("\t")
        elif child.tag == f"{TEXT}line-break":
            parts.append("\n")
        elif child.tag != f"{OFFICE}annotation":
            parts.append(_paragraph(child))
        parts.append(child.tail or "")
    return "".join(parts)
