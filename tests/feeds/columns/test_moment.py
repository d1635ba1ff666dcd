"""Date-times: cells that a spreadsheet keeps as dates, and texts."""

import pytest

from feedtool.feeds.columns.moment import Moment
from feedtool.model.cells import BLANK, Cell, Kind
from tests.feeds.columns.conftest import NO_VALUES, case_id, number, read, text


def date(shown: str) -> Cell:
    return Cell(Kind.DATE, shown)


MOMENTS: list[tuple[Cell, str]] = [
    (date("2026-11-22"), "2026-11-22T00:00:00Z"),
    (date("2026-11-22T09:30:00"), "2026-11-22T09:30:00Z"),
    (text("2026-11-22"), "2026-11-22T00:00:00Z"),
    (text(" 2026-11-22 09:30 "), "2026-11-22T09:30:00Z"),
    (text("2026-11-22T09:30:00Z"), "2026-11-22T09:30:00Z"),
    (text("2026-11-22T09:30:00+02:00"), "2026-11-22T07:30:00Z"),
    (text("2026-11-22T23:30:00-01:00"), "2026-11-23T00:30:00Z"),
    (text("2026-11-22T09:30:00.999"), "2026-11-22T09:30:00Z"),
    (number("20261122"), "2026-11-22T00:00:00Z"),
]


@pytest.mark.parametrize(("cell", "value"), MOMENTS, ids=case_id)
def test_a_date_is_read_in_utc(cell: Cell, value: str) -> None:
    assert read(Moment(), cell) == (value, (), "")


NO_MOMENTS = [
    *(date("09:30:00"), date("0001-01-01"), text("09:30"), text("0001-01-01"), number("45000")),
    *(text("22/11/2026"), text("2026-13-01"), text("2026-02-30"), text("tomorrow"), text("2026")),
]


@pytest.mark.parametrize("cell", NO_MOMENTS, ids=case_id)
def test_anything_else_is_refused(cell: Cell) -> None:
    reading = read(Moment(), cell)
    assert (reading.value, reading.codes) == (None, ("moment-format",))
    assert "2026-11-22" in reading.hint


@pytest.mark.parametrize(
    ("code", "cell"),
    [(code, cell) for code, cell in NO_VALUES.items() if cell.kind is not Kind.DATE],
)
def test_a_cell_without_a_value(code: str, cell: Cell) -> None:
    assert read(Moment(), cell).codes == (code,)


@pytest.mark.parametrize("cell", [BLANK, text(" \u200b")], ids=case_id)
def test_a_blank_is_no_moment(cell: Cell) -> None:
    assert read(Moment(), cell) == (None, (), "")
