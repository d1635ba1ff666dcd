import pytest

from tests.conftest import Files, checked, offer, table, told

CODE = "csv-quotes"
HEADER, ROW = (line + ",note\n" for line in table([offer()]).splitlines())

PASSES = {
    "no mark": ROW,
    "a doubled mark": ROW.replace("note", '"24"" screen"'),
    "a text written as a formula": ROW.replace("note", '="0036"'),
    "a field of two lines": ROW.replace("note", '"two\nlines"'),
}
FAILS = {
    "inside an unquoted field": (ROW.replace("note", '24" screen'), "line 2."),
    "behind a closing mark": (ROW.replace("note", '"24" screen'), "line 2."),
    "lines that look like rows": (ROW.replace("note", '"') + ROW.replace("note", '24"'), "one row"),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(files: Files, rows: str) -> None:
    (sheet,) = checked(files.text(HEADER + rows))
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(("rows", "said"), FAILS.values(), ids=FAILS)
def test_fails_once_and_the_row_is_read(files: Files, rows: str, said: str) -> None:
    (sheet,) = checked(files.text(HEADER + rows))
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.severity) == (None, "warning")
    assert said in problem.message
    assert sheet.counts().valid == 1
