"""The writings of numbers: each is read as what it says, or refused; none is guessed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.feeds.columns.number import Amount, Money, parse
from feedtool.feeds.columns.text import plain
from feedtool.model.settings import AccountSettings
from tests.feeds.columns.conftest import read, text

NBSP, NARROW, THIN, FIGURE = "\u00a0", "\u202f", "\u2009", "\u2007"

READ = {
    writing: amount
    for amount, names in {
        "19.99": (
            *("19.99", "19,99", "+19,99", "+ 19,99", "€19.99", "€ 19.99", "19,99€"),
            *(f"19,99{NBSP}€", "EUR 19.99", "19.99 eur", "EUR19.99"),
            f" {NBSP}\u200b19.99\ufeff ",
        ),
        "19.90": ("19.9",),
        "7.00": ("7",),
        "1299.00": (
            *("1 299,00", f"1{NBSP}299,00", f"1{NARROW}299,00", f"1{THIN}299,00"),
            *(f"1{FIGURE}299,00", "1 299.00", "1 299", "1.299,00", "1,299.00", "1 299,00 €"),
        ),
        "1234567.00": ("1.234.567", "1,234,567"),
        "1234567.89": ("1.234.567,89", "1 234 567,89"),
        "12.50": ("0012,50",),
        "0.50": ("0,500",),
        "5.00": ("+€ 5", "€ +5"),
    }.items()
    for writing in names
}
NO_NUMBERS = [
    *("cheap", "approx. 20", "19.99 USD", "$19.99", "£19", "19.99 CHF", "1e3", "1E+3x", "0x10"),
    *("1_000", "inf", "nan", "-", "+", "€", ".", ",", "..", ".5", "5.", "5,", "1,2,3", "1.2.3"),
    *("12,34.56", "1.23,45.67", "1,234,56", "12 34", "1 2999", "1  299", "19,99 €€", "--5", "+-5"),
    *("5-", "(5)", "5%", "\u0661\u0662", "\uff11\uff12", "\u00b2", "\u2212 5", "1'299.00"),
    *("19.99 / 2", "=1+1", "TRUE", "19.99\n20.00"),
]


@pytest.mark.parametrize(("writing", "amount"), READ.items(), ids=map(repr, READ))
def test_each_usual_writing_is_read(writing: str, amount: str) -> None:
    assert read(Money(), text(writing)) == (Decimal(amount), (), "")


@pytest.mark.parametrize("writing", NO_NUMBERS, ids=repr)
def test_everything_else_is_no_number(writing: str) -> None:
    reading = read(Money(), text(writing))
    assert (reading.value, reading.codes) == (None, ("number-format",))
    assert reading.hint


@pytest.mark.parametrize("writing", ["1,234", "1.234", "999.999", "12,000", "€ 1,234", "+1.234"])
def test_a_lone_separator_before_three_digits_is_ambiguous(writing: str) -> None:
    reading = read(Money(), text(writing))
    assert (reading.value, reading.codes) == (None, ("number-ambiguous",))


@pytest.mark.parametrize(
    ("writing", "decimal", "amount"),
    [
        ("1,234", ".", "1234.00"),
        ("1.234", ",", "1234.00"),
        ("1,230", ",", "1.23"),
        ("1.230", ".", "1.23"),
        ("-1,230", ",", "-1.23"),
        ("€ 1,234", ".", "1234.00"),
    ],
)
def test_a_settled_column_reads_it(writing: str, decimal: str, amount: str) -> None:
    assert read(Money(), text(writing), decimal=decimal).value == Decimal(amount)


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize(("writing", "amount"), READ.items(), ids=map(repr, READ))
def test_a_settled_column_changes_no_clear_writing(writing: str, amount: str, decimal: str) -> None:
    assert read(Money(), text(writing), decimal=decimal).value == Decimal(amount)


def test_the_currencies_are_the_profiles() -> None:
    swiss = AccountSettings(currencies=("CHF", "Fr."))
    assert read(Money(), text("CHF 19.90"), swiss).value == Decimal("19.90")
    assert read(Money(), text("19.90 Fr."), swiss).value == Decimal("19.90")
    assert read(Money(), text("19.90 €"), swiss).codes == ("number-format",)


AMOUNTS = st.decimals(0, Decimal("9999999.99"), places=2)
SEPARATORS = st.sampled_from(
    [
        ("", "."),
        ("", ","),
        (" ", "."),
        (" ", ","),
        (NBSP, ","),
        (NARROW, ","),
        (".", ","),
        (",", "."),
    ]
)
AROUND = st.sampled_from(
    [("", ""), ("€", ""), ("€ ", ""), ("", " €"), ("", "€"), ("EUR ", ""), ("", " eur"), ("+", "")]
)


def grouped(whole: int, thousands: str) -> str:
    return f"{whole:,}".replace(",", thousands)


@given(AMOUNTS, SEPARATORS, AROUND)
def test_any_amount_of_two_decimals_is_read_back(
    amount: Decimal, separators: tuple[str, str], around: tuple[str, str]
) -> None:
    thousands, decimal = separators
    whole, fraction = f"{amount:.2f}".split(".")
    writing = f"{around[0]}{grouped(int(whole), thousands)}{decimal}{fraction}{around[1]}"
    assert read(Money(), text(writing)) == (amount, (), "")


@given(st.integers(0, 9_999_999), st.sampled_from(["", " ", NBSP, NARROW]))
def test_any_whole_amount_is_read_back(amount: int, thousands: str) -> None:
    assert read(Money(), text(grouped(amount, thousands))).value == amount


@given(st.integers(1, 999_999), st.sampled_from([".", ","]))
def test_a_number_of_two_readings_is_never_guessed(thousandths: int, separator: str) -> None:
    whole, fraction = divmod(thousandths, 1000)
    found = parse(f"{whole}{separator}{fraction:03}")
    if whole:
        assert found == "ambiguous"
    else:  # no thousands begin with a zero
        assert found == Amount(Decimal(thousandths) / 1000, separator)


@given(st.text(max_size=12))
def test_no_text_is_a_bug(writing: str) -> None:
    reading = read(Money(), text(writing))
    assert isinstance(reading.value, Decimal) or reading.codes or not plain(writing)
