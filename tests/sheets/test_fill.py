"""Rows filled into a workbook or a CSV are read unchanged."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.sheets import open_source
from feedtool.sheets.fill import Formats, TooManyRows, Value, fill_csv, fill_tabbed, fill_workbook
from tests.sheets.conftest import Values

HEADS = ("ref", "price", "note")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A header, the first column text and the second money, and a second sheet."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Rows"
    sheet.append(HEADS)
    sheet.column_dimensions["A"].number_format = "@"
    sheet.column_dimensions["B"].number_format = "0.00"
    book.create_sheet("Other").append(["kept"])
    path = tmp_path / "empty.xlsx"
    book.save(path)
    return path


ROWS: list[list[Value]] = [
    ["A-1", Decimal("19.90"), "plain"],
    ["0012", 7, None],
    ["=1+1", Decimal(-3), "@x"],
    ["_x0041_", None, " a\r\nb\t&<>"],
    ["", None, None],
    ["é😀", Decimal("12345678901234567.5"), "\x01"],
]


def test_a_workbook_as_another_library_reads_it(empty: Path, tmp_path: Path) -> None:
    target = tmp_path / "full.xlsx"
    fill_workbook(empty, target, {"Rows": ROWS})
    book = load_workbook(target)
    sheet = book["Rows"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(max_row=4)] == [
        list(HEADS),
        ["A-1", 19.9, "plain"],
        ["0012", 7, None],
        ["=1+1", -3, "@x"],
    ]
    assert [sheet.cell(4, column).data_type for column in (1, 2, 3)] == ["s", "n", "s"] or (
        [sheet.cell(4, column).data_type for column in (1, 2, 3)] == ["inlineStr", "n", "inlineStr"]
    )
    assert [sheet.cell(2, column).number_format for column in (1, 2, 3)] == ["@", "0.00", "General"]
    assert sheet.cell(7, 2).value == "12345678901234567.5"
    assert book["Other"]["A1"].value == "kept"


COPIED = (
    (Cell(Kind.TEXT, " 007"), None),
    (Cell(Kind.TEXT, "=1+1"), None),
    (Cell(Kind.NUMBER, "19.989999999999998"), None),
    (Cell(Kind.NUMBER, "1E-3"), None),
    (Cell(Kind.NUMBER, "0.2", percent=True), None),
    (Cell(Kind.NUMBER, "7", zeros=3), Cell(Kind.TEXT, "007")),
    (Cell(Kind.NUMBER, "12345678901234567", zeros=20), Cell(Kind.NUMBER, "12345678901234567")),
    (Cell(Kind.DATE, "2026-11-20"), None),
    (Cell(Kind.DATE, "2026-11-20T08:30:00.250"), None),
    (Cell(Kind.DATE, "08:30:00"), Cell(Kind.TEXT, "08:30:00")),
    (Cell(Kind.DATE, "1900-02-29"), Cell(Kind.TEXT, "1900-02-29")),
    (Cell(Kind.BOOLEAN, "TRUE"), None),
    (Cell(Kind.BOOLEAN, "FALSE"), None),
    (Cell(Kind.ERROR, "#N/A"), None),
    (Cell(Kind.ERROR, "#SPILL!"), Cell(Kind.ERROR, "#VALUE!")),
    (Cell(Kind.NO_RESULT, "=B2*2"), Cell(Kind.ERROR, "#N/A")),
    (BLANK, None),
)
"""Cells of another file, and as they are read if that differs."""


def test_cells_of_another_file_stay_unchanged(empty: Path, tmp_path: Path) -> None:
    book = load_workbook(empty)
    book["Other"]["B1"].number_format = "0%"
    book["Other"]["C1"].number_format = "yyyy-mm-dd"
    percent, date = (book["Other"][place].style_id for place in ("B1", "C1"))
    book.save(empty)
    target = tmp_path / "full.xlsx"
    rows: list[list[Value]] = [["x", cell] for cell, _ in COPIED]
    fill_workbook(empty, target, {"Rows": rows}, formats=Formats(date, percent))
    with open_source(target) as source:
        _, *found = source.sheet("Rows").head(len(rows) + 1)
    for row, (cell, read) in zip(found, COPIED, strict=True):
        assert [*row.cells[1:], BLANK][0] == (read or cell), cell
    sheet = load_workbook(target)["Rows"]
    for at, (cell, _) in enumerate(COPIED, 2):
        if cell.kind is Kind.BOOLEAN:
            assert sheet.cell(at, 2).number_format == "General"


def test_the_same_rows_are_the_same_bytes(empty: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "1.xlsx", tmp_path / "2.xlsx"
    for target in (one, two):
        fill_workbook(empty, target, {"Rows": ROWS})
    assert one.read_bytes() == two.read_bytes()


def test_several_sheets_at_once(empty: Path, tmp_path: Path) -> None:
    target = tmp_path / "full.xlsx"
    fill_workbook(empty, target, {"Other": [["a", 1]], "Rows": ROWS[:1]})
    book = load_workbook(target)
    assert [[cell.value for cell in row] for row in book["Other"]] == [["kept", None], ["a", 1]]
    assert book["Rows"]["B2"].value == 19.9


def test_a_sheet_without_any_row(tmp_path: Path) -> None:
    bare, target = tmp_path / "bare.xlsx", tmp_path / "full.xlsx"
    Workbook().save(bare)
    fill_workbook(bare, target, {"Sheet": [["a", 1]]})
    assert [cell.value for cell in load_workbook(target)["Sheet"][1]] == ["a", 1]


@pytest.mark.parametrize("last", [5_000, pytest.param(1_048_576, marks=pytest.mark.long)])
def test_more_rows_than_a_sheet_has(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    monkeypatch.setattr("feedtool.sheets.fill.LAST_ROW", last)
    nothing: list[Value] = []
    with pytest.raises(TooManyRows) as caught:
        fill_workbook(empty, tmp_path / "x.xlsx", {"Rows": (nothing for _ in range(last))})
    assert f"{last:,} rows" in caught.value.message


def test_the_form_of_a_filled_csv(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    fill_csv(target, HEADS, ROWS[:3])
    assert target.read_bytes().decode("utf-8-sig").split("\r\n") == [
        "ref,price,note",
        "A-1,19.90,plain",
        "0012,7,",
        '"=""=1+1""",-3,"=""@x"""',
        "",
    ]


