"""OpenDocument spreadsheets (.ods), by lxml (OpenDocument 1.3, part 3, 9)."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Literal

from lxml import etree

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.sheets.read.errors import SAVE_AS_XLSX, CorruptXml, OdsUnsupported
from feedtool.sheets.read.number_formats import GENERAL, NumberStyle
from feedtool.sheets.read.others.rows import (
    CellRow,
    RowsSource,
    Table,
    in_grid,
    number_cell,
    text_cell,
)
from feedtool.sheets.read.package import ZipPackage

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
NUMBER = "{urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0}"
CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
CONTENT = "content.xml"

Styles = Mapping[str, NumberStyle]


def open_ods(package: ZipPackage) -> RowsSource:
    """The sheets of a spreadsheet. OdsUnsupported for another OpenDocument file."""
    styles: dict[str, NumberStyle] = {}
    names: list[tuple[str, bool]] = []
    hidden = _hidden_styles(package)
    is_spreadsheet = False
    for _, element in _elements(package, (f"{TABLE}table", f"{OFFICE}spreadsheet"), ("start",)):
        if element.tag == f"{OFFICE}spreadsheet":
            is_spreadsheet = True
        else:
            name = element.get(f"{TABLE}name", "")
            names.append((name, element.get(f"{TABLE}style-name") in hidden))
    if not is_spreadsheet:
        raise OdsUnsupported("The file is an OpenDocument file, and no spreadsheet.", SAVE_AS_XLSX)
    styles |= _cell_styles(package)
    return RowsSource(
        "ods",
        [
            Table(name, partial(_rows, package, at, styles), off)
            for at, (name, off) in enumerate(names)
        ],
        package,
    )


def _elements(
    package: ZipPackage, tags: tuple[str, ...], events: tuple[Literal["start", "end"], ...]
) -> Iterator[tuple[str, Any]]:
    """Elements of the content as they come; CorruptXml where it is no XML."""
    parser = etree.XMLPullParser(events, tag=tags, resolve_entities=False, no_network=True)
    try:
        for piece in package.stream(CONTENT):
            parser.feed(piece)
            yield from parser.read_events()
        parser.close()
        yield from parser.read_events()
    except etree.XMLSyntaxError as error:
        raise CorruptXml(
            f"Part {CONTENT} of the spreadsheet is damaged: {error.msg}.", SAVE_AS_XLSX
        ) from error


def _hidden_styles(package: ZipPackage) -> set[str]:
    """The styles of tables that are not shown."""
    return {
        element.get(f"{STYLE}name", "")
        for _, element in _elements(package, (f"{STYLE}style",), ("end",))
        if any(child.get(f"{TABLE}display") == "false" for child in element)
    }


def _cell_styles(package: ZipPackage) -> dict[str, NumberStyle]:
    """The number styles of cells by the names of their styles: zeros in front."""
    zeros: dict[str, int] = {}
    styles: dict[str, NumberStyle] = {}
    tags = (f"{NUMBER}number-style", f"{STYLE}style")
    for _, element in _elements(package, tags, ("end",)):
        name = element.get(f"{STYLE}name", "")
        if element.tag == tags[0]:
            digits = [int(child.get(f"{NUMBER}min-integer-digits") or 0) for child in element]
            zeros[name] = max(digits, default=0)
        elif least := zeros.get(element.get(f"{STYLE}data-style-name", ""), 0):
            styles[name] = NumberStyle(zeros=least if least > 1 else 0)
    return styles


def _rows(package: ZipPackage, wanted: int, styles: Styles) -> Generator[CellRow]:
    """The rows of one table; blank ones that are only counted are left out."""
    table, number = -1, 0
    column_styles: list[str] = []
    tags = (f"{TABLE}table", f"{TABLE}table-row", f"{TABLE}table-column")
    for event, element in _elements(package, tags, ("start", "end")):
        if element.tag == tags[0]:
            if event == "start":
                table += 1
            elif table == wanted:
                return
            else:
                element.clear()
            continue
        if event == "start" or table != wanted:
            continue
        if element.tag == tags[2]:
            count = min(_count(element, "number-columns-repeated"), 1024)
            column_styles += [element.get(f"{TABLE}default-cell-style-name", "")] * count
            continue
        cells = _cells(element, styles, column_styles)
        hidden = element.get(f"{TABLE}visibility") in {"collapse", "filter"}
        repeated = _count(element, "number-rows-repeated")
        for _ in range(repeated if cells else 0):
            number += 1
            if in_grid(number, 0):
                yield CellRow(number, cells, hidden)
        if not cells:
            number += repeated
        element.clear()


def _count(element: Any, name: str) -> int:
    text = element.get(f"{TABLE}{name}", "1")
    return int(text) if text.isdecimal() else 1


def _cells(row: Any, styles: Styles, columns: list[str]) -> list[Cell]:
    cells: list[Cell] = []
    blanks = 0
    for element in row:
        if element.tag not in {f"{TABLE}table-cell", f"{TABLE}covered-table-cell"}:
            continue
        at = len(cells) + blanks
        default = columns[at] if at < len(columns) else ""
        style = styles.get(element.get(f"{TABLE}style-name") or default, GENERAL)
        cell = BLANK if "covered" in element.tag else _cell(element, style)
        count = _count(element, "number-columns-repeated")
        if cell.kind is Kind.BLANK:
            blanks += count
            continue
        cells += [BLANK] * blanks
        blanks = 0
        cells += [cell] * (count if in_grid(1, len(cells) + count - 1) else 1)
    return cells


def _cell(element: Any, style: NumberStyle) -> Cell:
    kind = element.get(f"{OFFICE}value-type")
    text = "\n".join(_paragraph(part) for part in element.iterfind(f"{TEXT}p"))
    if element.get(f"{CALC}value-type") == "error" or (kind == "string" and text == "#N/A"):
        return Cell(Kind.ERROR, text or "#N/A")
    match kind:
        case "float" | "currency" | "percentage":
            with suppress(InvalidOperation):
                value = Decimal(element.get(f"{OFFICE}value", ""))
                percent = kind == "percentage"
                return number_cell(value, NumberStyle(percent=percent, zeros=style.zeros))
        case "date" | "time":
            moment = element.get(f"{OFFICE}{kind}-value", "")
            return Cell(Kind.DATE, moment.removesuffix("T00:00:00"))
        case "boolean":
            return Cell(Kind.BOOLEAN, element.get(f"{OFFICE}boolean-value", "").upper())
    return text_cell(text)


def _paragraph(element: Any) -> str:
    """The text of a paragraph; runs of blanks are elements of their own."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{TEXT}s":
            parts.append(" " * int(child.get(f"{TEXT}c") or 1))
        elif child.tag == f"{TEXT}tab":
            parts.append("\t")
        elif child.tag == f"{TEXT}line-break":
            parts.append("\n")
        elif child.tag != f"{OFFICE}annotation":
            parts.append(_paragraph(child))
        parts.append(child.tail or "")
    return "".join(parts)
