import pytest
from openpyxl import load_workbook

from tests.conftest import Files, checked, offer, told

CODE = "hidden-rows"

PASSES = {"none": [], "title rows above the header": [0]}
FAILS = {
    "one": ([3], "1 hidden row is read"),
    "several": ([2, 4], "2 hidden rows are read"),
    "a blank row is no row": ([3, 9], "1 hidden row is read"),
}


def hide(files: Files, rows: list[int]) -> None:
    path = files.book({"Offers": [offer(1), offer(2), offer(3)]})
    book = load_workbook(path)
    for row in rows:
        book["Offers"].row_dimensions[row + 1 if row == 0 else row].hidden = True
    book.save(path)


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(files: Files, rows: list[int]) -> None:
    hide(files, rows)
    (sheet,) = checked(files.folder / "offers.xlsx")
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(("rows", "said"), FAILS.values(), ids=FAILS)
def test_fails_and_the_rows_are_read(files: Files, rows: list[int], said: str) -> None:
    hide(files, rows)
    (sheet,) = checked(files.folder / "offers.xlsx")
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.column, problem.severity) == (None, None, "warning")
    assert said in problem.message
    assert sheet.counts().valid == 3
