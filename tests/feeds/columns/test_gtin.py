"""GTIN: digits that prove themselves, and zeros put back only where they are proven."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedtool.feeds.columns.text import LENGTHS, Gtin, check_digit
from feedtool.model.cells import Cell
from tests.feeds.columns.conftest import number, read, text

READ = [
    (text("4006381333931"), "4006381333931"),
    (text("96385074"), "96385074"),
    (text("036000291452"), "036000291452"),
    (text("0036000291452"), "0036000291452"),
    (text("10614141000415"), "10614141000415"),
    (number("4006381333931"), "4006381333931"),
    (number("4.006381333931E+12"), "4006381333931"),
    (number("96385074"), "96385074"),
    (number("36000291452", zeros=12), "036000291452"),
    (number("36000291452", zeros=13), "0036000291452"),
    (number("36000291452", zeros=14), "00036000291452"),
]
TRIMMED = [
    (" 4006381333931", "4006381333931"),
    ("\ufeff4006381333931\u200b", "4006381333931"),
    ("4 006381 333931", "4006381333931"),
    ("4006\u202f3813\u00a033931", "4006381333931"),
    ("4006\u200b381333931", "4006381333931"),
    ("978-2-07-036822-8", "9782070368228"),
    ("978 2 07 036822 8", "9782070368228"),
    (" 978-2 07-036822-8\u00a0", "9782070368228"),
    ("978\u20112\u201307\u2010036822\u20118", "9782070368228"),
    ("979-0-2600-0043-8", "9790260000438"),
]
PADDED = [
    ("36000291452", "036000291452"),  # UPC-A that lost its zero
    ("6385071", "06385071"),  # the shortest of the lengths
    ("123457", "00123457"),
    ("614141000418", None),  # twelve digits need no zero
]
REFUSED = [
    (text("4006381333932"), "gtin-checksum"),
    (text("96385075"), "gtin-checksum"),
    (number("4006381333932"), "gtin-checksum"),
    (text("400638133393101"), "gtin-format"),
    (text("36000291452"), "gtin-format"),
    (text("400-6381333931"), "gtin-format"),
    (text("978-2-07-036822-9"), "gtin-checksum"),
    (text("978-2-07-036822"), "gtin-format"),
    (text("978--2-07-036822-8"), "gtin-format"),
    (text("2-07-036822-8"), "gtin-format"),
    (text("ISBN 4006381333"), "gtin-format"),
    (text("no ean"), "gtin-format"),
    (text("0"), "gtin-format"),
    (text("0000000000000"), "gtin-format"),
    (text("\u0664\u0660\u0660\u0666\u0663\u0668\u0661\u0663"), "gtin-format"),
    (text("96385\u00b274"), "gtin-format"),
    (number("0"), "gtin-format"),
    (number("-4006381333931"), "gtin-format"),
    (number("4006381333931.5"), "gtin-format"),
    (number("40063813330"), "gtin-format"),
    (number("400638133393101"), "gtin-format"),
    (number("4006381333931012"), "precision-lost"),
    (number("1.2345678901234568E+17"), "precision-lost"),
    (text("8,8E+12"), "precision-lost"),
]


@pytest.mark.parametrize(("cell", "digits"), READ, ids=str)
def test_read(cell: Cell, digits: str) -> None:
    assert read(Gtin(), cell) == (digits, (), "")


@pytest.mark.parametrize(("shown", "digits"), TRIMMED, ids=repr)
def test_blanks_and_the_hyphens_of_an_isbn_go_even_inside_and_it_is_said(
    shown: str, digits: str
) -> None:
    reading = read(Gtin(), text(shown))
    assert (reading.value, reading.codes) == (digits, ("trimmed",))


@pytest.mark.parametrize(("digits", "padded"), PADDED)
def test_lost_zeros_of_a_numeric_cell_are_put_back(digits: str, padded: str | None) -> None:
    reading = read(Gtin(), number(digits))
    if padded is None:
        assert reading == (digits, (), "")
    else:
        assert (reading.value, reading.codes) == (padded, ("gtin-padded",))


@pytest.mark.parametrize(("cell", "code"), REFUSED, ids=str)
def test_refused(cell: Cell, code: str) -> None:
    reading = read(Gtin(), cell)
    assert (reading.value, reading.codes) == (None, (code,))
    assert reading.hint


def test_the_hint_tells_the_right_check_digit() -> None:
    assert "4006381333931" in read(Gtin(), text("4006381333932")).hint


def test_the_hint_tells_what_zeros_would_make_of_a_text() -> None:
    assert "036000291452" in read(Gtin(), text("36000291452")).hint


BODIES = st.sampled_from(LENGTHS).flatmap(
    lambda length: st.text("0123456789", min_size=length - 1, max_size=length - 1)
)


@given(BODIES)
def test_the_check_digit_makes_the_sum_a_multiple_of_ten(body: str) -> None:
    gtin = body + check_digit(body)
    weighted = sum(int(d) * (1 if place % 2 == 0 else 3) for place, d in enumerate(gtin[::-1]))
    assert weighted % 10 == 0


@given(BODIES)
def test_any_gtin_is_read_as_text(body: str) -> None:
    assume(body.strip("0"))
    gtin = body + check_digit(body)
    assert read(Gtin(), text(gtin)) == (gtin, (), "")


@given(BODIES, st.integers(1, 9))
def test_any_other_last_digit_is_refused(body: str, off: int) -> None:
    assume(body.strip("0"))
    wrong = body + str((int(check_digit(body)) + off) % 10)
    assert read(Gtin(), text(wrong)).codes == ("gtin-checksum",)


@given(BODIES)
def test_a_numeric_cell_gives_the_same_gtin_but_for_zeros_in_front(body: str) -> None:
    assume(body.strip("0"))
    gtin = body + check_digit(body)
    reading = read(Gtin(), number(str(int(gtin))))
    assert isinstance(reading.value, str)
    assert len(reading.value) in LENGTHS
    assert reading.value.lstrip("0") == gtin.lstrip("0")
    assert len(reading.value) <= len(gtin)


@given(st.text(max_size=20))
def test_no_text_is_a_bug(shown: str) -> None:
    reading = read(Gtin(), text(shown))
    if reading.value is not None:
        assert isinstance(reading.value, str)
        assert len(reading.value) in LENGTHS
