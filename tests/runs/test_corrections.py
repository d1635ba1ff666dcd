"""Which rows are to be corrected, and where their workbook goes."""

from pathlib import Path

import pytest

from feedtool.model.nouns import Message, RowResult, Status
from feedtool.runs.corrections import is_to_correct, place_of, places

GUARDED = (Message("price-drop", "the price falls by 90 %"),)
ALONE = (Message("", "not sent, since not all rows of all files are valid"),)


@pytest.mark.parametrize(
    ("status", "messages", "is_one"),
    [
        (Status.INVALID, (), True),
        (Status.REJECTED, (), True),
        (Status.DUPLICATED, (), True),
        (Status.REFUSED, (), True),
        (Status.HELD, GUARDED, True),
        (Status.HELD, ALONE, False),
        (Status.PENDING, (), False),
        (Status.UNKNOWN, (), False),
        (Status.SUPERSEDED, (), False),
        (Status.UNCHANGED, (), False),
        (Status.INTEGRATED, (), False),
    ],
)
def test_what_is_to_be_corrected(
    status: Status, messages: tuple[Message, ...], *, is_one: bool
) -> None:
    assert is_to_correct(RowResult(2, "SKU-1", status, messages)) is is_one


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
