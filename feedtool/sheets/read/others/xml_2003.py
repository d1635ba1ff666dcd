"""Read XML spreadsheets of Excel 2003, which are often named .xls, with lxml."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from lxml import etree

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import GENERAL, DateKind, NumberStyle, style_of_code
from feedtool.sheets.read.errors import Xml2003AsXls, XmlDoctype
from feedtool.sheets.read.others.rows import (
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    date_cell,
    number_cell,
    put_cell,
    text_cell,
)
from feedtool.sheets.read.source import CellRange

# Read the elements of an XML spreadsheet one by one, in the memory of one row.


_LARGEST_ROW = 16 << 20
"""Bytes between two requested elements at most."""
MOST_SHEETS = 256
"""Sheets of a file at most; for each sheet the file is read from its beginning."""


def elements(pieces: Iterable[bytes], *tags: str) -> Iterator[tuple[str, Any]]:
    """Yield `start` and `end` of each element of these tags; after its end it is deleted.

    Raises XmlDoctype; Damage for malformed XML, and for a row that is too large.
    """
    parser = etree.XMLPullParser(
        ("start", "end"), tag=tags, resolve_entities=False, no_network=True
    )
    try:
        yield from _read_into(parser, pieces)
        parser.close()
    except etree.XMLSyntaxError as error:
        line, column = error.position
        where = tr("its XML is wrong in line {line}, column {column}", line=line, column=column)
        raise Damage(where) from error


def _read_into(parser: Any, pieces: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    size = 0
    is_first = True
    for piece in pieces:
        parser.feed(piece)
        size += len(piece)
        events: Iterator[tuple[str, Any]] = parser.read_events()
        for event, element in events:
            size = 0
            if is_first and element.getroottree().docinfo.doctype:
                raise XmlDoctype(
                    tr("The file declares a document type."),
                    tr("Do not trust it; have its sender make it anew in a spreadsheet program."),
                )
            is_first = False
            yield event, element
            if event == "end":
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        if size > _LARGEST_ROW:
            raise Damage(tr("a row is too large"))


SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
SHEET, STYLE, ROW = f"{SS}Worksheet", f"{SS}Style", f"{SS}Row"
OPTIONS = "{urn:schemas-microsoft-com:office:excel}WorksheetOptions"
NAMED = {
    "Percent": NumberStyle(percent=True),
    **dict.fromkeys(
        ("General Date", "Long Date", "Medium Date", "Short Date", "Long Time", "Short Time"),
        NumberStyle(DateKind.DATE),
    ),
}
"""Number formats of Excel 2003 that have a name instead of a code."""
_CLOCK = re.compile(r"18\d\d-\d\d-\d\dT|1904-01-01T")
"""The date of a mere time of the day: the day on which the calendar begins."""

Pieces = Callable[[], Iterable[bytes]]


def open_xml_2003(pieces: Pieces) -> RowsSource:
    """Return the sheets of an XML spreadsheet. Xml2003AsXls, XmlDoctype if it cannot be read."""
    styles: dict[str, NumberStyle] = {}
    sheets: list[str] = []
    hidden: set[int] = set()
    for event, element in elements(pieces(), SHEET, STYLE, ROW, OPTIONS):
        if event == "start":
            if element.tag == SHEET:
                sheets.append(element.get(f"{SS}Name", ""))
                if len(sheets) > MOST_SHEETS:
                    raise Damage(tr("it has more than {most} sheets", most=MOST_SHEETS))
        elif element.tag == STYLE:
            style = styles.get(element.get(f"{SS}Parent", ""), GENERAL)
            number_format = element.find(f"{SS}NumberFormat")
            if number_format is not None:
                code = number_format.get(f"{SS}Format", "")
                style = NAMED.get(code) or (style_of_code(code) if code else GENERAL)
            styles[element.get(f"{SS}ID", "")] = style
        elif element.tag == OPTIONS and any("Hidden" in (child.text or "") for child in element):
            hidden.add(len(sheets) - 1)
    return RowsSource(
        "xml-2003",
        [
            RowsTable(name, partial(_rows, pieces, index, styles), index in hidden)
            for index, name in enumerate(sheets)
        ],
        Xml2003AsXls,
    )


def _rows(pieces: Pieces, index: int, styles: dict[str, NumberStyle]) -> Generator[CellRow]:
    sheet, number = -1, 0
    for event, element in elements(pieces(), SHEET, ROW):
        if element.tag == SHEET:
            sheet += event == "start"
            if sheet > index:
                return
        elif event == "end" and sheet == index:
            number = int(element.get(f"{SS}Index", number + 1))
            cells, merged = _cells(element, styles, number)
            yield CellRow(number, cells, element.get(f"{SS}Hidden") == "1", merged)
            number += int(element.get(f"{SS}Span", 0))


def _cells(
    row: Any, styles: dict[str, NumberStyle], number: int
) -> tuple[list[Cell], list[CellRange]]:
    """Return the cells of a row, and the ranges of merged cells that begin in it."""
    cells: list[Cell] = []
    merged: list[CellRange] = []
    column = 0
    row_style = row.get(f"{SS}StyleID")
    for element in row.iterfind(f"{SS}Cell"):
        column = int(element.get(f"{SS}Index", column + 1)) - 1
        style = styles.get(element.get(f"{SS}StyleID", row_style), GENERAL)
        cell = _cell(element, style)
        if cell is not BLANK:
            put_cell(cells, column, cell)
        across, down = (int(element.get(f"{SS}Merge{way}", 0)) for way in ("Across", "Down"))
        if across or down:
            merged.append(CellRange(number, column, number + down, column + across))
        column += 1 + across
    return cells, merged


def _cell(element: Any, style: NumberStyle) -> Cell:
    data = element.find(f"{SS}Data")
    if data is None:
        formula = element.get(f"{SS}Formula", "")
        return Cell(Kind.NO_RESULT, formula) if formula else BLANK
    text = "".join(data.itertext())
    match data.get(f"{SS}Type"):
        case "Number":
            return number_cell(Decimal(text), style)
        case "DateTime":
            return date_cell(_CLOCK.sub("", text.removesuffix(".000")))
        case "Boolean":
            return Cell(Kind.BOOLEAN, "TRUE" if text == "1" else "FALSE")
        case "Error":
            return Cell(Kind.ERROR, text)
    return text_cell(text)
