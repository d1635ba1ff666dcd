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
}
NARROW = ("sku,price,note\n", 'A,1.50,"red\nB,1.50,blue"\n')
WIDE = ROW.replace("note", '"') + ROW.replace("note", '24"')


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


def test_two_lines_that_look_like_rows_are_one_row_and_said(files: Files) -> None:
    (sheet,) = checked(files.text("".join(NARROW)))
    (problem,) = told(sheet, CODE)
    assert "lines 2 to 3" in problem.message
    assert sheet.counts().valid == 1


def test_two_lines_that_are_rows_for_sure_are_an_error(files: Files) -> None:
    (sheet,) = checked(files.text(HEADER + WIDE))
    assert sheet.error
    assert sheet.error.code == "csv-unterminated-quote"
