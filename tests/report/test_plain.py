import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.report.plain import clean, listed, printable, value

STEERING = [
    ("Écran 24″ 日本 🇫🇷 👨‍👩‍👧", "Écran 24″ 日本 🇫🇷 👨‍👩‍👧"),
    ("\x1b[2J\x1b]0;owned\x07", "<U+001B>[2J<U+001B>]0;owned<U+0007>"),
    ("\x9b31m", "<U+009B>31m"),
    ("a\r\nb\tc", "a<U+000D><U+000A>b<U+0009>c"),
    ("photo\u202egpj.exe", "photo<U+202E>gpj.exe"),
    ("\u2066x\u2069", "<U+2066>x<U+2069>"),
    ("a\u200bb\u2028c", "a<U+200B>b<U+2028>c"),
    ("\udce9t\udce9", "<U+DCE9>t<U+DCE9>"),
    ("\x00\x7f", "<U+0000><U+007F>"),
]


@pytest.mark.parametrize(("text", "shown"), STEERING)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(st.characters()))
def test_clean_text_can_be_written_and_shows_as_one_line(text: str) -> None:
    shown = clean(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1
    assert shown.replace(" ", "").isprintable() or not text.isprintable()
    assert "\x1b" not in shown


def test_messages_are_on_one_line() -> None:
    assert printable("two\n  lines a\x1b[1m") == "two lines a<U+001B>[1m"
    assert printable(" «\u00a01\u202f204\u00a0»\r\n") == "«\u00a01\u202f204\u00a0»"
    assert printable("x" * 2001) == "x" * 1999 + "…"


VALUES = {
    "  SKU 1\u00a0": "␣␣SKU 1␣",
    " ": "␣",
    "": "",
    "\t1": "<U+0009>1",
    "9" * 1_000_000: "9" * 59 + "…",
    "9" * 60: "9" * 60,
}


def test_long_values_are_shortened_and_blanks_at_the_ends_seen() -> None:
    assert {text: value(text) for text in VALUES} == VALUES


def test_rows_are_listed_briefly() -> None:
    assert (listed([7], 1), listed([4, 7, 12, 13, 14], 5)) == ("7", "4, 7, 12-14")
    assert listed([1, 2], 1205) == "1-2 and 1,203 more"
