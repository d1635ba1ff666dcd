"""HTML tables and XML spreadsheets of Excel 2003, which both travel as .xls, by lxml."""

from collections.abc import Generator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree, html

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.limits import MIB
from feedtool.sheets.read.errors import SAVE_AS_XLSX, HtmlAsXls, Xml2003AsXls
from feedtool.sheets.read.number_formats import GENERAL, DateKind, NumberStyle, style_of_code
from feedtool.sheets.read.others.rows import (
    CellRow,
    RowsSource,
    Table,
    in_grid,
    number_cell,
    text_cell,
)

LARGEST = 256 * MIB
"""Bytes; these formats are read whole."""
SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
NAMED = {
    "Percent": NumberStyle(percent=True),
    **dict.fromkeys(
        ("General Date", "Long Date", "Medium Date", "Short Date", "Long Time", "Short Time"),
        NumberStyle(DateKind.DATE),
    ),
}
"""Number formats of Excel 2003 that have a name in the place of a code."""


def open_html(path: Path) -> RowsSource:
    """The tables of a web page. HtmlAsXls where it has none."""
    if path.stat().st_size > LARGEST:
        raise HtmlAsXls("The web page is too large to be read.", SAVE_AS_XLSX)
    try:
        page = html.parse(path, html.HTMLParser(no_network=True))
        tables = (
            page.getroot().xpath("//table[not(.//table)]") if page.getroot() is not None else []
        )
    except (etree.XMLSyntaxError, UnicodeDecodeError) as error:
        raise HtmlAsXls("The web page cannot be read.", SAVE_AS_XLSX) from error
    if not tables:
        raise HtmlAsXls(
            "The file is a web page (HTML) without a table: perhaps a login page.",
            "Download the file again.",
        )
    named = [(f"Table {number}", table) for number, table in enumerate(tables, 1)]
    return RowsSource("html", [Table(name, partial(_html_rows, table)) for name, table in named])


def _html_rows(table: Any) -> Generator[CellRow]:
    for number, row in enumerate(table.iter("tr"), 1):
        cells: list[Cell] = []
        for element in row:
            if element.tag not in {"td", "th"}:
                continue
            text = " ".join(element.text_content().replace("\xa0", " ").split())
            cells.append(text_cell(text))
            span = element.get("colspan", "1")
            cells += [BLANK] * (min(int(span), 1000) - 1 if span.isdecimal() else 0)
        yield CellRow(number, cells)


def open_xml_2003(path: Path) -> RowsSource:
    """The sheets of an XML spreadsheet. Xml2003AsXls where it cannot be read."""
    if path.stat().st_size > LARGEST:
        raise Xml2003AsXls("The XML spreadsheet is too large to be read.", SAVE_AS_XLSX)
    try:
        root = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
    except etree.XMLSyntaxError as error:
        raise Xml2003AsXls(
            f"The XML spreadsheet of Excel 2003 is damaged: {error.msg}.", SAVE_AS_XLSX
        ) from error
    styles = {
        style.get(f"{SS}ID", ""): _style(style.find(f"{SS}NumberFormat"))
        for style in root.iter(f"{SS}Style")
    }
    return RowsSource(
        "xml-2003",
        [
            Table(sheet.get(f"{SS}Name", ""), partial(_xml_rows, sheet, styles))
            for sheet in root.iter(f"{SS}Worksheet")
        ],
    )


def _style(element: Any) -> NumberStyle:
    code = element.get(f"{SS}Format", "") if element is not None else ""
    return NAMED.get(code) or (style_of_code(code) if code else GENERAL)


def _xml_rows(sheet: Any, styles: dict[str, NumberStyle]) -> Generator[CellRow]:
    number = 0
    for row in sheet.iterfind(f"{SS}Table/{SS}Row"):
        number = _index(row, number + 1)
        cells: list[Cell] = []
        for element in row.iterfind(f"{SS}Cell"):
            at = _index(element, len(cells) + 1) - 1
            if not in_grid(number, at):
                break
            cells += [BLANK] * (at - len(cells))
            cells.append(_xml_cell(element, styles.get(element.get(f"{SS}StyleID"), GENERAL)))
            across = element.get(f"{SS}MergeAcross", "0")
            cells += [BLANK] * (min(int(across), 1000) if across.isdecimal() else 0)
        yield CellRow(number, cells, row.get(f"{SS}Hidden") == "1")
        span = row.get(f"{SS}Span", "0")
        number += int(span) if span.isdecimal() else 0


def _index(element: Any, otherwise: int) -> int:
    index = element.get(f"{SS}Index", "")
    return max(int(index), otherwise) if index.isdecimal() else otherwise


def _xml_cell(element: Any, style: NumberStyle) -> Cell:
    data = element.find(f"{SS}Data")
    if data is None:
        formula = element.get(f"{SS}Formula", "")
        return Cell(Kind.NO_RESULT, formula) if formula else BLANK
    text = "".join(data.itertext())
    match data.get(f"{SS}Type"):
        case "Number":
            with suppress(InvalidOperation):
                return number_cell(Decimal(text), style)
        case "DateTime":
            return Cell(Kind.DATE, text.removesuffix(".000").removesuffix("T00:00:00"))
        case "Boolean":
            return Cell(Kind.BOOLEAN, "TRUE" if text == "1" else "FALSE")
        case "Error":
            return Cell(Kind.ERROR, text)
    return text_cell(text)
