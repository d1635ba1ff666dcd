import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.sheets.read.xml_parser import chunks, normalize_xml

ROWS = (b"sheetData", b"row")
FRAGMENTS = [
    b"<?xml version='1.0'?>", b"<a>", b"<sheetData>", b"</sheetData>", b"<row r='1'>", b"</row>",
    b"<row/>", b"<!-- ", b" -->", b"text", b"<rowBreaks/>", b"\r\n", b"&amp;", "é".encode(),
]  # fmt: skip


def cut_into(data: bytes, size: int) -> list[bytes]:
    return [data[number : number + size] for number in range(0, len(data), size)]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join), st.integers(1, 40))
def test_chunks_hold_all_data(data: bytes, size: int) -> None:
    found = list(chunks(iter(cut_into(data, size)), *ROWS))
    assert b"".join(piece.data for piece in found) == data


@given(st.integers(1, 100), st.integers(1, 200))
def test_pieces_are_whole_rows(rows: int, size: int) -> None:
    data = b"".join(b'<row r="%d"><c/></row>' % row for row in range(rows))
    whole = b"<s><sheetData>" + data + b"</sheetData></s>"
    found = list(chunks(iter(cut_into(whole, size)), *ROWS))
    assert found[0].data == b"<s><sheetData>"
    rows_only = [piece.data for piece in found if piece.prefix is not None]
    assert b"".join(rows_only) == data
    assert all(piece.startswith(b"<row") and piece.endswith(b"</row>") for piece in rows_only)


@pytest.mark.parametrize(
    "aside", [b"<!-- <row/> -->", b"<![CDATA[ <row/> ]]>", b"<?pi ?>", b"<!-- "]
)
@given(size=st.integers(1, 60))
def test_the_parser_reads_all_from_a_comment_on(aside: bytes, size: int) -> None:
    data = b"<a><sheetData><row/><row/>" + aside + b"<row/></sheetData></a>"
    parts = list(chunks(iter(cut_into(data, size)), *ROWS))
    items = b"".join(part.data for part in parts if part.prefix is not None)
    assert b"<row/><row/>".startswith(items)
    assert b"".join(part.data for part in parts) == data


@pytest.mark.parametrize("prefix", ["x:", "", "a-b.c:"])
def test_a_prefix(prefix: str) -> None:
    rows = f"<{prefix}row/>".encode() * 3
    data = f"<{prefix}sheetData>{rows.decode()}</{prefix}sheetData >".encode()
    assert [piece for piece in chunks(iter([data]), *ROWS) if piece.prefix is not None] == [
        (rows, prefix)
    ]


@pytest.mark.parametrize(
    "prolog", [b"<!-- -->", b"<?pi <sheetData>?>", b"<?xml version='1.0'?><?pi ?>"]
)
def test_a_comment_before_the_items_ends_it(prolog: bytes) -> None:
    found = list(chunks(iter([prolog + b"<sheetData><row/></sheetData>"]), *ROWS))
    assert [piece.prefix for piece in found] == [None]


def test_an_endless_row_is_left_to_the_parser() -> None:
    endless = [b"<sheetData><row>"] + [b"<c/>" * 50_000] * 30
    found = list(chunks(iter(endless), *ROWS))
    assert all(piece.prefix is None for piece in found)
    assert max(len(piece.data) for piece in found) < 5_000_000


@pytest.mark.parametrize(
    ("data", "prefix", "text"),
    [
        ("<v>é &amp; &#10; &#xe9; 😀</v>".encode(), "", "<v>é &amp; &#10; &#xe9; 😀</v>"),
        (b"<v>a\r\nb\rc\n</v>", "", "<v>a\nb\nc\n</v>"),
        (b"<v>a]]b</v>", "", "<v>a]]b</v>"),
        (b"<x:row><x:c/></x:row>", "x:", "<row><c/></row>"),
        (b"<x:row></x:row><row/>", "x:", None),
        (b"<x:row></y:row>", "x:", None),
        (b"\x01", "", None),
        (b"\xff", "", None),
        (b"\xed\xa0\x80", "", None),
        ("\uffff".encode(), "", None),
        ("\ufffe".encode(), "", None),
        (b"]]>", "", None),
        (b"a & b", "", None),
        (b"&eacute;", "", None),
        (b"&#0;", "", None),
    ],
)
def test_normalize_xml(data: bytes, prefix: str, text: str | None) -> None:
    assert normalize_xml(data, prefix) == text
