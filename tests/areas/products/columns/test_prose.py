"""Titles and descriptions are plain, the marketing description is HTML that fits together."""

from dataclasses import replace
from typing import Any

import pytest

from feedtool.areas.products.columns.prose import Html, Prose, Title, malformed
from feedtool.model.settings import AccountSettings, Bounds
from tests.feeds.columns.conftest import NO_VALUES, number, read, text

PLAIN = [
    *("Kettle", "5 < 6 and 7 > 3", "Rock & Roll", "AT&T; the company", "Ø 12 cm, 100 % cotton"),
    "caf\u00e9 \U0001f468\u200d\U0001f469",
]
HTML = [
    *("<b>x</b>", "one<br>two", "one<br/>two", "a </p> b", "Tom &amp; Tim", "&#233;t&#xE9;"),
    "<!--",
]


@pytest.mark.parametrize("shown", PLAIN)
def test_plain_text_passes(shown: str) -> None:
    assert read(Title(), text(shown)) == (shown, (), "")
    assert read(Prose(), text(shown)) == (shown, (), "")


@pytest.mark.parametrize("shown", HTML)
def test_html_in_plain_text_is_refused(shown: str) -> None:
    for kind in (Title(), Prose()):
        assert read(kind, text(shown)).codes == ("html-not-allowed",)


def test_a_description_has_lines_and_a_title_has_not() -> None:
    assert read(Prose(), text("one\ntwo")) == ("one\ntwo", (), "")
    assert read(Title(), text("one\ntwo")).codes == ("text-control-chars",)


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\x85", "\x01", "\ufffe"], ids=ascii)
def test_what_nobody_sees_is_refused(hidden: str) -> None:
    shown = f"Boils a litre\nin three{hidden} minutes"
    for kind in (Prose(), Html()):
        assert read(kind, text(shown)).codes == ("text-control-chars",)
    (fault,) = Prose().faults(shown)
    assert f"three<U+{ord(hidden):04X}> minutes" in fault.message


@pytest.mark.parametrize(
    ("kind", "length"), [(Title(), 132), (Prose(), 2000), (Html(), 5000)], ids=["t", "d", "html"]
)
def test_lengths_of_peers_are_advice(kind: Prose, length: int) -> None:
    assert read(kind, text("x" * length)).codes == ()
    assert read(kind, text("x" * (length + 1))) == (
        "x" * (length + 1),
        ("length-advised",),
        f"shorten it if the service refuses it, or raise bounds.{kind.advised}",
    )
    more: dict[str, Any] = {kind.advised: length + 1}
    own = AccountSettings(bounds=replace(Bounds(), **more))
    assert read(kind, text("x" * (length + 1)), own).codes == ()


def test_more_than_a_cell_holds_is_told_once() -> None:
    assert read(Prose(), text("x" * 40_000)).codes == ("text-too-long",)


@pytest.mark.parametrize(("code", "cell"), NO_VALUES.items(), ids=NO_VALUES)
def test_no_text(code: str, cell: object) -> None:
    assert read(Title(), cell).codes == (code,)  # type: ignore[arg-type]  # it is a Cell


def test_a_number_is_a_title_too() -> None:
    assert read(Title(), number("1984")).value == "1984"
    assert read(Title(), text(" Lamp ")).codes == ("trimmed",)
    assert read(Title(), text(" \u00a0")) == (None, (), "")


WELL_FORMED = [
    *("no tag at all, 7 > 3", "<p>One</p><p>Two</p>", "<ul><li>a</li><li><b>b</b></li></ul>"),
    *("a<br>b<BR/>c<hr><img src='x.png' alt=\"a > b\">", "<P>case</p>", "<!-- <p> --> x"),
    *("<svg:rect />", '<a href="https://a.example/?x=1&amp;y=2">x</a>'),
]
MALFORMED = {
    "<p>One": "<p> is never closed",
    "<ul><li>Quiet</ul>": "</ul> closes what is not open: <li> is still open",
    "One</p>": "</p> closes what is not open: nothing is open",
    "5 < 6": "`<` begins no tag",
    "<p": "`<` begins no tag",
    '<a href="x>y</a>': "`<` begins no tag",
    "<b><i>x</b></i>": "</b> closes what is not open: <i> is still open",
}


@pytest.mark.parametrize("shown", WELL_FORMED)
def test_html_that_fits(shown: str) -> None:
    assert malformed(shown) is None
    assert read(Html(), text(shown)) == (shown, (), "")


@pytest.mark.parametrize(("shown", "why"), MALFORMED.items(), ids=MALFORMED)
def test_html_that_does_not(shown: str, why: str) -> None:
    found = malformed(shown)
    assert found is not None
    assert found[0].startswith(why)
    assert read(Html(), text(shown)).codes == ("html-malformed",)


@pytest.mark.parametrize("piece", ["<a", '<a "', "<a '", "<!--", "<a>", "&a", '<a b="<'])
def test_hostile_html_takes_no_time(piece: str) -> None:
    malformed(piece * 8000)
    read(Prose(), text(piece * 8000))
