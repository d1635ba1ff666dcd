"""The findings of a check are kept with a run, and equal a second check."""

from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.check import EVERY_ROW, Input, ReadOptions, check
from feedtool.model.nouns import Item, Problem, Severity
from feedtool.model.sheet import VALID, CheckedRows, CheckedSheet, ProblemSpool, rows_of
from feedtool.model.text import LanguageChoice
from feedtool.report.as_json import write_json
from feedtool.report.sheet_result import SheetResult
from feedtool.report.text import write_text
from feedtool.runs import row_notes
from feedtool.runs.codes import all_codes
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions, read_sheets, write_sheets
from tests.conftest import Files, offer

SAMPLES = Path(__file__).parents[2] / "samples"


def reports_of(sheets: list[CheckedSheet]) -> tuple[str, str, list[object]]:
    """All reports about sheets: as JSON, as text, and beside their rows."""
    outcomes = [
        SheetResult(sheet, is_submitted=True, verdicts=lambda: iter(())) for sheet in sheets
    ]
    json, text = StringIO(), StringIO()
    write_json(outcomes, json)
    write_text(outcomes, text, all_codes(), is_colour=False, is_verbose=True, width=None)
    notes: list[object] = []
    for sheet in sheets:
        if sheet.header:
            said = row_notes.notes(sheet, partial(row_notes.all_results, sheet, ()))
            notes += [said.sheet, said.header_row, *said.notes]
    return json.getvalue(), text.getvalue(), notes


def kept(sheets: list[CheckedSheet], folder: Path) -> list[CheckedSheet]:
    write_sheets(sheets, folder / "kept")
    return read_sheets(folder / "kept")


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*[os]*s*.[cx]*")))
def test_a_record_reports_the_same_about_a_sample(name: str, tmp_path: Path) -> None:
    sheets = check([Input(name, SAMPLES / name)], ReadOptions(), load())
    assert reports_of(kept(sheets, tmp_path)) == reports_of(sheets)


def test_a_record_reports_the_same_about_totals_and_broken_files(
    files: Files, tmp_path: Path
) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"PK no workbook")
    total = offer(9, sellerExternalReference="Total")
    bad = offer(4, quantity="-1", price__price="x")
    rows = files.csv(offer(1), offer(2), offer(1), bad, total)
    paths = [rows, tmp_path / "broken.xlsx", tmp_path / "missing.csv"]
    sheets = check([Input(path.name, path) for path in paths], ReadOptions(), load())
    again = kept(sheets, tmp_path)
    assert reports_of(again) == reports_of(sheets)
    assert [sheet.error and sheet.error.exit for sheet in again] == [None, 3, 3]
    assert [(row.row, row.reference) for row in again[0].rows.refused] == [
        (2, "SKU-1"),
        (4, "SKU-1"),
        (5, "SKU-4"),
    ]


def test_the_same_sheets_are_the_same_bytes(files: Files, tmp_path: Path) -> None:
    sheets = check([Input("a.csv", files.csv(offer(1)))], ReadOptions(), load())
    for name in ("first", "second"):
        write_sheets(sheets, tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_the_rows_of_requests_are_kept_where_others_wait_for_them(tmp_path: Path) -> None:
    first = CheckedSheet("a.xlsx", "Orders", "a")
    for row in (3, 4):
        first.rows.marks[row] = VALID
    first.rows.items.append(Item(3, "A", "P", "R", "", b"{}", further_rows=(4,)))
    first.rows.items.append(Item(4, "A", "S", "R", "", b"{}", number=1))
    items = [item._replace(body=b"") for item in first.rows.items]
    again = kept([first, CheckedSheet("a.xlsx", "Others", "b")], tmp_path)[0]
    assert list(again.rows.items) == items
    assert [row for row, _ in rows_of(again.rows.items)] == [3, 4, 4]


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("orders", "parcelNumber", "X"),
        ("orders", "shippingAddress.city", None),
        ("orders", None, None),
        ("offers-upsert", "shippingAddress.city", "X"),
    ],
)
def test_values_that_may_name_people_are_not_kept(
    tmp_path: Path, kind: str, field: str | None, value: str | None
) -> None:
    found = Problem(3, None, "C", "City", field, "odd", Severity.WARNING, "X", "It is odd", "")
    sheet = CheckedSheet(
        "a.xlsx", "Orders", kind, rows=CheckedRows(problems_by_source=[ProblemSpool()])
    )
    sheet.rows.problems_by_source[0].append_all([found])
    (again,) = kept([sheet], tmp_path)
    assert list(again.problems()) == [found._replace(value=value)]


def test_the_rows_that_were_taken_all_the_same_are_kept() -> None:
    recorded = RunOptions(ReadOptions(as_rows=(12, 4)), Outputs())
    assert RunOptions.from_json(recorded.as_json()).reading.as_rows == (4, 12)


FINISHES = (
    *(Outputs(), Outputs(is_in_place=True), Outputs(is_plain=True)),
    Outputs(language=LanguageChoice("fr", "es")),
)


@pytest.mark.parametrize("outputs", FINISHES)
def test_the_finish_of_copies_is_kept(outputs: Outputs) -> None:
    recorded = RunOptions(ReadOptions(), outputs).as_json()
    assert RunOptions.from_json(recorded).outputs == outputs
    del recorded["plain"], recorded["language"]
    assert not RunOptions.from_json(recorded).outputs.is_plain


def test_a_run_of_before_rows_were_skipped_has_taken_all_of_them() -> None:
    recorded = RunOptions(ReadOptions(), Outputs()).as_json()
    del recorded["asked"]["as_rows"]
    assert RunOptions.from_json(recorded).reading.as_rows == EVERY_ROW
