"""Amounts, rates and whole numbers: bounds, precision, percent, and cells that are no numbers."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.feeds.columns.number import Days, Money, Number, Rate, Whole
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings, Bounds
from tests.feeds.columns.conftest import number, read, text

ZERO = Decimal(0)
PRICE = Money(above=ZERO)
AMOUNT = Money(least=ZERO)
VAT = Rate(least=ZERO, most=Decimal(100))
STOCK = Whole(least=ZERO)
DAYS = Days(least=ZERO)

READ = [
    (PRICE, number("19.99"), Decimal("19.99")),
    (PRICE, number("19.989999999999998"), Decimal("19.99")),
    (PRICE, number("0.1"), Decimal("0.10")),
    (PRICE, number("1.2E+3"), Decimal(1200)),
    (PRICE, number("5.0000000000000001E-2"), Decimal("0.05")),
    (PRICE, number("9999999.99"), Decimal("9999999.99")),
    (AMOUNT, number("0"), ZERO),
    (AMOUNT, number("-0"), ZERO),
    (AMOUNT, text("0"), ZERO),
    (VAT, number("20"), Decimal(20)),
    (VAT, number("5.5"), Decimal("5.50")),
    (VAT, number("0"), ZERO),
    (VAT, number("100"), Decimal(100)),
    (VAT, text("20 %"), Decimal(20)),
    (VAT, text("5,5%"), Decimal("5.50")),
    (VAT, text("0,5 %"), Decimal("0.50")),
    (VAT, number("1"), Decimal(1)),
    (STOCK, number("25"), 25),
    (STOCK, number("25.000000000000001"), 25),
    (STOCK, text("25,0"), 25),
    (STOCK, text("1 000"), 1000),
    (STOCK, number("9999999999"), 9_999_999_999),
    (DAYS, number("0"), 0),
    (DAYS, text("365"), 365),
]
REFUSED = [
    (PRICE, number("0"), "number-range"),
    (PRICE, number("-1"), "number-range"),
    (PRICE, text("-19,99"), "number-range"),
    (PRICE, number("10000000"), "number-range"),
    (PRICE, number("1E+300"), "number-range"),
    (PRICE, number("19.995"), "number-precision"),
    (PRICE, number("0.001"), "number-precision"),
    (PRICE, number("1E-300"), "number-precision"),
    (PRICE, number("6.6633333333333331"), "number-precision"),
    (PRICE, text("19,9950"), "number-precision"),
    (AMOUNT, number("-0.01"), "number-range"),
    (VAT, number("100.01"), "number-range"),
    (VAT, number("-5"), "number-range"),
    (VAT, text("120 %"), "number-range"),
    (VAT, number("0.2"), "vat-fraction"),
    (VAT, number("0.055"), "vat-fraction"),
    (VAT, number("0.19600000000000001"), "vat-fraction"),
    (VAT, text("0,2"), "vat-fraction"),
    (VAT, text("0.196"), "vat-fraction"),
    (VAT, text("%"), "number-format"),
    (VAT, text("20 %%"), "number-format"),
    (STOCK, number("2.5"), "integer-required"),
    (STOCK, text("2,5"), "integer-required"),
    (STOCK, number("-1"), "number-range"),
    (STOCK, number("10000000000"), "number-range"),
    (STOCK, text("20 %"), "number-format"),
    (STOCK, text("1,000"), "number-ambiguous"),
    (DAYS, number("366"), "number-range"),
    (DAYS, number("1.5"), "integer-required"),
    (DAYS, number("-1"), "number-range"),
    (DAYS, text("2 days"), "number-format"),
]


def named(case: object) -> str:
    return case.text if isinstance(case, Cell) else str(getattr(case, "__name__", case))


@pytest.mark.parametrize(("kind", "cell", "value"), READ, ids=named)
def test_read(kind: Number, cell: Cell, value: object) -> None:
    assert read(kind, cell) == (value, (), "")


@pytest.mark.parametrize(("kind", "cell", "code"), REFUSED, ids=named)
def test_refused(kind: Number, cell: Cell, code: str) -> None:
    reading = read(kind, cell)
    assert (reading.value, reading.codes) == (None, (code,))
    assert reading.hint


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("0.2", "20"),
        ("0.055", "5.5"),
        ("5.5E-2", "5.5"),
        ("0.055000000000000004", "5.5"),
        ("1", "100"),
        ("0", "0"),
    ],
)
def test_a_rate_formatted_as_a_percentage_is_what_it_shows(digits: str, value: str) -> None:
    reading = read(VAT, number(digits, percent=True))
    assert (reading.value, reading.codes) == (Decimal(value), ("percent-read",))


@pytest.mark.parametrize(
    ("digits", "code"), [("20", "number-range"), ("0.20001", "number-precision")]
)
def test_a_percentage_keeps_the_bounds_of_what_it_shows(digits: str, code: str) -> None:
    assert read(VAT, number(digits, percent=True)).codes == (code,)


@pytest.mark.parametrize("error", ["#N/A", "#REF!", " #DIV/0! "])
def test_an_error_written_as_text_is_an_error(error: str) -> None:
    assert read(PRICE, text(error)).codes == ("formula-error",)


@pytest.mark.parametrize(
    ("kind", "bounds", "cell"),
    [
        (PRICE, Bounds(highest_price=Decimal(100)), number("100.01")),
        (STOCK, Bounds(highest_quantity=10), number("11")),
        (DAYS, Bounds(longest_preparation=30), number("31")),
    ],
    ids=["price", "stock", "days"],
)
def test_bounds_that_the_specification_does_not_give_are_settings(
    kind: Number, bounds: Bounds, cell: Cell
) -> None:
    assert read(kind, cell, replace(AccountSettings(), bounds=bounds)).codes == ("number-range",)
    assert read(kind, cell).codes == ()


def test_a_vat_fraction_is_told_as_its_percentage_and_never_rounded() -> None:
    hint = read(VAT, number("0.196")).hint
    assert hint.startswith("type 19.6 for 19.6 %; ")
    assert "vat_scale" in hint


@given(st.decimals(Decimal("0.01"), Decimal("9999999.99"), places=2))
def test_the_float_nearest_to_an_amount_is_that_amount(amount: Decimal) -> None:
    assert read(PRICE, number(repr(float(amount)))) == (amount, (), "")
    assert read(PRICE, number(f"{float(amount):.17g}")) == (amount, (), "")


@given(st.integers(0, 9_999_999_999))
def test_any_stock_is_read_back(stock: int) -> None:
    assert read(STOCK, number(str(stock))) == (stock, (), "")
    assert read(STOCK, text(str(stock))) == (stock, (), "")
