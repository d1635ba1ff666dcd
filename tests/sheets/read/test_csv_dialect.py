"""Quotes of fields: every writing is read, and each mark that does not fit is reported."""

import csv
import io
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.check import HEADINGS
from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, annotate

Rows = list[list[str]]


def read(path: Path, content: str) -> tuple[Rows, list[str]]:
    """The texts of each record but blank ones, and what was said of quotation marks."""
    path.write_text(content, encoding="utf-8", newline="")
    rows = []
    with open_source(path) as source:
        sheet = source.sheet("")
        for block in sheet.blocks():
            columns = [map(str, block.column(index)) for index in range(block.width)]
            rows += [list(row) for row in zip(*columns, strict=True) if any(row)]
        return rows, list(sheet.notices.get("csv-quotes", ()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "offers.csv"


ROW = 'A,1,"Oak"\n'
SWALLOWED = {
    "in the last column": ('A,1,"Table\nB,2,Lamp\nC,3,"Chair"\nD,4,Bed\n', 2, 4),
    "in every field quoted": ('"A","1","Table\n"B","2","Lamp"\n', 2, 3),
    "in the first column": ('"A,1,Table\n"B",2,Lamp\n', 2, 3),
    "by a doubled mark": ('A,1,"Table\nB,2,""\nC,3,"Chair"\n', 2, 4),
    "by an inch mark": ('A,1,"Table\nB,2,24" screen\n', 2, 3),
    "by a text that starts with a separator": ('A,1,"Table\nB,2,", oak"\n', 2, 3),
    "behind a field of two lines": ('A,"1\n2","Table\nB,2,"Lamp"\n', 3, 4),
    "in a record far down": (ROW * 4000 + 'A,1,"Table\nB,2,"Lamp"\n', 4002, 4003),
    "before many rows": ('A,1,"Table\n' + "B,2,Lamp\n" * 4000 + ROW, 2, 4003),
    "with two marks that fit": ('A,1,9.90,"Table\nB,2,8.90,Lamp"\n', 2, 3),
    "and a short row between": ('A,1,9.90,"Table\nB,2\nC,3,7.90,Lamp"\n', 2, 4),
    "and a blank line between": ('A,1,9.90,"Table\n\nC,3,7.90,Lamp"\n', 2, 4),
    "and columns behind": ('A,1,"Table,9.90\nB,2,Lamp",8.90\n', 2, 3),
    "with line ends of Windows": ('A,1,"Table\r\nB,2,"Lamp"\r\n', 2, 3),
}


@pytest.mark.parametrize(("content", "line", "until"), SWALLOWED.values(), ids=SWALLOWED)
def test_rows_taken_in_by_a_quote_are_an_error(
    path: Path, content: str, line: int, until: int
) -> None:
    header = "ref,stock,price,title\n" if ".90" in content else "ref,stock,title\n"
    with pytest.raises(FileProblem) as caught:
        read(path, header + content)
    assert caught.value.code == "csv-unterminated-quote"
    assert f"opens in line {line} " in caught.value.message
    assert f"to line {until} " in caught.value.message
    with pytest.raises(FileProblem) as caught:
        annotate(path, path.with_name("copy.csv"), [SheetNotes("", 1, HEADINGS, ())])
    assert caught.value.code == "csv-unterminated-quote"


DOUBTFUL = {
    "an inch mark": ('A,24" screen\n', [["A", '24" screen']], "line 2"),
    "text in quotes": ('A,the "best" one\n', [["A", 'the "best" one']], "line 2"),
    "text behind a quote": ('A,"abc"def\n', [["A", "abcdef"]], "line 2"),
    "a mark that was not doubled": ('A,"24" screen"\n', [["A", '24 screen"']], "line 2"),
    "before a field of two lines": ('24",x,"a\nb"\n', [['24"', "x", "a\nb"]], "line 2"),
    "several": ('A,24"\nB,x\nC,"a"b\n', [["A", '24"'], ["B", "x"], ["C", "ab"]], "line 2, 4"),
    "many": ('A,24"\n' * 7, [["A", '24"']] * 7, "line 2, 3, 4, 5, 6 and 2 more"),
    "no line end": ('A,24"', [["A", '24"']], "line 2"),
    "among apostrophes": ("'A','24'''\n'B',l'eau\n", [["A", "24'"], ["B", "l'eau"]], "line 3"),
}


@pytest.mark.parametrize(("content", "rows", "lines"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_marks_that_do_not_fit_are_reported(
    path: Path, content: str, rows: Rows, lines: str
) -> None:
    header = "'ref','title'\n" if "among" in content or content.startswith("'") else "ref,title\n"
    found, (notice,) = read(path, header + content)
    assert found[1:] == rows
    assert notice.endswith(f": {lines}.")


ROW_LIKE = {
    "in the last column": 'A,1,"Table\nB,2,Lamp"\n',
    "over three rows": 'A,1,"Table\nB,2,Lamp\nC,3,Desk 24"\n',
    "with a short row between": 'A,1,"Table\nB,2\nC,3,Desk 24"\n',
    "in the first column": '"A,1,Table\nB",2,Lamp\n',
    "from the second to the last column": 'A,"1,Table\nB,2,Lamp"\n',
}


@pytest.mark.parametrize("content", ROW_LIKE.values(), ids=ROW_LIKE)
def test_lines_of_a_field_that_look_like_rows_are_reported(path: Path, content: str) -> None:
    found, (notice,) = read(path, "ref,stock,title\n" + content)
    assert len(found) == 2
    assert notice.endswith(f": lines 2 to {1 + content.count(chr(10))}.")


def test_only_some_of_many_fields_that_look_like_rows_are_named(path: Path) -> None:
    _, (notice,) = read(path, "ref,stock,title\n" + 'A,1,"Table\nB,2,Lamp"\n' * 7)
    assert notice.endswith("10 to 11 and 2 more.")


SOUND = {
    "fields of several lines": 'A,"two\nlines"\nB,"three\n\nlines"\n',
    "a sentence in each line": 'A,"Nice, red\nsmall, blue"\n',
    "a list in the last line": 'A,1,9.90,"Nice\nred, green, blue, white"\n',
    "doubled marks": 'A,"24"" screen"\nB,""""\nC,"""a"",""b"""\n',
    "texts written as formulas": 'A,="0036"\n="0037",x\nB,"=""0036"""\n',
    "a formula beside a field of two lines": 'A,="0036","a\nb"\n',
    "blanks behind a quote": 'A,"x" \n"B"\t,"y"\n',
    "empty fields": 'A,""\n"",B\n"",""\n',
    "apostrophes": "A,l'eau\n'tis,'twas\nB,rock 'n' roll\nC,'s-Hage\n",
    "zeros kept by an apostrophe": "'0036,'0037\n'0038,x\n",
    "titles in apostrophes": "A,'quoted'\nB,'too'\n",
}


@pytest.mark.parametrize("content", SOUND.values(), ids=SOUND)
def test_fitting_marks_are_not_reported(path: Path, content: str) -> None:
    content = "ref,title\n" + content
    rows = [row for row in csv.reader(io.StringIO(content)) if any(row)]
    width = max(map(len, rows))
    assert read(path, content) == ([row + [""] * (width - len(row)) for row in rows], [])


FAR = f"A, {'b' * 30}\n" * 2_500
"""More lines and letters than are examined first."""
QUOTED = {
    "all in apostrophes": ("'ref';'title'\n'A';'l''eau; pure'\n", [["A", "l'eau; pure"]]),
    "apostrophes on two lines": ("'ref','title'\n'A','two\nlines'\n", [["A", "two\nlines"]]),
    "apostrophes where needed": ("ref,title\nA,'oak, red'\nB,x\n", [["A", "oak, red"], ["B", "x"]]),
    "apostrophes and inch marks": ("'ref','title'\n'A','24\"'\n", [["A", '24"']]),
    "blanks before a quote": ('ref; title\nA; "b;c"\n', [["A", "b;c"]]),
    "blanks before every quote": ('"ref", "title"\n"A", "b, ""c"""\n', [["A", 'b, "c"']]),
    "blanks before a quote on two lines": ('ref, title\nA, "b\nc"\n', [["A", "b\nc"]]),
    "blanks far down": (f'ref, title\n{FAR}A, "b, c"\n', [["A", "b, c"]]),
    "blanks before apostrophes": ("'ref', 'title'\n'A', 'b, c'\n", [["A", "b, c"]]),
}


@pytest.mark.parametrize(("content", "rows"), QUOTED.values(), ids=QUOTED)
def test_other_ways_to_quote(path: Path, content: str, rows: Rows) -> None:
    found, notices = read(path, content)
    assert found[0] == ["ref", "title"]
    assert found[-len(rows) :] == rows
    assert notices == []
    message = "Oak; \"red\", 'blue'"
    notes = [Note(len(found), "Invalid", message, "c")]
    for copy, source in (("one.csv", path), ("two.csv", path.with_name("one.csv"))):
        copied = path.with_name(copy)
        annotate(source, copied, [SheetNotes("", 1, HEADINGS, notes)])
        again, notices = read(copied, copied.read_bytes().decode())
        assert [row[:2] for row in again] == found
        assert again[0][2:] == list(HEADINGS)
        assert again[-1][2:] == ["Invalid", message, "c"]
        assert notices == []


FIELD = st.text(st.sampled_from('ab,;"\n é1'), max_size=6).filter(
    lambda text: not text.startswith(("=", "sep", "<", " "))
)
TABLES = st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=8)


def written(table: Rows, separator: str, quoting: Literal[0, 1, 2]) -> str:
    out = io.StringIO()
    out.write(f"sep={separator}\n")
    writer = csv.writer(out, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerows([["ref", "stock", "title"], *table])
    return out.getvalue()


WRITING = {
    "table": TABLES,
    "separator": st.sampled_from(",;\t|"),
    "quoting": st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quoting") / "made.csv"


@settings(max_examples=20, deadline=None)
@given(**WRITING)
def test_any_table_is_read_without_alarm(
    made: Path, table: Rows, separator: str, quoting: Literal[0, 1, 2]
) -> None:
    assert_read_without_alarm(made, table, separator, quoting)


@pytest.mark.long
@settings(max_examples=2000, deadline=None)
@given(**WRITING)
def test_any_of_many_tables_is_read_without_alarm(
    made: Path, table: Rows, separator: str, quoting: Literal[0, 1, 2]
) -> None:
    assert_read_without_alarm(made, table, separator, quoting)


def assert_read_without_alarm(
    made: Path, table: Rows, separator: str, quoting: Literal[0, 1, 2]
) -> None:
    rows, notices = read(made, written(table, separator, quoting))
    assert rows[1:] == [row for row in table if any(row)]
    assert [notice for notice in notices if "look like several" not in notice] == []


@settings(max_examples=25, deadline=None)
@given(**WRITING, data=st.data())
def test_a_mark_that_is_lacking_never_loses_rows_unsaid(
    made: Path, table: Rows, separator: str, quoting: Literal[0, 1, 2], data: st.DataObject
) -> None:
    assert_no_rows_lost_unsaid(made, written(table, separator, quoting), data)


@pytest.mark.long
@settings(max_examples=2000, deadline=None)
@given(**WRITING, data=st.data())
def test_a_mark_that_is_lacking_in_many_tables_never_loses_rows_unsaid(
    made: Path, table: Rows, separator: str, quoting: Literal[0, 1, 2], data: st.DataObject
) -> None:
    assert_no_rows_lost_unsaid(made, written(table, separator, quoting), data)


def assert_no_rows_lost_unsaid(made: Path, content: str, data: st.DataObject) -> None:
    """Assert that rows lost by a missing mark are reported."""
    marks = [index for index, letter in enumerate(content) if letter == '"']
    if not marks:
        return
    at = data.draw(st.sampled_from(marks))
    whole, _ = read(made, content)
    try:
        rows, notices = read(made, content[:at] + content[at + 1 :])
    except FileProblem as problem:
        assert problem.code == "csv-unterminated-quote"  # noqa: PT017
    else:
        assert notices or len(rows) == len(whole)
