"""Read HTML tables, which many shops export as .xls, with lxml."""

import codecs
import re
from collections.abc import Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree, html

from feedtool.model.cells import BLANK, Cell
from feedtool.model.limits import MIB
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import DateKind, style_of_code
from feedtool.sheets.read.code_pages import MOST_WORDS, USUAL, find_page, words_in
from feedtool.sheets.read.csv_encoding import unicode_of
from feedtool.sheets.read.errors import SAVE_AS_XLSX, HtmlAsXls
from feedtool.sheets.read.others.rows import (
    LARGEST,
    MOST_REPEATED,
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    number_cell,
    put_cell,
    text_cell,
)
from feedtool.sheets.read.source import LAST_COLUMN

_MOST_TABLES = 100
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HEAD = 1 << 14
"""Bytes within which a page declares its encoding."""
_WIDEST, _HIGHEST = 1000, 65_534
"""The largest spans of a cell in browsers (HTML, 4.9.11)."""
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_NUMBER = re.compile("[0-9]{1,9}")
_LINE = "\u2028"
"""Marks a line break."""
_SHOWN: Any = etree.XPath("descendant::text() | descendant::br", smart_strings=False)
_PLAIN = re.compile(r"(?:general|[#0.,]*%?)", re.IGNORECASE)
"""A format of numbers that is the same in every language."""


def open_html(path: Path, csv_fallback: str) -> RowsSource:
    """Return the tables of a web page. HtmlAsXls if it has no tables, or is too large."""
    if path.stat().st_size > LARGEST:
        raise HtmlAsXls(
            tr("The web page is larger than {size} MiB.", size=LARGEST // MIB), SAVE_AS_XLSX
        )
    text = _decoded(path.read_bytes(), csv_fallback)
    if text.lstrip()[:4].casefold() == "mime":
        raise HtmlAsXls(tr("The file is a web archive (.mht)."), SAVE_AS_XLSX)
    page = html.document_fromstring(text.encode(), html.HTMLParser(encoding="utf-8"))
    tables = [table for table in page.iter("table") if next(table.iter("tr"), None) is not None]
    innermost = [table for table in tables if next(table.iterdescendants("table"), None) is None]
    if not innermost:
        raise HtmlAsXls(
            tr("The file is a web page (HTML) without a table: perhaps a login page."),
            tr("Download the file again, or open it in a browser. {hint}", hint=SAVE_AS_XLSX),
        )
    if len(innermost) > _MOST_TABLES:
        raise HtmlAsXls(
            tr("The web page holds {count:,} tables.", count=len(innermost)), SAVE_AS_XLSX
        )
    return RowsSource(
        "html",
        [
            RowsTable(f"Table {number}", partial(_rows, table))
            for number, table in enumerate(innermost, 1)
        ],
        HtmlAsXls,
    )


def _decoded(data: bytes, csv_fallback: str) -> str:
    """Decode a page: UTF-8 if it is valid, else the declared encoding; Latin-1 is Windows-1252."""
    mark, name = unicode_of(data[:_HEAD])
    if mark or b"\0" in data[:_HEAD]:
        return data[len(mark) :].decode(name, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        declared = _CHARSET.search(data[:_HEAD])
        page = find_page(sorted(words_in(data))[:MOST_WORDS], has_mac_lines=b"\n" not in data)
        csv_fallback = csv_fallback or (page.name if page else USUAL)
        name = declared[1].decode() if declared else csv_fallback
        try:
            known = codecs.lookup(name).name
        except LookupError:
            known = csv_fallback
        return data.decode("cp1252" if known in {"iso8859-1", "utf-8"} else known, "replace")


def _rows(table: Any) -> Generator[CellRow]:
    until: dict[int, int] = {}
    """The last rows of cells that span several rows, by column."""
    spanned = 0
    for number, row in enumerate(table.iter("tr"), 1):
        cells: list[Cell] = []
        column = 0
        for element in row.iterchildren("td", "th"):
            while until.get(column, 0) >= number:
                column += 1
                spanned += 1
            if column > LAST_COLUMN:
                raise Damage(
                    tr(
                        "a cell in column {number} is out of order, or outside the grid",
                        number=column + 1,
                    )
                )
            cell = _cell(element)
            if cell is not BLANK:
                put_cell(cells, column, cell)
            width, height = _span(element, "col", _WIDEST), _span(element, "row", _HIGHEST)
            if height > 1:
                until |= dict.fromkeys(range(column, column + width), number + height - 1)
            column += width
            spanned += width - 1
        if spanned > MOST_REPEATED:
            raise HtmlAsXls(
                tr("The cells of a table span more than {most:,} others.", most=MOST_REPEATED),
                SAVE_AS_XLSX,
            )
        yield CellRow(number, cells, bool(_NOT_SHOWN.search(row.get("style", ""))))


def _span(element: Any, direction: str, most: int) -> int:
    text = element.get(f"{direction}span")
    return max(1, min(int(text), most)) if text and _NUMBER.fullmatch(text) else 1


def _cell(element: Any) -> Cell:
    """Return a cell's text, or the page's number if its format is known."""
    shown = "".join(part if isinstance(part, str) else _LINE for part in _SHOWN(element))
    text = "\n".join(" ".join(line.split()) for line in shown.strip(_LINE).split(_LINE))
    for value, code in _numbers(element.attrib, text):
        style = style_of_code(code)
        if style.moment is not DateKind.NONE or style.zeros or _PLAIN.fullmatch(code):
            return number_cell(float(value), style)
    return text_cell(text)


def _numbers(attributes: Mapping[str, str], text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a cell with their formats, written by LibreOffice, SheetJS or Excel."""
    if not any(map(str.isdigit, text)):  # an error or a boolean
        return
    if "sdval" in attributes and not text.startswith("Err:"):
        yield attributes["sdval"], attributes.get("sdnum", ";;").split(";", 2)[-1]
    if attributes.get("data-t") == "n":
        yield attributes.get("data-v", ""), attributes.get("data-z", "")
    if attributes.get("x:num") and "E+" in text.upper():
        yield attributes["x:num"], ""
