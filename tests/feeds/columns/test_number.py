"""Numbers: each writing is read as what it says, or refused, and none is guessed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feedtool.feeds.columns.number import Amount, Days, Money, Number, Rate, Whole, parse
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings, Bounds
from tests.feeds.columns.conftest import case_id, number, read, text

ZERO, MONEY = Decimal(0), Money()
PRICE = Money(above=ZERO)
AMOUNT = Money(least=ZERO)
VAT = Rate(least=ZERO, most=Decimal(100))
STOCK = Whole(least=ZERO)
DAYS = Days(least=ZERO)

READ: list[tuple[Number, Cell, object]] = [
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
    *(
        (DAYS, text(writing), days)
        for days, writings in {
            1: "24h|1 jour|1 Day|24 heures|J+1|1 Tag",
            2: "48 h|2 jours|2j|J+2|D + 2|2 days|2 días|48 hrs.|2 giorni|2 Tage|2 dni|2 dagen",
            0: "0|0 h|J+0",
        }.items()
        for writing in writings.split("|")
    ),
]
NBSP, NARROW, THIN, FIGURE = "\u00a0", "\u202f", "\u2009", "\u2007"

WRITINGS = {
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
            *("1'299.00", "1’299.00", "1'299", "1’299,00", "€ 1'299.00", "1´299.00"),  # noqa: RUF001
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
    *("5-", "(5)", "5%", "\u0661\u0662", "\uff11\uff12", "\u00b2", "\u2212 5"),
    *("12'34", "1'2999", "1 234'567", "1''299", "'299", "1'299.900'000"),
    *("19.99 / 2", "=1+1", "TRUE", "19.99\n20.00"),
]
REFUSED: dict[str, dict[Number, tuple[Cell, ...]]] = {
    "number-range": {
        PRICE: (number("0"), number("-1"), text("-19,99"), number("10000000"), number("1E+300")),
        AMOUNT: (number("-0.01"),),
        VAT: (number("20", percent=True), number("100.01"), number("-5"), text("120 %")),
        STOCK: (number("-1"), number("10000000000")),
        DAYS: (number("366"), number("-1")),
    },
    "number-precision": {
        PRICE: (
            number("19.995"),
            number("0.001"),
            number("1E-300"),
            number("6.6633333333333331"),
            text("19,9950"),
        ),
        VAT: (number("0.20001", percent=True),),
    },
    "vat-fraction": {
        VAT: (
            number("0.2"),
            number("0.055"),
            number("0.19600000000000001"),
            text("0,2"),
            text("0.196"),
        ),
    },
    "number-format": {
        VAT: (text("%"), text("20 %%")),
        STOCK: (text("20 %"),),
        DAYS: (
            *map(text, ("2-3 jours", "1-2", "immédiat", "36 h", "2 semaines", "5%", "2 j ouvrés")),
        ),
        MONEY: (*map(text, NO_NUMBERS),),
    },
    "integer-required": {
        STOCK: (number("2.5"), text("2,5")),
        DAYS: (number("1.5"),),
    },
    "number-ambiguous": {
        STOCK: (text("1,000"),),
        MONEY: (*map(text, ("1,234", "1.234", "999.999", "12,000", "€ 1,234", "+1.234")),),
    },
    "formula-error": {PRICE: (*map(text, ("#N/A", "#REF!", " #DIV/0! ")),)},
}


@pytest.mark.parametrize(("kind", "cell", "value"), READ, ids=case_id)
def test_read(kind: Number, cell: Cell, value: object) -> None:
    assert read(kind, cell) == (value, (), "")


@pytest.mark.parametrize(
    ("kind", "cell", "code"),
    [
        (kind, cell, code)
        for code, kinds in REFUSED.items()
        for kind in kinds
        for cell in kinds[kind]
    ],
    ids=case_id,
)
def test_refused(kind: Number, cell: Cell, code: str) -> None:
    reading = read(kind, cell)
    assert (reading.value, reading.codes) == (None, (code,))
    assert reading.hint


@pytest.mark.parametrize("cell", REFUSED["number-format"][DAYS], ids=case_id)
def test_parts_of_days_get_a_hint(cell: Cell) -> None:
    assert read(DAYS, cell).hint.startswith("type whole days as one number:")


@pytest.mark.parametrize(("writing", "amount"), WRITINGS.items(), ids=map(repr, WRITINGS))
def test_a_clear_number_is_read_with_any_decimal_separator(writing: str, amount: str) -> None:
    for decimal in (None, ".", ","):
        reading = read(MONEY, text(writing), decimal=decimal)
        assert reading == (Decimal(amount), (), ""), decimal


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
    assert read(MONEY, text(writing), decimal=decimal).value == Decimal(amount)


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
def test_a_rate_formatted_as_a_percentage_is_read_as_shown(digits: str, value: str) -> None:
    reading = read(VAT, number(digits, percent=True))
    assert (reading.value, reading.codes) == (Decimal(value), ("percent-read",))


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


def test_the_hint_for_a_vat_fraction_is_its_exact_percentage() -> None:
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


def test_the_currencies_are_the_profiles() -> None:
    swiss = AccountSettings(currencies=("CHF", "Fr."))
    assert read(MONEY, text("CHF 19.90"), swiss).value == Decimal("19.90")
    assert read(MONEY, text("19.90 Fr."), swiss).value == Decimal("19.90")
    assert read(MONEY, text("19.90 €"), swiss).codes == ("number-format",)


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
    assert read(MONEY, text(writing)) == (amount, (), "")


@given(st.integers(0, 9_999_999), st.sampled_from(["", " ", NBSP, NARROW]))
def test_any_whole_amount_is_read_back(amount: int, thousands: str) -> None:
    assert read(MONEY, text(grouped(amount, thousands))).value == amount


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
    reading = read(MONEY, text(writing))
    assert isinstance(reading.value, Decimal) or reading.codes or not plain(writing)
