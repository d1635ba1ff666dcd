"""Numbers of rows as a text."""

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import RowRanges, ranges_of

READ = {
    "": ("", []),
    "5": ("5", [5]),
    "2-5,9": ("2-5,9", [2, 3, 4, 5, 9]),
    "9, 2-5": ("2-5,9", [2, 3, 4, 5, 9]),
    "2-5,4-7,8": ("2-8", [2, 3, 4, 5, 6, 7, 8]),
    "3,3": ("3", [3]),
    "11-": ("11-", [11, 12]),
    "2,11-,12": ("2,11-", [2, 11, 12]),
}


@pytest.mark.parametrize("text", READ)
def test_a_text_names_rows(text: str) -> None:
    ranges, (same, rows) = RowRanges(text), READ[text]
    assert str(ranges) == same
    assert [row for row in range(1, 13) if row in ranges] == rows
    assert bool(ranges) is bool(rows)


def test_open_range_has_no_end() -> None:
    assert 10**9 in RowRanges("40-")
    assert 39 not in RowRanges("40-")


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("2-5,9", ""),
        ("3,9-", ""),
        ("1-90", ""),
        ("6", "6"),
        ("1,6-8,900-950", "1,6-8,900-950"),
        ("2,7,10-", "7,10-"),
    ],
)
def test_ranges_without_any_row(text: str, absent: str) -> None:
    assert RowRanges(text).without([2, 3, 4, 5, 9]) == absent
    assert RowRanges(text).without([]) == text


@pytest.mark.parametrize("text", ["0", "5-2", "-5", "a", "1.5", "2--5", "2-5-9", "²"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match=f"“{text}” names no rows"):
        RowRanges(f"3,{text}")


def test_rows_are_written_as_ranges() -> None:
    rows = [2, 3, 4, 9, 11, 12]
    assert ranges_of(rows) == "2-4,9,11-12"
    assert ranges_of([]) == ""
    assert ranges_of(range(2, 100_001)) == "2-100000"
    assert [row for row in range(14) if row in RowRanges(ranges_of(rows))] == rows
