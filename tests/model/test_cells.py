"""Cells as their program shows them, and the letters of columns."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.model.cells import BLANK, Cell, Kind, index_of, letters, rounded, shown

SHOWN = [
    (Cell(Kind.NUMBER, "19.989999999999998"), "19.99"),
    (Cell(Kind.NUMBER, "42"), "42"),
    (Cell(Kind.NUMBER, "42.0"), "42"),
    (Cell(Kind.NUMBER, "4.2E+1"), "42"),
    (Cell(Kind.NUMBER, "-0"), "0"),
    (Cell(Kind.NUMBER, "0.10"), "0.1"),
    (Cell(Kind.NUMBER, "1E-3"), "0.001"),
    (Cell(Kind.NUMBER, "-7.50"), "-7.5"),
    (Cell(Kind.NUMBER, "8.80610E+12"), "8806100000000"),
    (Cell(Kind.NUMBER, "1E+300"), "1E+300"),
    (Cell(Kind.NUMBER, "1E-300"), "1E-300"),
    (Cell(Kind.NUMBER, "0.2", percent=True), "20%"),
    (Cell(Kind.NUMBER, "0.055", percent=True), "5.5%"),
    (Cell(Kind.NUMBER, "42", zeros=6), "000042"),
    (Cell(Kind.NUMBER, "1234567", zeros=6), "1234567"),
    (Cell(Kind.TEXT, " as it is "), " as it is "),
    (Cell(Kind.DATE, "2024-05-12"), "2024-05-12"),
    (Cell(Kind.BOOLEAN, "TRUE"), "TRUE"),
    (Cell(Kind.ERROR, "#N/A"), "#N/A"),
    (BLANK, ""),
]


@pytest.mark.parametrize(("cell", "text"), SHOWN, ids=lambda value: getattr(value, "text", value))
def test_shown(cell: Cell, text: str) -> None:
    assert shown(cell) == text


@pytest.mark.parametrize(
    ("index", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
)
def test_letters(index: int, name: str) -> None:
    assert letters(index) == name
    assert index_of(name) == index


@given(st.integers(0, 20_000))
def test_letters_and_index_are_inverse(index: int) -> None:
    assert index_of(letters(index)) == index


@given(st.decimals(-(10**12), 10**12, places=2))
def test_an_amount_survives_being_a_float(amount: Decimal) -> None:
    assert rounded(repr(float(amount))) == amount
    assert rounded(f"{float(amount):.17g}") == amount


@given(st.floats(-1e300, 1e300))
def test_any_number_is_rounded_to_fifteen_digits(number: float) -> None:
    found = rounded(repr(number))
    assert len(found.as_tuple().digits) <= 15
    assert float(found) == pytest.approx(number, rel=1e-14, abs=1e-307)
