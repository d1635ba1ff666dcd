"""The decimal separator is settled by a column's other cells, or not at all."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from feedtool.feeds.columns.number import Money
from feedtool.model import disk_list
from tests.conftest import Files, checked, codes, offer, table
from tests.feeds.columns.conftest import read_column

PRICE = Money(above=Decimal(0))

EVIDENCE = {
    "a comma and two digits": (["19,99"], [","]),
    "a dot and one digit": (["19.9"], ["."]),
    "both separators": (["1.299,00"], [","]),
    "the other order": (["1,299.00"], ["."]),
    "blanks for thousands": (["1 299,00"], [","]),
    "thousands twice": (["1.234.567"], [","]),
    "thousands twice, commas": (["1,234,567"], ["."]),
    "four digits before": (["1234,50"], [","]),
    "a zero before three digits": (["0,500"], [","]),
    "a currency": (["19,99 €"], [","]),
    "contradictory": (["19,99", "19.99"], [",", "."]),
    "whole numbers speak for nothing": (["1299", "1 299"], []),
    "an ambiguous cell speaks for nothing": (["1,234"], []),
    "no number": (["19,99 USD"], []),
    "too many decimals": (["19,999 ", "19,9999"], []),
    "out of its bounds": (["-19,99", "0,00", "99999999,99"], []),
}


@pytest.mark.parametrize(("cells", "separators"), EVIDENCE.values(), ids=EVIDENCE)
def test_only_valid_cells_are_evidence(cells: list[str], separators: list[str]) -> None:
    assert list(read_column(PRICE, *cells).evidence) == separators


PRICES = {
    "nothing settles it": (["1,234", "5"], [None, "5"]),
    "settled before": (["9.50", "1,234"], ["9.5", "1234"]),
    "settled behind": (["1,234", "9.50"], ["1234", "9.5"]),
    "settled the other way": (["1.234", "9,50"], ["1234", "9.5"]),
    "read as decimals, beyond a cent": (["1,234", "9,50"], [None, "9.5"]),
    "read as decimals": (["1,230", "9,50"], ["1.23", "9.5"]),
    "contradictory": (["1,234", "9,50", "9.50"], [None, "9.5", "9.5"]),
    "evidence of a refused cell": (["1,234", "9.50 USD", "-9.50"], [None, None, None]),
    "several ambiguous cells": (["1,234", "2,345", "9.50"], ["1234", "2345", "9.5"]),
}


@pytest.mark.parametrize(("cells", "prices"), PRICES.values(), ids=PRICES)
def test_a_column_settles_its_ambiguous_cells(
    files: Files, cells: list[str], prices: list[str | None]
) -> None:
    rows = [offer(number, price__price=cell) for number, cell in enumerate(cells)]
    (sheet,) = checked(files.csv(*rows))
    valid = {item.row: item.body for item in sheet.valid_items()}
    for row, price in enumerate(prices, 2):
        assert (row in valid) is (price is not None)
        if price is not None:
            assert f'"price":{price}'.encode() in valid[row]
    assert sheet.counts().rows == len(cells)


@pytest.mark.parametrize(
    ("held", "count"),
    [(64, 1100), pytest.param(disk_list.HELD, disk_list.HELD + 900, marks=pytest.mark.long)],
)
def test_the_evidence_may_come_when_rows_are_on_disk(
    files: Files, monkeypatch: pytest.MonkeyPatch, held: int, count: int
) -> None:
    monkeypatch.setattr(disk_list, "HELD", held)
    rows = [offer(number, price__price="1,234" if number == 0 else "5") for number in range(count)]
    rows.append(offer(count, price__price="9.50"))
    (sheet,) = checked(files.csv(*rows))
    assert codes(sheet) == []
    assert sheet.counts().valid == count + 1


def test_a_numeric_cell_is_no_evidence_for_texts(files: Files) -> None:
    """A program stores numbers without any separator; what was typed as text is not theirs."""
    path = files.book({"Offers": [offer(1, price__price="1,234"), offer(2)]})
    book = load_workbook(path)
    book["Offers"]["D3"].value = 9.5
    book.save(path)
    (sheet,) = checked(path)
    assert codes(sheet) == [(2, "number-ambiguous")]


def test_each_column_is_settled_separately(files: Files) -> None:
    rows = [offer(1, price__price="1,234", price__originPrice="2000.50")]
    (sheet,) = checked(files.text(table(rows)))
    assert codes(sheet) == [(2, "number-ambiguous")]


REFUSED = {
    "beyond a cent": (
        offer(price__price="1,234"),
        offer(2, price__price="9,50"),
        (
            "1,234 has more than two decimals when read with “,” for decimals, "
            "as 9,50 in this column shows"
        ),
    ),
    "no whole number": (
        offer(quantity="1,234"),
        offer(2, quantity="9,0"),
        "1,234 is not a whole number when read with “,” for decimals, as 9,0 in this column shows",
    ),
    "outside its bounds": (
        offer(taxes__VAT="1.234"),
        offer(2, taxes__VAT="5,5 %"),
        "1.234 must not be above 100 when read with “,” for decimals, as 5,5 in this column shows",
    ),
    "what only has one reading": (
        offer(price__price="1.234"),
        offer(2, price__price="9,505"),
        "1.234 could mean 1234 or 1.234; no other cell of the column settles it",
    ),
}


def test_contradictory_evidence_is_shown_at_any_place(files: Files) -> None:
    rows = [offer(n, price__price=cell) for n, cell in enumerate(["1,234", "9.50", "9,50"])]
    for some in (rows, rows[::-1]):
        (sheet,) = checked(files.csv(*some))
        (problem,) = sheet.problems()
        assert "9.50 (. for decimals)" in problem.message
        assert "9,50 (, for decimals)" in problem.message


@pytest.mark.parametrize(("row", "other", "message"), REFUSED.values(), ids=REFUSED)
def test_the_other_separator_is_refused_with_the_evidence(
    files: Files, row: dict[str, str], other: dict[str, str], message: str
) -> None:
    for rows in ((row, other), (other, row)):
        (sheet,) = checked(files.csv(*rows))
        assert message in {problem.message for problem in sheet.problems()}


@given(
    st.lists(st.sampled_from(["1,234", "1.234", "19,99", "19.99", "1 299", "7", "x"]), max_size=8),
    st.randoms(use_true_random=False),
)
def test_the_order_of_cells_does_not_matter(cells: list[str], random: object) -> None:
    shuffled = list(cells)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # a Random
    assert set(read_column(PRICE, *cells).evidence) == set(read_column(PRICE, *shuffled).evidence)
