"""Where the workbook of the rows to correct goes."""

from pathlib import Path

import pytest

from feedtool.runs.corrections import place_of, places


@pytest.mark.parametrize(
    ("copy", "place"),
    [
        ("a/offers.result.xlsx", "a/offers.failed.xlsx"),
        ("a/offers.result.csv", "a/offers.failed.xlsx"),
        ("offers.xlsm", "offers.failed.xlsx"),
        ("offers.failed.result.xlsx", "offers.failed-2.xlsx"),
        ("offers.failed-2.result.xlsx", "offers.failed-3.xlsx"),
        ("offers.failed-x.result.xlsx", "offers.failed-x.failed.xlsx"),
    ],
)
def test_where_it_goes(copy: str, place: str) -> None:
    assert place_of(Path(copy)) == Path(place)


def test_no_two_go_to_one_place() -> None:
    targets = {"a.xlsx": Path("a.result.xlsx"), "a.csv": Path("a.result.csv")}
    found = places(targets)
    assert found == {"a.xlsx": Path("a.failed.xlsx"), "a.csv": Path("a.csv.failed.xlsx")}
