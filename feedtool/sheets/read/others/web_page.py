"""HTML tables, which many shops export as .xls, by lxml."""

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
from feedtool.sheets.read.code_pages import MOST_WORDS, USUAL, find_page, words_in
from feedtool.sheets.read.csv_encoding import unicode_of
from feedtool.sheets.read.errors import SAVE_AS_XLSX, HtmlAsXls
from feedtool.sheets.read.number_formats import DateKind, style_of_code
from feedtool.sheets.read.others.rows import (
    LARGEST,
    MOST_REPEATED,
    CellRow,
    Damage,
    RowsSource,
    RowsTable,
    number_cell,
    place,
    text_cell,
)
from feedtool.sheets.read.source import LAST_COLUMN

_MOST_TABLES = 100
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HEAD = 1 << 14
"""Bytes in which a page declares its encoding."""
_WIDEST, _HIGHEST = 1000, 65_534
"""The largest spans of a cell that browsers know (HTML, 4.9.11)."""
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_NUMBER = re.compile("[0-9]{1,9}")
_LINE = "\u2028"
"""In the place of a line break."""
_SHOWN: Any = etree.XPath("descendant::text() | descendant::br", smart_strings=False)
_PLAIN = re.compile(r"(?:general|[#0.,]*%?)", re.IGNORECASE)
"""A format of numbers that says the same in every language."""


def open_html(path: Path, csv_fallback: str) -> RowsSource:
    """The tables of a web page. HtmlAsXls where it has none, or is too large."""
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
            tr(
                "Download the file again, or open it in a browser. {hint}",
                hint=SAVE_AS_XLSX,
            ),
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
    """The text of a page: what is UTF-8 is, whatever the page says; Latin-1 means Windows-1252."""
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
    """The columns that cells reach down into, and the last row that they reach."""
    spanned = 0
    for number, row in enumerate(table.iter("tr"), 1):
        cells: list[Cell] = []
        at = 0
        for element in row.iterchildren("td", "th"):
            while until.get(at, 0) >= number:
                at += 1
                spanned += 1
            if at > LAST_COLUMN:
                raise Damage(
                    tr(
                        "a cell in column {number} is out of order, or outside the grid",
                        number=at + 1,
                    )
                )
            cell = _cell(element)
            if cell is not BLANK:
                place(cells, at, cell)
            width, height = _span(element, "col", _WIDEST), _span(element, "row", _HIGHEST)
            if height > 1:
                until |= dict.fromkeys(range(at, at + width), number + height - 1)
            at += width
            spanned += width - 1
        if spanned > MOST_REPEATED:
            raise HtmlAsXls(
                tr(
                    "The cells of a table span more than {most:,} others.",
                    most=MOST_REPEATED,
                ),
                SAVE_AS_XLSX,
            )
        yield CellRow(number, cells, bool(_NOT_SHOWN.search(row.get("style", ""))))


def _span(element: Any, way: str, most: int) -> int:
    text = element.get(f"{way}span")
    return max(1, min(int(text), most)) if text and _NUMBER.fullmatch(text) else 1


def _cell(element: Any) -> Cell:
    """The cell as it is shown; a number as the page says it, where its format tells what it is."""
    shown = "".join(part if isinstance(part, str) else _LINE for part in _SHOWN(element))
    text = "\n".join(" ".join(line.split()) for line in shown.strip(_LINE).split(_LINE))
    for value, code in _numbers(element.attrib, text):
        style = style_of_code(code)
        if style.moment is not DateKind.NONE or style.zeros or _PLAIN.fullmatch(code):
            return number_cell(float(value), style)
    return text_cell(text)


def _numbers(attributes: Mapping[str, str], text: str) -> Iterator[tuple[str, str]]:
    """The number of a cell and its format, as LibreOffice, SheetJS and Excel write them."""
    if not any(map(str.isdigit, text)):  # an error, or a truth
        return
    if "sdval" in attributes and not text.startswith("Err:"):
        yield attributes["sdval"], attributes.get("sdnum", ";;").split(";", 2)[-1]
    if attributes.get("data-t") == "n":
        yield attributes.get("data-v", ""), attributes.get("data-z", "")
    if attributes.get("x:num") and "E+" in text.upper():
        yield attributes["x:num"], ""
