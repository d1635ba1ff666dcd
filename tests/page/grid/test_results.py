"""Results of rows, beside the findings of the check."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from feedtool.model.nouns import Message, RowResult, Severity, Status
from feedtool.model.text import tr
from feedtool.page.grid import (
    CHECK,
    PROBLEMS,
    Grid,
    GridUnusable,
    RowFilter,
    add_results,
    of_code,
    of_status,
)
from tests.conftest import Files, offer
from tests.page.grid.conftest import Shown, codes, problems

RUN = "run-7"


def result(row: int, status: Status, *messages: Message, channel: str = "PRIMARY") -> RowResult:
    return RowResult(row, f"SKU-{row - 1}", status, messages, channel)


def answered(files: Files, shown: Shown, *results: RowResult) -> Grid:
    """Four offers, the second invalid and the third with a warning, and their results."""
    warned = offer(3, sellerExternalReference=" SKU-3 ")
    grid = shown(files.csv(offer(1), offer(2, quantity="-1"), warned, offer(4)))
    add_results(shown.path, RUN, {0: results})
    return grid


TAKEN = Message("8000", "The offer was created.")
MESSAGES: dict[str, tuple[RowResult, list[tuple[str | None, str, Severity]], list[str]]] = {
    "confirmed": (result(2, Status.INTEGRATED, TAKEN), [], []),
    "taken, with a word": (
        result(2, Status.INTEGRATED, Message("X", "Look at it.", "quantity")),
        [("I", "X", Severity.WARNING)],
        [],
    ),
    "refused, in a field": (
        result(2, Status.REJECTED, Message("X", "Too dear.", "price.price")),
        [("D", "X", Severity.ERROR)],
        [],
    ),
    "refused, by a code of a field": (
        result(2, Status.REJECTED, Message("1906", "Too dear.")),
        [("D", "1906", Severity.ERROR)],
        [],
    ),
    "refused as a row": (
        result(2, Status.REJECTED, Message("X", "No.")),
        [(None, "X", Severity.ERROR)],
        [],
    ),
    "a field without a column": (
        result(2, Status.REJECTED, Message("X", "No.", "brand")),
        [(None, "X", Severity.ERROR)],
        [],
    ),
    "held": (
        result(2, Status.HELD, Message("price-collapse", "Half of it.", "price.price")),
        [("D", "price-collapse", Severity.WARNING)],
        [],
    ),
    "left out": (result(2, Status.UNCHANGED, Message("", "As it is.")), [], ["As it is."]),
    "skipped": (result(2, Status.SKIPPED, Message("", "A total.")), [], []),
}


@pytest.mark.parametrize(("row", "said", "notes"), MESSAGES.values(), ids=MESSAGES)
def test_each_message_is_in_its_cell(
    files: Files,
    shown: Shown,
    row: RowResult,
    said: Sequence[tuple[str | None, str, Severity]],
    notes: Sequence[str],
) -> None:
    grid = answered(files, shown, row)
    (found, *_) = grid.rows(RowFilter(0, RUN), 0, 9)
    assert found.status == row.status
    assert [(problem.column, problem.code, problem.severity) for problem in found.problems] == said
    assert list(found.notes) == notes
    is_wrong = 2 in grid.rows_of(RowFilter(0, RUN, PROBLEMS))
    assert is_wrong == bool(said)


def test_findings_of_the_check_stay_beside_results(files: Files, shown: Shown) -> None:
    rejected = Message("1906", "Too dear.")
    grid = answered(
        files,
        shown,
        result(2, Status.INTEGRATED, TAKEN),
        result(3, Status.INVALID, Message("number-range", "quantity: -1")),
        result(4, Status.REJECTED, rejected),
        result(5, Status.REJECTED, rejected, Message("X", "No.")),
    )
    assert codes(grid, view=RUN) == [
        *((3, "number-range"), (4, "trimmed"), (4, "1906"), (5, "1906"), (5, "X"))
    ]
    assert [(group.code, group.count, group.rows) for group in grid.groups(0, RUN)] == [
        *(("1906", 2, 2), ("X", 1, 1), ("number-range", 1, 1)),
        ("trimmed", 1, 1),
    ]
    assert grid.statuses(0, RUN) == {
        Status.INVALID: 1,
        Status.INTEGRATED: 1,
        Status.REJECTED: 2,
    }
    assert list(grid.rows_of(RowFilter(0, RUN, of_status(Status.REJECTED)))) == [4, 5]
    assert list(grid.rows_of(RowFilter(0, RUN, of_code("1906")))) == [4, 5]
    assert list(grid.rows_of(RowFilter(0, RUN, "warning"))) == [4]
    assert grid.views(0) == [CHECK, RUN]


def test_a_row_of_several_channels_has_its_worst_status_and_all_messages(
    files: Files, shown: Shown
) -> None:
    refused = Message("X", tr("No, {name}.", name="no"))
    grid = answered(
        files,
        shown,
        result(2, Status.INTEGRATED, TAKEN),
        result(2, Status.REJECTED, refused, channel="NOZIDE"),
    )
    (row, *_) = grid.rows(RowFilter(0, RUN), 0, 9)
    assert (row.status, [str(problem.message) for problem in row.problems]) == (
        *(Status.REJECTED, ["NOZIDE: No, no."]),
    )


def test_a_view_replaces_its_earlier_results(files: Files, shown: Shown) -> None:
    answered(files, shown, result(2, Status.PENDING), result(5, Status.REJECTED, Message("X", "")))
    add_results(shown.path, "run-8", {0: [result(2, Status.REJECTED, Message("Y", "No."))]})
    add_results(shown.path, RUN, {0: [result(2, Status.INTEGRATED, TAKEN)]})
    with Grid(shown.path) as grid:
        assert grid.statuses(0, RUN) == {Status.INTEGRATED: 1}
        assert "X" not in {problem.code for problem in problems(grid, view=RUN)}
        assert grid.statuses(0, "run-8") == {Status.REJECTED: 1}
        assert len(grid.statuses(0)) == 2


def test_half_written_results_are_undone(files: Files, shown: Shown, tmp_path: Path) -> None:
    """A process was killed while it wrote."""
    copy = tmp_path / "killed.sqlite"
    with shown(files.csv(*(offer(number) for number in range(1, 3000)))) as grid:
        before = grid.rows(RowFilter(0), 0, 3000)
    with closing(sqlite3.connect(shown.path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE packs SET rows = zeroblob(length(rows))")
        for end in ("", "-journal"):
            shutil.copy(f"{shown.path}{end}", f"{copy}{end}")
        db.execute("ROLLBACK")
    assert copy.read_bytes() != shown.path.read_bytes()
    with Grid(copy) as grid:
        assert grid.rows(RowFilter(0), 0, 3000) == before


def test_a_missing_grid_gets_no_results(tmp_path: Path) -> None:
    with pytest.raises(GridUnusable):
        add_results(tmp_path / "none.sqlite", RUN, {0: []})
