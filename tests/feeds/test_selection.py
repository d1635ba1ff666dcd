"""The predecessor of a file: the same name, else one that differs only in dates and times."""

import pytest

from feedtool.feeds.selection import predecessor

ALIKE = {
    "a day": ("stock-2026-03-02.csv", "stock-2026-03-01.csv"),
    "a day as one number": ("stock20260302.csv", "stock20260301.csv"),
    "a day the other way round": ("02.03.26 stock.csv", "01.03.26 stock.csv"),
    "a month": ("stock_2026_03.csv", "stock_2026_02.csv"),
    "a day and a time": ("stock-2026-03-02_14-30-05.csv", "stock-2026-03-01_09-02-59.csv"),
    "a moment": ("stock_20260302T1430.csv", "stock_20260301T0915.csv"),
    "seconds": ("stock-1772409600.csv", "stock-1772323200.csv"),
    "a part of a day": ("stock-2026-03-02-part1.csv", "stock-2026-03-01-part1.csv"),
    "a numbered part of a day": ("stock-20260302-02.csv", "stock-20260301-02.csv"),
}
UNLIKE = {
    "parts": ("part2.csv", "part1.csv"),
    "parts of two digits": ("part12.csv", "part11.csv"),
    "parts of a day": ("stock-2026-03-02-part2.csv", "stock-2026-03-02-part1.csv"),
    "numbered parts of a day": ("stock-2026-03-02-02.csv", "stock-2026-03-02-01.csv"),
    "a day and none": ("stock-2026-03-02.csv", "stock.csv"),
    "another ending": ("stock-2026-03-02.xlsx", "stock-2026-03-01.csv"),
}


@pytest.mark.parametrize(("name", "before"), (ALIKE | UNLIKE).values(), ids=ALIKE | UNLIKE)
def test_a_name_of_another_day_comes_before(name: str, before: str) -> None:
    expected = (7, 20) if (name, before) in ALIKE.values() else None
    assert predecessor(name, [(before, 7, 20)]) == expected


EARLIER = [("c.csv", 5, None), ("b-02.03.26.csv", 4, 20), ("b-01.03.26.csv", 3, 20)]
EARLIER += [("b-01.03.26.csv", 2, 20), ("in/a.csv", 1, 20)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("a.csv", 1), ("feeds/a.csv", 1), ("b-03.03.26.csv", 4), ("b-01.03.26.csv", 3)),
        *(("b.csv", None), ("c.csv", None)),
    ],
)
def test_the_same_name_goes_before_one_alike(name: str, expected: int | None) -> None:
    found = predecessor(name, EARLIER)
    assert (found and found.run_id) == expected
