import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.sheets.cut import Grammar, pieces

GRAMMAR = Grammar(b"sheetData", b"row")
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


@given(st.integers(1, 100), st.integers(1, 200))
def test_pieces_are_whole_rows(rows: int, size: int) -> None:
    data = b"".join(b'<row r="%d"><c/></row>' % row for row in range(rows))
    whole = b"<s><sheetData>" + data + b"</sheetData></s>"
    found = list(pieces(iter(cut_into(whole, size)), GRAMMAR))
    assert found[0].data == b"<s><sheetData>"
    rows_only = [piece.data for piece in found if piece.prefix is not None]
    assert b"".join(rows_only) == data
    assert all(piece.startswith(b"<row") and piece.endswith(b"</row>") for piece in rows_only)


@pytest.mark.parametrize(
    "aside",
    [
        b"<!-- <row/> </sheetData> -->",
        b"<!--><row/>-->",
        b"<![CDATA[ <!-- <row/> ]]>",
        b"<?pi <row/> ?>",
        b"<?pi <!-- ?>",
    ],
)
@given(size=st.integers(1, 60))
def test_no_piece_begins_in_a_comment_or_the_like(aside: bytes, size: int) -> None:
    data = b"<a><sheetData>" + (b"<row>" + aside + b"</row>") * 3 + b"</sheetData></a>"
    found = list(pieces(iter(cut_into(data, size)), GRAMMAR))
    items = [piece.data for piece in found if piece.prefix is not None]
    assert b"".join(items) == (b"<row>" + aside + b"</row>") * 3
    assert all(item.endswith(b"</row>") for item in items)


@pytest.mark.parametrize("aside", [b"<!-- ", b"<![CDATA[", b"<?pi "])
def test_what_does_not_end_is_left_to_the_parser(aside: bytes) -> None:
    data = b"<a><sheetData><row/><row/>" + aside * 50_000 + b"<row/></sheetData></a>"
    found = list(pieces(iter(cut_into(data, 1 << 16)), GRAMMAR))
    assert [piece.data for piece in found if piece.prefix is not None] == [b"<row/>"]


@pytest.mark.parametrize("prefix", ["x:", "", "a-b.c:"])
def test_a_prefix(prefix: str) -> None:
    rows = f"<{prefix}row/>".encode() * 3
    data = f"<{prefix}sheetData>{rows.decode()}</{prefix}sheetData >".encode()
    assert [piece for piece in pieces(iter([data]), GRAMMAR) if piece.prefix is not None] == [
        (rows, prefix)
    ]


@pytest.mark.parametrize(
    "prolog", [b"<!-- -->", b"<?pi <sheetData>?>", b"<?xml version='1.0'?><?pi ?>"]
)
def test_a_comment_before_the_items_ends_it(prolog: bytes) -> None:
    found = list(pieces(iter([prolog + b"<sheetData><row/></sheetData>"]), GRAMMAR))
    assert [piece.prefix for piece in found] == [None]


def test_an_endless_row_is_left_to_the_parser() -> None:
    endless = [b"<sheetData><row>"] + [b"<c/>" * 50_000] * 30
    found = list(pieces(iter(endless), GRAMMAR))
    assert all(piece.prefix is None for piece in found)
    assert max(len(piece.data) for piece in found) < 5_000_000
