import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.sheets.cut import Grammar, pieces, plain

GRAMMAR = Grammar(re.compile(rb"<sheetData>"), b"<row", b"</sheetData>")
FRAGMENTS = [
    b"<?xml version='1.0'?>", b"<a>", b"<sheetData>", b"</sheetData>", b"<row r='1'>", b"</row>",
    b"<row/>", b"<!-- ", b" -->", b"text", b"<rowBreaks/>", b"\r\n", b"&amp;", "é".encode(),
]  # fmt: skip


def cut_into(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join), st.integers(1, 40))
def test_nothing_is_lost(data: bytes, size: int) -> None:
    found = list(pieces(iter(cut_into(data, size)), GRAMMAR))
    assert b"".join(piece.data for piece in found) == data
    assert all(piece.text is None or piece.text.encode() == piece.data for piece in found)


@given(st.integers(1, 100), st.integers(1, 200))
def test_pieces_are_whole_rows(rows: int, size: int) -> None:
    data = b"".join(b'<row r="%d"><c/></row>' % row for row in range(rows))
    whole = b"<s><sheetData>" + data + b"</sheetData></s>"
    found = list(pieces(iter(cut_into(whole, size)), GRAMMAR))
    assert found[0].data == b"<s><sheetData>"
    texts = [piece.text for piece in found if piece.text is not None]
    assert "".join(texts).encode() == data
    assert all(text.startswith("<row") and text.endswith("</row>") for text in texts)


def test_a_comment_ends_it() -> None:
    data = b"<sheetData><row/><row/><!-- <row/> --><row/></sheetData>"
    found = list(pieces(iter([data]), GRAMMAR))
    assert [piece.text for piece in found] == [None, None]


def test_an_endless_row_is_left_to_the_parser() -> None:
    endless = [b"<sheetData><row>"] + [b"<c/>" * 50_000] * 30
    found = list(pieces(iter(endless), GRAMMAR))
    assert all(piece.text is None for piece in found)
    assert max(len(piece.data) for piece in found) < 5_000_000


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<row/>", "<row/>"),
        ("é\u2028".encode(), "é\u2028"),
        (b"a\tb\n", "a\tb\n"),
        (b"&amp;&#233;", "&amp;&#233;"),
        (b"a\rb", None),
        (b"\x00", None),
        (b"\x1f", None),
        (b"\xff", None),
        ("\uffff".encode(), None),
        (b"]]>", None),
        (b"&eacute;", None),
        (b"&#0;", None),
    ],
)
def test_plain(data: bytes, text: str | None) -> None:
    assert plain(data) == text
