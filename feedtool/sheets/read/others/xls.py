"""Workbooks of Excel 97-2003 and older (.xls), by xlrd."""

from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import xlrd
from xlrd.biffh import XLRDError

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.limits import MIB
from feedtool.model.text import tr
from feedtool.sheets.read.errors import SAVE_AS_XLSX, Encrypted, LegacyXls
from feedtool.sheets.read.number_formats import GENERAL, DateKind, NumberStyle, style_of_code
from feedtool.sheets.read.others.rows import (
    LARGEST,
    CellRow,
    RowsSource,
    RowsTable,
    number_cell,
    text_cell,
)


def open_xls(path: Path) -> RowsSource:
    """The sheets of a workbook. LegacyXls where it is too large, Encrypted."""
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
            file_contents=path.read_bytes(),
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


class _Silent:
    """In the place of a log."""

    def write(self, text: str) -> None:
        """Forgets it."""


def _style(book: Any, number: int) -> NumberStyle:
    found = book.format_map.get(book.xf_list[number].format_key)
    return style_of_code(found.format_str) if found else GENERAL


def _rows(book: Any, sheet: Any, styles: list[NumberStyle]) -> Generator[CellRow]:
    for at in range(sheet.nrows):
        info = sheet.rowinfo_map.get(at)
        cells = [
            _cell(book, sheet.cell_type(at, column), sheet.cell_value(at, column), style)
            for column in range(sheet.row_len(at))
            for style in (styles[sheet.cell_xf_index(at, column)],)
        ]
        yield CellRow(at + 1, cells, bool(info and info.hidden))


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
