"""Workbooks of Excel 97-2003 (.xls), by xlrd."""

from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.sheets.read.errors import SAVE_AS_XLSX, LegacyXls
from feedtool.sheets.read.number_formats import GENERAL, DateKind, NumberStyle, style_of_code
from feedtool.sheets.read.others.rows import CellRow, RowsSource, Table, number_cell, text_cell


def open_xls(path: Path) -> RowsSource:
    """The sheets of a workbook. LegacyXls where it cannot be read."""
    import xlrd

    try:
        book = xlrd.open_workbook(str(path), formatting_info=True, logfile=_Silent())
    except Exception as error:  # whatever a damaged file makes of it
        raise LegacyXls(
            f"The workbook of Excel 97-2003 (.xls) cannot be read: {error}.", SAVE_AS_XLSX
        ) from error
    styles = [_style(book, number) for number in range(len(book.xf_list))]
    return RowsSource(
        "xls",
        [
            Table(sheet.name, partial(_rows, book, sheet, styles), bool(sheet.visibility))
            for sheet in book.sheets()
        ],
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
            _cell(book, kind, value, styles[style])
            for kind, value, style in zip(
                sheet.row_types(at),
                sheet.row_values(at),
                [sheet.cell_xf_index(at, column) for column in range(sheet.row_len(at))],
                strict=True,
            )
        ]
        yield CellRow(at + 1, cells, bool(info and info.hidden))


def _cell(book: Any, kind: int, value: Any, style: NumberStyle) -> Cell:
    import xlrd

    match kind:
        case xlrd.XL_CELL_TEXT:
            return text_cell(value)
        case xlrd.XL_CELL_NUMBER:
            return number_cell(value, style)
        case xlrd.XL_CELL_DATE:
            dated = style if style.moment is not DateKind.NONE else NumberStyle(DateKind.DATE)
            return number_cell(value, dated, date1904=bool(book.datemode))
        case xlrd.XL_CELL_BOOLEAN:
            return Cell(Kind.BOOLEAN, "TRUE" if value else "FALSE")
        case xlrd.XL_CELL_ERROR:
            return Cell(Kind.ERROR, xlrd.error_text_from_code.get(value, "#N/A"))
    return BLANK
