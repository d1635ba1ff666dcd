"""Questions to a grid: some rows, the next problem, a text."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from feedtool.model.nouns import Severity, Status
from feedtool.model.text import Translator
from feedtool.page.grid import ALL, PROBLEMS, Grid, GridUnusable, RowFilter, of_code, of_status
from feedtool.page.grid.facts import FoundText
from tests.conftest import Files, offer
from tests.page.grid.conftest import Shown

WRONG = (5, 17, 40)
"""Positions of rows with a stock that cannot be."""


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Grid:
    """Fifty offers: some with such a stock, one also with a price, another with a state."""
    folder = tmp_path_factory.mktemp("grid")
    rows = [offer(number, condition="New") for number in range(1, 51)]
    for at in WRONG:
        rows[at]["quantity"] = "-1"
    rows[17]["price.price"] = "0"
    rows[30]["condition"] = "Éclat d'occasion"
    return Shown(folder)(Files(folder).csv(*rows))


def test_groups_are_errors_by_count(grid: Grid) -> None:
    assert [(group.code, group.severity, group.count, group.rows) for group in grid.groups(0)] == [
        ("number-range", Severity.ERROR, 4, 3),
        ("enum-value", Severity.ERROR, 1, 1),
    ]
    assert grid.groups(0)[0].message == "-1 must not be below 0"


COUNTS = {ALL: 50, PROBLEMS: 4, "error": 4, "warning": 0, of_status(Status.VALID): 46, "what": 0}


@pytest.mark.parametrize("which", COUNTS)
def test_rows_of_a_filter_are_counted_and_cut_at_their_end(grid: Grid, which: str) -> None:
    rows = RowFilter(0, which=which)
    assert grid.count(rows) == len(grid.rows_of(rows)) == COUNTS[which]
    assert len(grid.rows(rows, 0, 200)) == COUNTS[which]
    last = grid.rows(rows, COUNTS[which] - 1, 10) if COUNTS[which] else []
    assert [row.row for row in last] == list(grid.rows_of(rows))[-1:]
    assert grid.rows(rows, COUNTS[which], 10) == []


def test_rows_of_a_filter_have_their_places_in_the_sheet(grid: Grid) -> None:
    rows = grid.rows(RowFilter(0, which=of_code("number-range")), 1, 2)
    assert [(row.position, row.row, row.status) for row in rows] == [
        *((17, 19, Status.INVALID), (40, 42, Status.INVALID))
    ]
    assert [[problem.column for problem in row.problems] for row in rows] == [["D", "I"], ["I"]]


VALID = of_status(Status.VALID)
NEXT = [
    *((ALL, -1, 1, (5, 5)), (ALL, 5, 1, (17, 17)), (ALL, 40, 1, (5, 5))),
    *(
        (ALL, -1, -1, (40, 40)),
        (ALL, 17, -1, (5, 5)),
        (ALL, 18, -1, (17, 17)),
    ),
    *((PROBLEMS, 6, 1, (1, 17)), (PROBLEMS, 40, 1, (0, 5))),
    *((of_code("enum-value"), 30, 1, (0, 30)), (of_code("none"), -1, 1, None)),
    *((VALID, -1, 1, None), (of_status(Status.INVALID), 5, 1, (1, 17))),
]


@pytest.mark.parametrize(("which", "at", "step", "found"), NEXT)
def test_after_the_last_problem_comes_the_first(
    grid: Grid, which: str, at: int, step: int, found: tuple[int, int] | None
) -> None:
    assert grid.next(RowFilter(0, which=which), at, step) == found


FIND = [
    *(("SKU-9", ALL, 0, FoundText(8, 8, 0)), ("sku-9", ALL, 0, FoundText(8, 8, 0))),
    *(("SKU-1", ALL, 1, FoundText(9, 9, 0)), ("SKU-1", ALL, 19, FoundText(0, 0, 0))),
    *(("sku-50", ALL, 49, FoundText(49, 49, 0)), ("SKU-49", ALL, 49, FoundText(48, 48, 0))),
    *(("éCLAT D'", ALL, 0, FoundText(30, 30, 2)), ("SKU-18", PROBLEMS, 0, FoundText(1, 17, 0))),
    *(("SKU-19", PROBLEMS, 0, None), ("SKU-6", PROBLEMS, 2, FoundText(0, 5, 0))),
    *(('","', ALL, 0, None), ("[", ALL, 0, None), ("SKU-1", of_code("none"), 0, None)),
    ("SKU-1", ALL, 10**6, FoundText(0, 0, 0)),
]


@pytest.mark.parametrize(("text", "which", "start", "found"), FIND)
def test_a_text_is_found_only_in_cells_of_the_filter(
    grid: Grid, text: str, which: str, start: int, found: FoundText | None
) -> None:
    assert grid.find(RowFilter(0, which=which), text, start) == found


def test_every_sign_is_found(files: Files, shown: Shown) -> None:
    texts = ('say "hi"', "a\\b", "ÉTÉ", "straße", "50%", "{}")
    rows = [offer(n) | {"product.reference": text} for n, text in enumerate(texts, start=40)]
    grid = shown(files.csv(*map(offer, range(1, 40)), *rows))
    for at, text in enumerate(texts, start=39):
        assert grid.find(RowFilter(0), text.upper()) == FoundText(at, at, 9), text


def test_messages_use_the_headers_of_the_sheet(files: Files, shown: Shown) -> None:
    path = files.text(
        "Votre référence;EAN/GTIN;Prix (TTC)\nA;3000000000014;\n".encode(), "prix.csv"
    )
    grid = shown(path)
    (sheet,), (checked,) = grid.sheets, shown.sheets
    for language in ("en", "fr", "es"):
        say = sheet.translator(Translator(language))
        own = checked.translator(Translator(language))
        for row in grid.rows(RowFilter(0), 0, 9):
            assert [say(problem.message) for problem in row.problems] == [
                own(it.message) for it in checked.problems() if it.row == row.row
            ]


def test_a_missing_damaged_or_older_grid_is_unusable(
    files: Files, shown: Shown, tmp_path: Path
) -> None:
    shown(files.csv(offer(1)))
    other = tmp_path / "other.sqlite"
    with pytest.raises(GridUnusable):
        Grid(other)
    other.write_bytes(b"no database at all, but as long as the head of one" * 9)
    with pytest.raises(GridUnusable):
        Grid(other)
    shutil.copy(shown.path, other)
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(GridUnusable):
        Grid(other)
