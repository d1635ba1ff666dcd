"""The grid says what `validate --format json` says: each problem once, in its cell."""

import json
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.check import ReadOptions
from feedtool.model.cells import Cells, letters, shown
from feedtool.model.sheet import CheckedSheet
from feedtool.page.grid import PROBLEMS, Grid, RowFilter, of_code, of_status
from feedtool.page.grid.writer import displayed
from feedtool.report.as_json import write_json
from feedtool.report.sheet_result import SheetResult
from feedtool.sheets import open_source
from tests.catalogues import judging, shirt
from tests.conftest import Files, offer, update
from tests.page.grid.conftest import checked_into, problems
from tests.pairs import sample
from tests.test_samples import SAMPLES

FIELDS = ("row", "column", "field", "code", "severity", "value", "message", "hint")


def as_json(checked: CheckedSheet) -> Any:
    """A sheet's object of `--format json`."""
    out = StringIO()
    write_json([SheetResult(checked)], out)
    return json.loads(out.getvalue())[0]


def assert_agrees(grid: Grid, number: int, checked: CheckedSheet) -> None:
    """Sees that a sheet of a grid says all that its object says, and nothing else."""
    sheet, said = grid.sheets[number], as_json(checked)
    own = sheet.error and [sheet.error.code, sheet.error.message, sheet.error.hint]
    assert own == (said["error"] and [said["error"][name] for name in ("code", "message", "hint")])
    told = [tuple(problem[name] for name in FIELDS) for problem in said["problems"]]
    found = [tuple(getattr(problem, name) for name in FIELDS) for problem in problems(grid, number)]
    assert Counter(found) == Counter(told)
    for row in grid.rows(RowFilter(number), 0, 1 << 20):
        assert {problem.row for problem in row.problems} <= {row.row}
    counts = {name: said[name] for name in ("rows", "valid", "invalid", "skipped", "warnings")}
    assert sheet.counts == ({} if sheet.error else counts)
    assert_lists(grid, number, said)


def assert_lists(grid: Grid, number: int, said: Any) -> None:
    """Sees that groups, statuses and filters count what the object counts."""
    codes = Counter(problem["code"] for problem in said["problems"])
    assert {group.code: group.count for group in grid.groups(number)} == codes
    rows: dict[str, set[int]] = {PROBLEMS: set(), "error": set(), "warning": set()}
    for problem in said["problems"]:
        for name in (PROBLEMS, problem["severity"], of_code(problem["code"])):
            rows.setdefault(name, set()).update({problem["row"]} - {None})
    for name, numbers in rows.items():
        assert list(grid.rows_of(RowFilter(number, which=name))) == sorted(numbers)
    statuses = {
        status: len(grid.rows_of(RowFilter(number, which=of_status(status))))
        for status in grid.statuses(number)
    }
    names = ("valid", "invalid", "skipped")
    assert {status.lower(): count for status, count in statuses.items()} == {
        name: said[name] for name in names if said[name]
    }


def assert_cells(grid: Grid, number: int, path: Path, header: int) -> None:
    """Sees that the cells are those that the file has, in the order of its columns."""
    sheet = grid.sheets[number]
    expected = {}
    with open_source(path) as source:
        for block in source.sheet(sheet.sheet).blocks(header):
            cells = Cells(block)
            for position, row in enumerate(block.rows):
                texts = [displayed(shown(cells.at(position, it.index))) for it in sheet.columns]
                if any(texts):
                    expected[row] = texts
    rows = grid.rows(RowFilter(number), 0, 1 << 20)
    assert {row.row: list(row.cells) for row in rows} == expected
    assert [column.letters for column in sheet.columns] == [
        letters(it.index) for it in sheet.columns
    ]


def order_of(path: Path) -> tuple[bool, int]:
    """First the sheets; of the texts, which all are none, the shortest will do."""
    return path.suffix in {".py", ".txt"}, path.stat().st_size


PATHS = sorted(SAMPLES.glob("*.*"), key=order_of)


@pytest.mark.parametrize("path", sample(PATHS, 9), ids=lambda path: path.name)
def test_a_sample_is_shown_as_reported(tmp_path: Path, path: Path) -> None:
    sheets = checked_into(tmp_path / "grid", path)
    with Grid(tmp_path / "grid") as grid:
        assert len(grid.sheets) == len(sheets)
        for number, checked in enumerate(sheets):
            assert_agrees(grid, number, checked)
            if checked.header and not checked.error and path.suffix in {".xlsx", ".csv"}:
                assert_cells(grid, number, path, checked.header.after)


ODD = (
    *("", " ", "-1", "0", "1,234", "19,99", "2.5", "1e3", "20%", "TRUE", "#N/A", "=1+1", "New"),
    *("Total", "SKU-1", "x" * 400, "two\nlines", "<b>", "\u202eabc", "Été", "3000000000013"),
)
CHANGES = st.dictionaries(
    st.sampled_from([*offer(), "product.reference", "price.originPrice", "action", "Note", ""]),
    st.sampled_from(ODD),
    max_size=4,
)
ROWS = st.lists(
    st.tuples(st.sampled_from((offer, update)), st.integers(1, 12), CHANGES),
    min_size=1,
    max_size=40,
)


def as_csv(files: Files, rows: list[dict[str, str]]) -> Path:
    return files.csv(*rows)


def as_book(files: Files, rows: list[dict[str, str]]) -> Path:
    return files.book({"Offers": rows})


Row = tuple[Any, int, dict[str, str]]
"""A function that makes the row, its number, and its changes."""
FORMS = st.sampled_from((as_csv, as_book))


def assert_shown(folder: Path, rows: list[Row], write: Callable[..., Path]) -> None:
    """Assert that the grid of a file of some rows agrees with the check."""
    made = [make(number) | changes for make, number, changes in rows]
    path = write(Files(folder), made)
    sheets = checked_into(folder / "grid", path)
    with Grid(folder / "grid") as grid:
        for number, checked in enumerate(sheets):
            assert_agrees(grid, number, checked)
            if checked.header and not checked.error:
                assert_cells(grid, number, path, checked.header.after)


@settings(max_examples=10)
@given(ROWS, FORMS)
def test_random_rows_are_shown_as_reported(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], write: Callable[..., Path]
) -> None:
    assert_shown(tmp_path_factory.mktemp("random"), rows, write)


@pytest.mark.long
@settings(max_examples=200)
@given(ROWS, FORMS)
def test_many_random_rows_are_shown_as_reported(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], write: Callable[..., Path]
) -> None:
    assert_shown(tmp_path_factory.mktemp("random"), rows, write)


PRODUCTS = st.lists(
    st.dictionaries(st.sampled_from([*shirt(), "p9999"]), st.sampled_from(ODD), max_size=4),
    min_size=1,
    max_size=20,
)


@settings(max_examples=10)
@given(PRODUCTS)
def test_random_products_are_shown_as_reported(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    assert_products_shown(tmp_path_factory.mktemp("random"), rows)


@pytest.mark.long
@settings(max_examples=200)
@given(PRODUCTS)
def test_many_random_products_are_shown_as_reported(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    assert_products_shown(tmp_path_factory.mktemp("random"), rows)


def assert_products_shown(folder: Path, rows: list[dict[str, str]]) -> None:
    """Assert that the grid of a file of some products agrees with the check."""
    path = Files(folder).csv(*(shirt() | changes for changes in rows))
    context = judging()
    options = ReadOptions(context.settings, catalog=context.catalog)
    sheets = checked_into(folder / "grid", path, asked=options)
    with Grid(folder / "grid") as grid:
        for number, checked in enumerate(sheets):
            assert_agrees(grid, number, checked)