some_values = st.one_of(
    st.none(),
    st.text(max_size=20).filter(lambda text: text.isprintable()),
    st.integers(-(10**14), 10**14),
    st.decimals(-1000, 1000, places=2),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(some_values, some_values, some_values), min_size=1, max_size=20))
@pytest.mark.parametrize("name", ["rows.xlsx", "rows.csv"])
def test_written_rows_are_read(
    empty: Path, tmp_path: Path, values: Values, name: str, rows: list[tuple[Value, ...]]
) -> None:
    target = tmp_path / name
    if name.endswith("csv"):
        fill_csv(target, HEADS, rows)
    else:
        fill_workbook(empty, target, {"Rows": rows})
    found = {place: text for place, text in values(target).items() if place[0] > 1}
    assert found == {
        (row, column): f"{value:f}" if isinstance(value, Decimal) else str(value)
        for row, record in enumerate(rows, start=2)
        for column, value in enumerate(record)
        if value not in (None, "")
    }


PROGRAM = """
import sys
from pathlib import Path
from feedtool.sheets.fill import fill_csv, fill_workbook
from tests.corpus.measured import peak_mib

rows = ([f"SKU-{number}", number, f"text {number}"] * 5 for number in range(int(sys.argv[3])))
if sys.argv[2].endswith("csv"):
    fill_csv(Path(sys.argv[2]), ["a", "b", "c"] * 5, rows)
else:
    fill_workbook(Path(sys.argv[1]), Path(sys.argv[2]), {"Rows": rows})
print(peak_mib())
"""


@pytest.mark.long
@pytest.mark.parametrize("name", ["big.xlsx", "big.csv"])
def test_many_rows_take_the_memory_of_few(empty: Path, tmp_path: Path, name: str) -> None:
    peaks = []
    for rows in (10_000, 200_000):
        command = [sys.executable, "-c", PROGRAM, str(empty), str(tmp_path / name), str(rows)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 — ours
        peaks.append(float(run.stdout))
    assert peaks[1] < peaks[0] + 10


def test_tabs_and_ends_of_lines_are_blanks_in_a_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    fill_tabbed(path, ("a", "b"), [["x\ty\r\nz", Decimal("1.50")], [None, "=1"]])
    assert path.read_bytes() == b"a\tb\r\nx y  z\t1.50\r\n\t=1\r\n"
