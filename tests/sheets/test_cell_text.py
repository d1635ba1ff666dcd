"""Any text goes into a cell, and the same is read back."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feedtool.model.files import HEADINGS
from feedtool.sheets.annotate import Note, SheetNotes, annotate
from feedtool.sheets.cell_text import (
    LONGEST,
    escape,
    has_only_known_references,
    inline,
    shown,
    spreadsheet_text,
    unescape,
)
from tests.corpus.made import MAIN

TEXTS = {
    "plain": "plain",
    "a < b & c > d": "a &lt; b &amp; c &gt; d",
    "]]>": "]]&gt;",
    "\x01": "_x0001_",
    "a\rb": "a_x000D_b",
    "a\ufffe": "a_xFFFE_",
    "_x0041_": "_x005F_x0041_",
    "_x_ _x004_ _x00412_": "_x_ _x004_ _x00412_",
    "line\nline\ttab": "line\nline\ttab",
    "Ærø 😀": "Ærø 😀",
    "a\ud800b": "a\ufffdb",
}


@pytest.mark.parametrize(("text", "written"), TEXTS.items())
def test_texts_are_escaped(text: str, written: str) -> None:
    markup = inline(text)
    assert f">{written}</t>" in markup.decode()


@pytest.mark.parametrize("text", [" a", "a ", "a  b", "a\nb", "\u00a0"])
def test_blanks_are_kept(text: str) -> None:
    assert b'<t xml:space="preserve">' in inline(text)


def test_the_prefix_of_the_workbook_is_taken() -> None:
    assert inline("a", b"x:") == b' t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c>'


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a" * LONGEST, "aa"),
        ("a" * (LONGEST + 1), "a…"),
        ("😀" * LONGEST, "😀…"),
        ("a" + "😀" * (LONGEST // 2), "😀😀"),
        ("aa" + "😀" * (LONGEST // 2), "😀…"),
    ],
)
def test_a_text_that_is_too_long_ends_in_an_ellipsis(text: str, end: str) -> None:
    cut = shown(text)
    assert cut.endswith(end)
    assert LONGEST - 2 < len(cut.encode("utf-16-le")) // 2 <= LONGEST


@given(st.text(st.characters(codec=None)))
@example("_x005F_x0041_")
@example("__x0041_")
def test_any_text_comes_back(text: str) -> None:
    parsed = ET.fromstring(b"<c" + inline(text))  # noqa: S314 — made here
    assert spreadsheet_text(parsed.findtext("is/t", "")) == shown(text)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_message_is_read_back_from_the_copy(
    book_of: Callable[..., Path],
    values: Callable[[Path], dict[tuple[int, int], str]],
    messages: list[str],
) -> None:
    rows = "".join(
        f'<row r="{row}"><c r="A{row}"><v>1</v></c></row>' for row in range(1, len(messages) + 2)
    )
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    source = book_of(sheet.encode())
    copy = source.with_name("copy.xlsx")
    notes = [Note(row, "", message, "") for row, message in enumerate(messages, 2)]
    annotate(source, copy, [SheetNotes("Offers", 1, HEADINGS, notes)], overwrite=True)
    found = values(copy)
    assert [found[row, 2] for row in range(2, len(messages) + 2)] == messages


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
