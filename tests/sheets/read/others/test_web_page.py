from collections import deque
from pathlib import Path

import pytest

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from feedtool.sheets.read.others import web_page
from feedtool.sheets.read.others.rows import MOST_REPEATED
from tests.sheets.conftest import rows_of
from tests.sheets.read.others.conftest import ReadBytes


def page(rows: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><table>{rows}</table></body></html>".encode()


def text(content: str) -> Cell:
    return Cell(Kind.TEXT, content)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("<td>0019,90</td>", text("0019,90")),
        ("<td> a\n  b<br>c&nbsp;<b>é</b> </td>", text("a b\nc é")),
        ("<th>&nbsp;</th>", BLANK),
        (
            '<td sdval="3760123456789" sdnum="1033;">3.76E+12</td>',
            Cell(Kind.NUMBER, "3760123456789"),
        ),
        ('<td sdval="46053" sdnum="1033;0;DD/MM/YY">31/01/26</td>', Cell(Kind.DATE, "2026-01-31")),
        ('<td sdval="7" sdnum="1033;0;000">007</td>', Cell(Kind.NUMBER, "7", zeros=3)),
        ('<td sdval="0" sdnum="1033;">#N/A</td>', text("#N/A")),
        ('<td sdval="0" sdnum="1033;">Err:502</td>', text("Err:502")),
        ('<td sdval="1" sdnum="1033;0;BOOLEAN">TRUE</td>', text("TRUE")),
        (
            '<td data-t="n" data-v="0.2" data-z="0%">20%</td>',
            Cell(Kind.NUMBER, "0.2", percent=True),
        ),
        ('<td data-t="s" data-v="12" data-z="General">12</td>', text("12")),
        ('<td x:num="3760123456789">3,76E+12</td>', Cell(Kind.NUMBER, "3760123456789")),
        ('<td x:num="46053">31/01/2026</td>', text("31/01/2026")),
    ],
)
def test_cells(read_bytes: ReadBytes, cell: str, expected: Cell) -> None:
    rows = {} if expected is BLANK else {1: {0: expected}}
    assert read_bytes(page(f"<tr>{cell}</tr>")) == {("Table 1", False): rows}


def test_a_sheet_can_be_read_repeatedly(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_bytes(page("<tr><td>a<br>b"))
    with open_source(path) as source:
        sheet = source.sheet("Table 1")
        assert rows_of(sheet.blocks()) == rows_of(sheet.blocks()) == {1: {0: text("a\nb")}}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td colspan=2>a<td>b", ["a-b"]),
        ("<tr><td rowspan=3>a<td>b<tr><td>c<tr><td>d<tr><td>e", ["ab", "-c", "-d", "e"]),
        ("<tr><td>a<td rowspan=2 colspan=2>b<td>c<tr><td>d<td>e", ["ab-c", "d--e"]),
        ("<thead><tr><th>a</thead><tbody><tr><td>b</tbody>", ["a", "b"]),
        ("<tr><td colspan=0 rowspan=x>a<td>b<tr><td>c", ["ab", "c"]),
    ],
)
def test_spans(read_bytes: ReadBytes, rows: str, expected: list[str]) -> None:
    (read,) = read_bytes(page(rows)).values()
    assert read == {
        number: {index: text(letter) for index, letter in enumerate(line) if letter != "-"}
        for number, line in enumerate(expected, 1)
    }


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ("", "utf-8-sig"),
        ("", "cp1252"),
        ("", "utf-16"),
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta charset="iso-8859-1">', "utf-8"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">', "cp1250"),
        ('<meta charset="klingon">', "cp1252"),
    ],
)
def test_encodings(read_bytes: ReadBytes, head: str, encoding: str) -> None:
    made = page("<tr><td>Größe 5 €</td></tr>", head).decode().encode(encoding)
    assert read_bytes(made) == {("Table 1", False): {1: {0: text("Größe 5 €")}}}


def test_the_innermost_tables_are_the_sheets(read_bytes: ReadBytes) -> None:
    inner = "<table><tr><td>a</td></tr></table><table><tr style='display: none'><td>b</td></table>"
    sheets = read_bytes(page(f"<tr><td>{inner}</td></tr>"))
    assert sheets == {
        ("Table 1", False): {1: {0: text("a")}},
        ("Table 2", False): {1: {0: text("b")}},
    }


REFUSED = {
    "no table": b"<html><body>Sign in</body></html>",
    "an archive": b"MIME-Version: 1.0\r\n\r\n<table><tr><td>a</td></tr></table>",
    "tables without end": page("").replace(b"<table>", b"<table><tr><td>x</table>" * 101),
    "a row without end": page(f"<tr>{'<td colspan=1000>a' * 20}</tr>"),
    "blanks outside the grid": page(f"<tr>{'<td colspan=1000>' * 20}</tr>"),
    "a bomb of spans": page(f"<tr>{'<td colspan=1000>' * 16}" * 1300),
    "too large": b"<html>".ljust((64 << 20) + 1),
}


def read_through(path: Path) -> None:
    """Reads all cells, and keeps none of the millions that a bomb has."""
    with open_source(path) as source:
        for entry in source.sheets:
            deque(source.sheet(entry.name).blocks(), maxlen=0)


@pytest.mark.parametrize("case", REFUSED)
def test_pages_without_a_table_are_refused(tmp_path: Path, case: str) -> None:
    path = tmp_path / "export.xls"
    path.write_bytes(REFUSED[case])
    with pytest.raises(FileProblem) as caught:
        read_through(path)
    assert caught.value.code == "html-as-xls"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("most", "cells", "rows"),
    [(20_000, 1_600, 14), pytest.param(MOST_REPEATED, 16_000, 1300, marks=pytest.mark.long)],
)
def test_a_bomb_of_spans_downwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, cells: int, rows: int
) -> None:
    monkeypatch.setattr(web_page, "MOST_REPEATED", most)
    path = tmp_path / "export.xls"
    path.write_bytes(page(f"<tr>{'<td rowspan=65534>a' * cells}" + "<tr><td>b" * rows))
    with pytest.raises(FileProblem, match=f"span more than {most:,} others") as caught:
        read_through(path)
    assert caught.value.code == "html-as-xls"
