"""Any text goes into a cell, and the same is read back."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feedtool.sheets.annotate import Note, SheetNotes, annotate
from feedtool.sheets.cell_text import LONGEST, inline, shown, spreadsheet_text

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
def test_how_a_text_is_written(text: str, written: str) -> None:
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
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<row r="{row}"><c r="A{row}"><v>1</v></c></row>' for row in range(1, len(messages) + 2)
    )
    sheet = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
    source = book_of(sheet.encode())
    copy = source.with_name("copy.xlsx")
    notes = [Note(row, "", message, "") for row, message in enumerate(messages, 2)]
    annotate(source, copy, [SheetNotes("Offers", 1, ("s", "m", "c"), notes)], overwrite=True)
    found = values(copy)
    assert [found[row, 2] for row in range(2, len(messages) + 2)] == messages
