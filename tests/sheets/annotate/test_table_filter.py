"""The filter over the table: ours, none where the sheet has one of its own or could not use it."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.table import Table as ExcelTable

from feedtool.sheets.annotate import Finish, Note
from tests.corpus.books import SHEET
from tests.corpus.made import data
from tests.corpus.made import package as package_of
from tests.sheets.conftest import Make, Part

WORKBOOK = "xl/workbook.xml"


def row(number: int, more: str = "", first: str = "B") -> str:
    cells = "".join(f'<c r="{name}{number}"><v>1</v></c>' for name in (first, "C"))
    return f'<row r="{number}"{more}>{cells}</row>'


ROWS = row(1) + row(2) + row(3)
NOTES = [Note(3, "Invalid", "m", "c")]


def filters(path: Path) -> tuple[str | None, list[str]]:
    """The range of the sheet's filter, and the names that the workbook has for it."""
    book = load_workbook(path)
    with zipfile.ZipFile(path) as package:
        names = package.read(WORKBOOK).decode()
    known = [name for name in ("_feedtool_filter", "_xlnm._FilterDatabase") if name in names]
    assert all(names.count(f'"{name}"') == 1 for name in known)
    return book["Offers"].auto_filter.ref, known


OURS = ["_feedtool_filter", "_xlnm._FilterDatabase"]


def test_the_filter_is_over_the_table_and_our_columns(make_sheet: Make, annotated: Make) -> None:
    source = make_sheet(ROWS)
    once = annotated(source, NOTES)
    assert filters(once) == ("B1:F3", OURS)
    assert annotated(once, NOTES, name="twice.xlsx").read_bytes() == once.read_bytes()
    assert filters(annotated(once, NOTES, name="keys.xlsx", last_header_row=2))[0] == "B2:F3"


@pytest.mark.parametrize("finish", ["plain", "bare"])
def test_a_plain_copy_takes_it_back(
    make_sheet: Make, annotated: Make, part: Part, finish: Finish
) -> None:
    source = make_sheet(ROWS)
    after = annotated(annotated(source, NOTES), NOTES, name="after.xlsx", finish=finish)
    plain = annotated(source, NOTES, name="plain.xlsx", finish=finish)
    assert [part(after, name) for name in (SHEET, WORKBOOK)] == [
        part(plain, name) for name in (SHEET, WORKBOOK)
    ]
    assert filters(after) == (None, [])


FILTER = '<autoFilter ref="B1:C3"/>'
NO_FILTER = {
    "one of its own": (data(ROWS, after=FILTER), "B1:C3"),
    "merged cells in the table": (
        data(ROWS, after='<mergeCells><mergeCell ref="B2:B3"/></mergeCells>'),
        None,
    ),
    "a protected sheet": (data(ROWS, after='<sheetProtection sheet="1"/>'), None),
    "hidden keys": (data(row(1) + row(2, ' hidden="1"') + row(3)), None),
    "no rows": (data(row(1) + row(2)), None),
}


@pytest.mark.parametrize(("sheet", "ref"), NO_FILTER.values(), ids=NO_FILTER)
def test_sheets_without_our_filter(
    make_sheet: Make, annotated: Make, sheet: str, ref: str | None
) -> None:
    notes = [Note(2, "s", "m", "c")]
    copy = annotated(make_sheet(sheet=sheet), notes, last_header_row=2)
    assert filters(copy) == (ref, [])


def test_cells_that_are_merged_above_the_table_are_no_hindrance(
    make_sheet: Make, annotated: Make
) -> None:
    merged = data(ROWS, after='<mergeCells><mergeCell ref="A1:C1"/></mergeCells>')
    copy = annotated(make_sheet(sheet=merged), NOTES, header_row=2)
    assert filters(copy)[0] == "B2:F3"


def test_a_table_keeps_its_own_filter(make_sheet: Make, annotated: Make) -> None:
    source = make_sheet(ROWS)
    book = load_workbook(source)
    for cell in book["Offers"][1]:
        cell.value = f"column {cell.coordinate}"
    book["Offers"].add_table(ExcelTable(displayName="Mine", ref="B1:C3"))
    book.save(source)
    assert filters(annotated(source, NOTES)) == (None, [])


def test_a_name_that_a_filter_has_left_behind_is_a_doubt(make_sheet: Make, annotated: Make) -> None:
    source = make_sheet(ROWS)
    book = load_workbook(source)
    book["Offers"].auto_filter.ref = "B1:C2"
    book.save(source)
    with zipfile.ZipFile(source) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    parts[SHEET] = parts[SHEET].replace(b'<autoFilter ref="B1:C2"/>', b"")
    source.write_bytes(package_of(parts))
    assert filters(annotated(source, NOTES))[0] is None


def test_a_filter_with_a_choice_is_the_user_s(make_sheet: Make, annotated: Make) -> None:
    once = annotated(make_sheet(ROWS), NOTES)
    book = load_workbook(once)
    book["Offers"].auto_filter.add_filter_column(2, ["Invalid"])
    book.save(once)
    again = annotated(once, NOTES, name="again.xlsx")
    (column,) = load_workbook(again)["Offers"].auto_filter.filterColumn
    assert (column.colId, column.filters.filter) == (2, ["Invalid"])
    assert filters(again) == ("B1:F3", OURS)


def test_a_filter_that_was_taken_away_comes_again(make_sheet: Make, annotated: Make) -> None:
    once = annotated(make_sheet(ROWS), NOTES)
    with zipfile.ZipFile(once) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    parts[SHEET] = parts[SHEET].replace(b'<autoFilter ref="B1:F3"/>', b"")
    once.write_bytes(package_of(parts))
    assert filters(annotated(once, NOTES, name="again.xlsx")) == ("B1:F3", OURS)
