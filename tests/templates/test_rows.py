"""Rows below the header of a template: the names of their sheets, and the columns that show."""

import csv
from pathlib import Path

from msgspec.structs import replace
from openpyxl import load_workbook

from feedtool.areas.registry import load
from feedtool.feeds.template import FIRST_ROW, Basis
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import Context
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import SheetRows, TableRows, write

UPDATE = load().feeds["offers-update"]
ROWS = TableRows([{UPDATE.requests.reference: "A-1", "action": "Update"}])
LIMITS = ReadingLimits()


def test_each_sheet_has_a_name_of_its_own(tmp_path: Path) -> None:
    contents = contents_of(UPDATE, Basis("en", Context()))
    sheets = [
        SheetRows(replace(contents, sheet=name), ROWS) for name in ("Offers", "offers", "Fields")
    ]
    target = tmp_path / "offers.xlsx"
    names = write(target, sheets, LIMITS)
    assert [*names] == ["Offers", "offers_2", "Fields_2"]
    book = load_workbook(target)
    assert book.sheetnames == ["Instructions", "Fields", *names, "_lists"]
    assert {book[name].cell(FIRST_ROW, 1).value for name in names} == {"A-1"}


def test_folded_columns_that_a_row_fills_are_shown(tmp_path: Path) -> None:
    folded = contents_of(UPDATE, Basis("en", Context()))
    shown = contents_of(UPDATE, Basis("en", Context(), keys=frozenset(ROWS.columns)))
    hidden = [
        {field.key for field in contents.fields if field.is_folded} for contents in (folded, shown)
    ]
    assert hidden[0] - hidden[1] == {"action"}
    target = tmp_path / "offers.csv"
    assert write(target, [SheetRows(folded, ROWS)], LIMITS) == ()
    with target.open(encoding="utf-8-sig", newline="") as file:
        header, row = csv.reader(file)
    assert dict(zip(header, row, strict=True))["action"] == "Update"
    assert hidden[1].isdisjoint(header)
