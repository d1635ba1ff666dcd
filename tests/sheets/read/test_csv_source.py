"""Texts of rows and columns, in all the ways they are written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.check import HEADINGS
from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from feedtool.sheets.read.csv_dialect import find_separator

Table = list[tuple[int, int, list[str]]]
"""Record number, physical line, texts."""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes | str], Path]:
    def write_file(content: bytes | str) -> Path:
        path = tmp_path / "offers.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


Write = Callable[[bytes | str], Path]


def records(path: Path, after: int = 0) -> Table:
    table = []
    with open_source(path) as source:
        for block in source.sheet("").blocks(after):
            columns = [list(map(block.decode, block.column(i))) for i in range(block.width)]
            assert block.lines is not None
            cells = zip(*columns, strict=True) if columns else [() for _ in block.rows]
            for row, line, record in zip(block.rows, block.lines, cells, strict=True):
                texts = [cell.text for cell in record]
                while texts and not texts[-1]:
                    texts.pop()
                table.append((row, line, texts))
    return table


@pytest.mark.parametrize(
    ("content", "table"),
    [
        ("a,b\n1,2\n", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a,b\r\n1,2", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a,b\r1,2\r", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a;b\n1,5;2\n", [(1, 1, ["a", "b"]), (2, 2, ["1,5", "2"])]),
        ("a\tb\n1,5\t2;3\n", [(1, 1, ["a", "b"]), (2, 2, ["1,5", "2;3"])]),
        ("a|b\n1|2\n", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a\n1\n", [(1, 1, ["a"]), (2, 2, ["1"])]),
        ("sep=;\na;b,c\n1;2\n", [(1, 1, []), (2, 2, ["a", "b,c"]), (3, 3, ["1", "2"])]),
        ('"sep=|"\r\na|b\r\n', [(1, 1, []), (2, 2, ["a", "b"])]),
        ("SEP=\t\na\tb\n", [(1, 1, []), (2, 2, ["a", "b"])]),
        ("a,b\n\n\n1,2\n", [(1, 1, ["a", "b"]), (2, 2, []), (3, 3, []), (4, 4, ["1", "2"])]),
        ('a,b\n"x\ny",2\n3,4\n', [(1, 1, ["a", "b"]), (2, 2, ["x\ny", "2"]), (3, 4, ["3", "4"])]),
        ('a,b\n"x\r\ny",2\n3,4', [(1, 1, ["a", "b"]), (2, 2, ["x\r\ny", "2"]), (3, 4, ["3", "4"])]),
        ('a,b\n"x ""y""",2\n', [(1, 1, ["a", "b"]), (2, 2, ['x "y"', "2"])]),
        ('a,b\nScreen 24",2\n', [(1, 1, ["a", "b"]), (2, 2, ['Screen 24"', "2"])]),
        ('a,b\n"x"y,2\n', [(1, 1, ["a", "b"]), (2, 2, ["xy", "2"])]),
        ('a,b\n"",2\n', [(1, 1, ["a", "b"]), (2, 2, ["", "2"])]),
        ("a,b,c\n1\n1,2,3,4\n", [(1, 1, ["a", "b", "c"]), (2, 2, ["1"]), (3, 3, list("1234"))]),
        ("a,b\n1,2,,,\n", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ('a,b\n="0036",2\n', [(1, 1, ["a", "b"]), (2, 2, ["0036", "2"])]),
        ('a,b\n"=""0036""",2\n', [(1, 1, ["a", "b"]), (2, 2, ["0036", "2"])]),
        ('a,b\n"=""say """"x""""""",2\n', [(1, 1, ["a", "b"]), (2, 2, ['say "x"', "2"])]),
        ('a,b\n=",2\n', [(1, 1, ["a", "b"]), (2, 2, ['="', "2"])]),
        ("a,b\n1,2\n\x1a", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a,b\n1,2\x1a", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a,b\n1,\x1a2\n", [(1, 1, ["a", "b"]), (2, 2, ["1", "\x1a2"])]),
        ("\ufeffa,b\n1,2\n", [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ('\ufeff\ufeff"a",b\n', [(1, 1, ["a", "b"])]),
        ('a,b\n\ufeff"1",2\n', [(1, 1, ["a", "b"]), (2, 2, ["1", "2"])]),
        ("a,b\n\u00a01 , 2\u2028\n", [(1, 1, ["a", "b"]), (2, 2, ["\u00a01 ", " 2\u2028"])]),
        ("a,b\n\x0b1,\x0c2\x85\n", [(1, 1, ["a", "b"]), (2, 2, ["\x0b1", "\x0c2\x85"])]),
    ],
)
def test_records(write: Write, content: str, table: Table) -> None:
    assert records(write(content)) == table


@pytest.mark.parametrize(
    ("fallback", "word"), [("cp1252", "Café€"), ("iso-8859-15", "Caféİ"), ("cp1250", "Café€")]
)
def test_the_notice_of_the_fallback_shows_the_read_text(
    write: Write, fallback: str, word: str
) -> None:
    path = write("a;b\r\n1;2\r\nCafé€;é\r\n".encode("cp1252"))
    with open_source(path, csv_fallback=fallback) as source:
        sheet = source.sheet("")
        text = sheet.head(3)[2].cells[0].text
        (notice,) = sheet.notices["encoding-guessed"]
    assert text[:4] == word[:4]
    assert fallback in notice
    assert "line 3" in notice
    assert f"“{text}”" in notice


@pytest.mark.parametrize(
    ("code", "content", "line"),
    [
        ("csv-encoding", b"a\n\xc3\xa9\nb\n\xe9\n", "Line 4 "),
        ("csv-encoding", b"a\n\xe9\n\xc3\xa9\n", "Line 2 "),
        ("csv-encoding", b"\xef\xbb\xbfa\n\xe9\n", "Line 2 "),
        ("csv-encoding", b"a\r\r\r\n\xe9\xe2\x82\xac", "Line 4 "),
        ("csv-encoding", b"a\n\xc3\xa9\n\xe2\x82", "Line 3 "),
        ("csv-encoding", b"a\n\x81\n", "Line 2 "),
        ("csv-encoding", b"\xff\xfea\x00\n\x00\x00\xd8\n\x00", "Line 2 "),
        ("csv-encoding", "é;b\r\n".encode() * 200_000 + b"\xe9;b\r\n", "Line 200001 "),
        ("csv-nul", b"a,b\n1,\x00\n", "Line 2 "),
        ("csv-nul", "\ufeffa\n\0".encode("utf-16-le"), "Line 2 "),
        ("csv-nul", b"a\x00bcde", "Line 1 "),
        ("csv-unterminated-quote", 'a,b\n"1,2\n3,4\n', "line 2 "),
        ("csv-unterminated-quote", 'a,b\n1,2\n3,"4', "line 3 "),
        ("csv-unterminated-quote", 'a,b\n"x\ny","z\n1,2\n', "line 3 "),
        ("csv-unterminated-quote", 'a,b\r\n"x\r\ny","z\r\n1,2\r\n', "line 3 "),
        ("csv-unterminated-quote", 'a,b\r"x\ry","z\r1,2\r', "line 3 "),
        ("csv-unterminated-quote", 'a,b\n1,2\n"\x1a', "line 3 "),
        ("csv-unterminated-quote", 'a,b\n1,2\n"', "line 3 "),
        ("csv-unterminated-quote", 'a,b\n1,2\n"x""', "line 3 "),
        ("not-a-workbook", b"<!---->" * 500 + b"\n", "XML"),
        ("grid-out-of-range", b"a,b\n" + b"," * 20_000 + b"1\n", "line 2 "),
    ],
)
def test_unreadable(write: Write, code: str, content: bytes | str, line: str) -> None:
    with pytest.raises(FileProblem, match=line) as caught:
        records(write(content))
    assert caught.value.code == code


def test_a_text_without_blanks_before_the_first_odd_letter(write: Write) -> None:
    with open_source(write(b"a,b\n" + b"x" * 100_000 + b"\xe9,1\n")) as source:
        (text,) = source.sheet("").notices["encoding-guessed"]
    assert "line 2 " in text
    assert "“xxxxxxxxxxxxxxxxxxxxé”" in text


def test_surplus_fields(write: Write) -> None:
    path = write(b"a,b\n" + b"1,2" + b"," * 2_000_000 + b"\n" + b"3,4\n" * 2000)
    with open_source(path) as source:
        assert {block.width for block in source.sheet("").blocks()} == {2}


def test_an_unclosed_quote_is_no_matter_of_the_head(write: Write) -> None:
    path = write("a,b\n" + "1,2\n" * 5000 + '"')
    with open_source(path) as source:
        assert len(source.sheet("").head(20)) == 20


def test_blocks(write: Write) -> None:
    path = write("a,b\n" + "".join(f"{row},x\n" for row in range(2, 5001)))
    assert records(path, after=3)[0] == (4, 4, ["4", "x"])
    assert [row for row, _, _ in records(path, after=1)] == list(range(2, 5001))
    assert records(path, after=5000) == []


def test_blank_lines_make_no_blocks(write: Write) -> None:
    path = write("a,b\n" + "\n" * 5_000 + "1,2\n" + "\n" * 5_000)
    with open_source(path) as source:
        rows = [(block.rows[0], block.rows[-1]) for block in source.sheet("").blocks()]
    assert rows == [(1, 1000), (5_001, 6_000)]
    assert records(path, after=5_001)[0] == (5_002, 5_002, ["1", "2"])


def test_head(write: Write) -> None:
    path = write('sep=;\n\nTitle;;\n;;\n"ref\n.";price;;\n1;2;;\n')
    with open_source(path) as source:
        sheet = source.sheet("")
        assert [(row.number, row.line, [c.text for c in row.cells]) for row in sheet.head(2)] == [
            (3, 3, ["Title"]),
            (5, 5, ["ref\n.", "price"]),
        ]
        (block,) = sheet.blocks(5)
        assert (list(block.rows), block.lines, block.width) == ([6], [7], 2)
        assert block.decode("7") == Cell(Kind.TEXT, "7")
        assert block.decode("") == BLANK


@pytest.mark.parametrize(
    ("lines", "separator"),
    [
        ("ref;price\nA;1,5\nB;2,5\n", ";"),
        ("ref;p1;p2\nA;1,0;2,0\nB;1,0;2,0\n", ";"),
        ("My export, of 2024, October\n\nref;price;stock\nA;1,50;3\nB;2,50;4\n", ";"),
        ("Réf, interne;Prix;Stock\nA;1,5;3\nB;2,5;3\n", ";"),
        ('title,desc\n"a;b;c",x\n', ","),
        ("ref\ttitle, long\tprice\nA\tx, y\t1\n", "\t"),
        ("a;b;c\n1,5;2\n", ";"),
        ("a,b,c\n1,2\n", ","),
        ("a,b|c,d\n", ","),
        ("only\none\n", ","),
        ("", ","),
        ("ref,title,price\nA,Table; oak; round,1\nB,Chair; oak; round,2\n", ","),
        ("ref|title\nA|x, y, z; w\nB|x, y, z; w\n", "|"),
        (f"t|u\nA|9,9\nB|9,9\nref|price|{'|'.join(HEADINGS)}\nA|9,9|Valid\nB|9,9|Valid\n", "|"),
        (f"""ref,"a;b;c","{'","'.join(HEADINGS)}"\n""", ","),
        (f"ref,price\n1,{'x'.join(HEADINGS)}\n", ","),
    ],
)
def test_separators(lines: str, separator: str) -> None:
    assert find_separator(lines.splitlines(keepends=True)) == separator
