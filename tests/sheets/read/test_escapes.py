import pytest

from feedtool.sheets.cell_text import (
    escape,
    has_only_known_references,
    spreadsheet_text,
    unescape,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("plain", "plain"),
        ("_x000D_", "\r"),
        ("a_x000d_b", "a\rb"),
        ("_x005F_x000D_", "_x000D_"),
        ("_x0041__x0042_", "AB"),
        ("_xD83D__xDE00_", "😀"),
        ("_xD83D_!", "�!"),
        ("_x41_", "_x41_"),
        ("_xZZZZ_", "_xZZZZ_"),
        ("x_0041_", "x_0041_"),
    ],
)
def test_spreadsheet_escapes(written: str, meant: str) -> None:
    assert spreadsheet_text(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
        ("&#233;&#xe9;&#xE9;", "ééé"),
        ("&#128;", "\x80"),
        ("&amp;lt;", "&lt;"),
        ("&#10;", "\n"),
        ("&#x1F600;", "😀"),
    ],
)
def test_references(written: str, meant: str) -> None:
    assert has_only_known_references(written)
    assert unescape(written) == meant


@pytest.mark.parametrize(
    "text",
    ["&", "& ", "&eacute;", "&amp", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;", "&#xFFFE;"],
)
def test_unknown_references(text: str) -> None:
    assert not has_only_known_references(text)


def test_escape_is_the_inverse() -> None:
    assert unescape(escape("a<b>&amp;c")) == "a<b>&amp;c"
