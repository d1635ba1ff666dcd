"""Texts: kept character for character but for blanks at their ends; no invisible ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.feeds.columns.text import Comment, ProductReference, Reference, Text, plain
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings, Bounds
from tests.feeds.columns.conftest import number, read, text

KEPT = [
    *("SKU-1", "a  b", "Étagère n° 5", "cafe\u0301", "caf\u00e9", "\ufb01", "日本語", "TRUE"),
    *(
        "👩\u200d👩\u200d👧",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "=1+1",
        "-5",
        "1e5",
    ),
    "A E+5",
]
INVISIBLE = [
    *("A\tB", "A\nB", "A\r\nB", "A\x00B", "A\x07B", "A\x7fB", "A\x85B", "A\u200bB", "A\u2060B"),
    *("A\ufeffB", "A\u200dB", "A\u202eB", "A\u2066B", "A\u200fB", "A\ud800B"),
]


@pytest.mark.parametrize("kind", [Text(), Reference()], ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("shown", KEPT, ids=ascii)
def test_a_text_is_kept_character_for_character(kind: Text, shown: str) -> None:
    assert read(kind, text(shown)) == (shown, (), "")


@pytest.mark.parametrize(
    ("kind", "code"), [(Text(), "text-control-chars"), (Reference(), "reference-format")]
)
@pytest.mark.parametrize("shown", INVISIBLE, ids=ascii)
def test_what_cannot_be_seen_is_refused(kind: Text, code: str, shown: str) -> None:
    assert read(kind, text(shown)).codes == (code,)


@pytest.mark.parametrize("shown", ["SKU|1", "|", "a|"])
def test_a_reference_has_no_bar(shown: str) -> None:
    assert read(Reference(), text(shown)).codes == ("reference-format",)
    assert read(Text(), text(shown)).codes == ()


@pytest.mark.parametrize("shown", ["AUC123", "a-b.c", "-", "0"])
def test_a_product_reference_is_alphanumeric_with_dash_or_dot(shown: str) -> None:
    assert read(ProductReference(), text(shown)) == (shown, (), "")


@pytest.mark.parametrize(
    "shown", ["A B", "A_B", "A/B", "é", "A\u200bB", "\uff11\uff12", "A,B", "A|B"], ids=ascii
)
def test_any_other_product_reference_is_refused(shown: str) -> None:
    reading = read(ProductReference(), text(shown))
    assert reading.codes == ("product-reference-format",)
    assert reading.hint


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        (" SKU-1", "SKU-1"),
        ("SKU-1\u00a0", "SKU-1"),
        ("\u200bSKU-1\ufeff", "SKU-1"),
        ("\u202f \u2060SKU-1\u200d\t", "SKU-1"),
        ("\nSKU-1\r\n", "SKU-1"),
        ("\u3000SKU 1 ", "SKU 1"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("kind", [Text(), Reference()], ids=lambda kind: type(kind).__name__)
def test_blanks_at_the_ends_go_and_it_is_said(kind: Text, shown: str, value: str) -> None:
    reading = read(kind, text(shown))
    assert (reading.value, reading.codes) == (value, ("trimmed",))


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (number("42"), "42"),
        (number("42.0"), "42"),
        (number("4.2E+1"), "42"),
        (number("42", zeros=6), "000042"),
        (number("0.1"), "0.1"),
        (number("-7"), "-7"),
        (number("123456789012345"), "123456789012345"),
        (number("0"), "0"),
    ],
    ids=str,
)
def test_a_number_is_written_as_shown(cell: Cell, shown: str) -> None:
    assert read(Reference(), cell) == (shown, (), "")


@pytest.mark.parametrize(
    "cell",
    [
        number("1234567890123456"),
        number("1.2345678901234568E+19"),
        number("1E+50"),
        number("1E+300"),
        text("8,8E+12"),
        text("8.80610E+12"),
        text(" 8,8E+12 "),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "kind", [Text(), Reference(), ProductReference()], ids=lambda kind: type(kind).__name__
)
def test_an_identifier_of_more_digits_than_a_number_keeps_is_lost(kind: Text, cell: Cell) -> None:
    assert read(kind, cell).codes == ("precision-lost",)


@pytest.mark.parametrize(
    ("length", "codes"),
    [
        (50, ()),
        (51, ("length-advised",)),
        (32_767, ("length-advised",)),
        (32_768, ("text-too-long",)),
    ],
)
def test_lengths(length: int, codes: tuple[str, ...]) -> None:
    assert read(Reference(), text("x" * length)).codes == codes


def test_the_advised_length_is_a_setting() -> None:
    longer = AccountSettings(bounds=Bounds(advised_length=80))
    assert read(Reference(), text("x" * 80), longer).codes == ()


@given(st.text(st.sampled_from(" \u00a0\u200b\ufeffab\u202f"), max_size=10))
def test_trimming_leaves_nothing_to_trim_and_takes_nothing_else(shown: str) -> None:
    bare = plain(shown)
    assert plain(bare) == bare
    assert bare in shown
    assert not bare or (bare[0] in "ab" and bare[-1] in "ab")


@given(st.text(max_size=60))
def test_no_text_is_a_bug_and_none_changes_inside(shown: str) -> None:
    value = read(Reference(), text(shown)).value
    assert value is None or str(value) in shown


@pytest.mark.parametrize(
    "shown", [*KEPT, "A\tB", "A\nB", "A\u200bB", "A\x85B", "A" * 500], ids=ascii
)
def test_a_comment_may_hold_whatever_xml_carries(shown: str) -> None:
    assert read(Comment(), text(shown)) == (shown, (), "")


@pytest.mark.parametrize(
    "shown", ["A\x00B", "A\x0bB", "A\x1fB", "A\ud800B", "A\ufffeB", "A\uffffB"], ids=ascii
)
def test_what_xml_cannot_carry_is_refused_in_a_comment(shown: str) -> None:
    reading = read(Comment(), text(shown))
    assert reading.codes == ("text-control-chars",)
    fault = Comment().faults(shown)[0]
    assert f"A<U+{ord(shown[1]):04X}>B" in fault.message


@pytest.mark.parametrize(
    ("cell", "value", "codes"),
    [
        (text(" a "), "a", ("trimmed",)),
        (text("\u00a0"), None, ()),
        (number("12.50"), "12.5", ()),
        (text("a" * 32_768), "a" * 32_768, ("text-too-long",)),
    ],
)
def test_comments(cell: Cell, value: str | None, codes: tuple[str, ...]) -> None:
    reading = read(Comment(), cell)
    assert (reading.value, reading.codes) == (value, codes)
