"""The annotated copy of a CSV: every record keeps its bytes, three fields come behind them."""

import codecs
import csv
import io
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feedtool.check import HEADINGS
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, annotate
from feedtool.sheets.annotate.sheet_plan import NoRoom
from feedtool.sheets.read.errors import CsvUnterminatedQuote
from tests.hostile import FORMULA_STARTS

HEAD = b"feedtool status,feedtool message,feedtool code"
NOTE = Note(2, "Invalid", "m", "c")
Copy = Callable[..., bytes]


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    folder = tmp_path_factory.mktemp("csv")

    def make(content: bytes, *notes: Note, header_row: int = 1) -> bytes:
        source, target = folder / "offers.csv", folder / "copy.csv"
        source.write_bytes(content)
        annotate(source, target, [SheetNotes("", header_row, HEADINGS, notes)], overwrite=True)
        return target.read_bytes()

    return make


WRITINGS = {
    "plain": (b"a,b\n1,2\n", b"a,b," + HEAD + b"\n1,2,Invalid,m,c\n"),
    "no last line end": (b"a,b\r\n1,2", b"a,b," + HEAD + b"\r\n1,2,Invalid,m,c"),
    "old line ends": (b"a,b\r1,2\r", b"a,b," + HEAD + b"\r1,2,Invalid,m,c\r"),
    "mixed line ends": (b"a,b\r\n1,2\n", b"a,b," + HEAD + b"\r\n1,2,Invalid,m,c\n"),
    "a mark": (b"\xef\xbb\xbfa,b\n1,2\n", b"\xef\xbb\xbfa,b," + HEAD + b"\n1,2,Invalid,m,c\n"),
    "quoted": (
        b'"a","b"\n"1,\n""x""","2" \n',
        b'"a","b",' + HEAD + b'\n"1,\n""x""","2" ,Invalid,m,c\n',
    ),
    "a short record": (b"a,b,c\n1\n", b"a,b,c," + HEAD + b"\n1,,,Invalid,m,c\n"),
    "a long record": (
        b"a,b\n1,2\n3,4,5,\n",
        b"a,b,,," + HEAD + b"\n1,2,,,Invalid,m,c\n3,4,5,\n",
    ),
    "longer than a sheet is wide, with blanks": (
        b"a,b\n1,2\n3,4" + b"," * 20_000 + b"\n",
        b"a,b," + HEAD + b"\n1,2,Invalid,m,c\n3,4" + b"," * 20_000 + b"\n",
    ),
    "a note in so long a record": (
        b"a,b\n1,2" + b"," * 20_000 + b"\n",
        b"a,b," + HEAD + b"\n1,2,Invalid,m,c" + b"," * 19_997 + b"\n",
    ),
    "another separator": (
        b"a;b\n1,5;2\n",
        b"a;b;" + HEAD.replace(b",", b";") + b"\n1,5;2;Invalid;m;c\n",
    ),
    "tabs": (b"a\tb\n1\t2\n", b"a\tb\t" + HEAD.replace(b",", b"\t") + b"\n1\t2\tInvalid\tm\tc\n"),
    "a final Ctrl-Z": (b"a,b\n1,2\n\x1a", b"a,b," + HEAD + b"\n1,2,Invalid,m,c\n\x1a"),
    "Ctrl-Z in the last record": (b"a,b\n1,2\x1a", b"a,b," + HEAD + b"\n1,2,Invalid,m,c\x1a"),
    "Ctrl-Z elsewhere": (b"a,b\n1,2\x1a\n", b"a,b," + HEAD + b"\n1,2\x1a,Invalid,m,c\n"),
    "a mark of a joined file": (
        b'a,b\n\xef\xbb\xbf"1",2\n',
        b"a,b," + HEAD + b'\n\xef\xbb\xbf"1",2,Invalid,m,c\n',
    ),
    "blank records": (b"a,b\n1,2\n\n,\n", b"a,b," + HEAD + b"\n1,2,Invalid,m,c\n\n,\n"),
    "apostrophes": (
        b"'a';'b'\n'l''eau'; '2;'\n",
        b"'a';'b';" + b"'feedtool status';'feedtool message';'feedtool code'"
        b"\n'l''eau'; '2;';'Invalid';'m';'c'\n",
    ),
    "blanks before a quote": (
        b'a; "b"\n1; "2;3" ; 4\n',
        b'a; "b";;' + HEAD.replace(b",", b";") + b'\n1; "2;3" ; 4;Invalid;m;c\n',
    ),
    "another text": (b"a," + HEAD + b"\n1,Valid,x,y\n", b"a," + HEAD + b"\n1,Invalid,m,c\n"),
    "the user's column behind": (
        b"a," + HEAD + b',z\n"1",Valid,"x,x",y," 9"\n',
        b"a," + HEAD + b',z\n"1",Invalid,m,c," 9"\n',
    ),
    "a record that is shorter": (
        b"a," + HEAD + b"\n1,Valid\n",
        b"a," + HEAD + b"\n1,Invalid,m,c\n",
    ),
    "another row's goes": (
        b"a," + HEAD + b'\n1,Valid,,\n2,Invalid,"x ""y""",z,9\n3\n',
        b"a," + HEAD + b"\n1,Invalid,m,c\n2,,,,9\n3\n",
    ),
    "not all of them": (
        b"a,feedtool status\n1,Valid\n",
        b"a,," + HEAD + b"\n1,,Invalid,m,c\n",
    ),
    "quoted headings": (
        b'a,"feedtool status",feedtool message ,feedtool code\n1,2,3,4\n',
        b"a," + HEAD + b"\n1,Invalid,m,c\n",
    ),
    "cp1252": (b"a,b\n\xe9,\x80\n", b"a,b," + HEAD + b"\n\xe9,\x80,Invalid,m,c\n"),
}


@pytest.mark.parametrize(("before", "after"), WRITINGS.values(), ids=WRITINGS)
def test_every_writing_is_kept(copy: Copy, before: bytes, after: bytes) -> None:
    assert copy(before, NOTE) == after
    assert copy(after, NOTE) == after, "annotating twice is annotating once"


UNCERTAIN = [
    ("a,b\ncrème-1,2\n".encode("cp850"), "“cräme”, Größe", b'"""crame"", Gro?e"'),
    (b"a,b\n9\xac99,\xe9t\xe9\n", "“9¬99” is no number: 12 €", b'"""9?99"" is no number: 12 EUR"'),
    (b"a,b\nUpd\xa3\xc6\x91Gate,3\n", "« Upd£Æ\u2018Gate »", b'""" Upd???Gate """'),
    (b"a,b\rSKU\xeb\xcc\xa8-2,3\r", "SKUëÌ¨-2", b"SKUeI?-2"),
    ("a,b\nŻółw Źdźbło Łódź,2\n".encode("cp1250"), "É “é”", b'"E ""e"""'),
]


@pytest.mark.parametrize(("before", "message", "written"), UNCERTAIN, ids=ascii)
def test_our_texts_do_not_decide_the_encoding(
    copy: Copy, before: bytes, message: str, written: bytes
) -> None:
    note = Note(2, "Invalid", message, "c")
    once = copy(before, note)
    assert once[:-1].endswith(b",Invalid," + written + b",c")
    assert copy(once, note) == once


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""], ids=["marked", "unmarked"])
def test_utf_16_and_32(copy: Copy, codec: str, mark: str) -> None:
    lead = mark.encode(codec)
    wanted = "é,b,feedtool status,feedtool message,feedtool code\r\n1,€,Invalid,ü,c\r\n"
    note = Note(2, "Invalid", "ü", "c")
    once = copy(lead + "é,b\r\n1,€\r\n".encode(codec), note)
    assert once == lead + wanted.encode(codec)
    assert copy(once, note) == once


def test_a_table_up_to_the_last_columns_has_no_room(copy: Copy) -> None:
    line = b"," * 16_381 + b"x"
    with pytest.raises(NoRoom) as raised:
        copy(b"a,b\n" + line + b"\n")
    assert "column XFB" in raised.value.message
    assert copy(b"a,b\n" + line[1:] + b"\n").endswith(line[1:] + b"\n")


def test_a_line_that_announces_the_separator_is_kept(copy: Copy) -> None:
    before = b"sep=;\r\na;b\r\n1;2\r\n"
    after = copy(before, Note(3, "Valid", "", ""), header_row=2)
    assert after == b"sep=;\r\na;b;" + HEAD.replace(b",", b";") + b"\r\n1;2;Valid;;\r\n"


def test_titles_above_the_headings_are_kept(copy: Copy) -> None:
    before = b"a title,with,many,fields,in,it\n\na,b\n1,2\n"
    after = copy(before, Note(4, "Valid", "", ""), header_row=3)
    assert after == b"a title,with,many,fields,in,it\n\na,b," + HEAD + b"\n1,2,Valid,,\n"


TEXTS = {
    "a,b": b'"a,b"',
    'say "x"': b'"say ""x"""',
    "two\nlines": b"two; lines",
    "=1+1": b"'=1+1",
    "+1": b"'+1",
    "-1": b"'-1",
    "@x": b"'@x",
    "\tx": b"'\tx",
    "\rx": b'"\'\rx"',
    "\uff1d1": b"'\xef\xbc\x9d1",
    "a=1": b"a=1",
    "nul\0": "nul\ufffd".encode(),
    "Ctrl-Z\x1a": "Ctrl-Z\ufffd".encode(),
    "a\ufeffmark": "a\ufffdmark".encode(),
    "é 😀": "é 😀".encode(),
    "half \ud800": b"half ?",
}


@pytest.mark.parametrize(("text", "written"), TEXTS.items())
def test_our_texts_are_written_safely(copy: Copy, text: str, written: bytes) -> None:
    found = copy("ä,b\n1,2\n".encode(), Note(2, "", text, ""))
    assert found.endswith(b"\n1,2,," + written + b",\n")


def test_letters_that_the_encoding_lacks(copy: Copy) -> None:
    found = copy(b"\xe9,b\n1,2\n", Note(2, "", "é € 東", ""))
    assert found.endswith(b",\xe9 \x80 ?,\n")


@pytest.mark.parametrize(
    "end", [b'1,"2\n', b'1,"2', b'1,2\n"', b'"', b'1,"' + (b"x" * 999 + b"\n") * 17_000]
)
def test_an_open_quote_is_refused(copy: Copy, end: bytes) -> None:
    with pytest.raises(CsvUnterminatedQuote):
        copy(b"a,b\n" + end, NOTE)


@pytest.mark.parametrize("rows", [[3, 2], [2, 2], [1], [9]])
def test_notes_that_fit_no_record_are_the_callers_mistake(copy: Copy, rows: list[int]) -> None:
    with pytest.raises(ValueError, match="row"):
        copy(b"a,b\n1,2\n3,4\n", *(Note(row, "Valid", "", "") for row in rows))


letters = st.characters(codec="utf-8")
# Python 3.11 writes a lone \r without quotes, which then ends the record.
in_fields = st.characters(codec="utf-8", exclude_characters="\0\x1a\ufeff\r")
fields = st.lists(st.text(in_fields, max_size=6), min_size=1, max_size=5)
tables = st.lists(fields, min_size=2, max_size=8)


class Drawn(NamedTuple):
    """A table, the way it is written, and the message for each of its rows."""

    records: list[list[str]]
    separator: str
    end: str
    quotes_all: bool
    message: str


drawn = st.builds(
    Drawn,
    tables,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.text(letters),
)


@settings(max_examples=25, deadline=None)
@example(Drawn([["1"]], ",", "\n", quotes_all=False, message="\n"))
@given(drawn)
def test_any_table_keeps_its_fields_and_any_message_comes_back(
    copy: Copy, tmp_path_factory: pytest.TempPathFactory, one: Drawn
) -> None:
    assert_comes_back(copy, tmp_path_factory, one)


@pytest.mark.long
@settings(max_examples=2000, deadline=None)
@given(drawn)
def test_each_of_many_tables_keeps_its_fields(
    copy: Copy, tmp_path_factory: pytest.TempPathFactory, one: Drawn
) -> None:
    assert_comes_back(copy, tmp_path_factory, one)


def assert_comes_back(copy: Copy, tmp_path_factory: pytest.TempPathFactory, one: Drawn) -> None:
    records, separator, end, quotes_all, message = one
    out = io.StringIO()
    out.write(f"sep={separator}{end}")
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quotes_all else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([["sku", "gtin"], *records])
    content = codecs.BOM_UTF8 + out.getvalue().encode()
    notes = [Note(row, "Valid", message, "c") for row in range(3, len(records) + 3)]
    once = copy(content, *notes, header_row=2)
    path = tmp_path_factory.getbasetemp() / "read.csv"
    path.write_bytes(once)
    widest = max(2, *map(len, records))
    line = message.replace("\n", "; ")
    shown = re.sub("[\0\x1a\ufeff]", "\ufffd", line)
    shown = "'" + shown if line.startswith(FORMULA_STARTS) else shown
    wanted = [[*record, *[""] * (widest - len(record)), "Valid", shown, "c"] for record in records]
    assert read(path)[1:] == wanted
    assert copy(once, *notes, header_row=2) == once


def read(path: Path) -> list[list[str]]:
    with open_source(path) as source:
        blocks = list(source.sheet("").blocks(1))
    return [
        list(record)
        for block in blocks
        for record in zip(*(block.column(column) for column in range(block.width)), strict=True)
    ]


CHANGED = {
    "a plain field": (b"a,b\n1,2\n", "x", b"x,2"),
    "a quoted field": (b'a,b\n"1","2"\n', "x", b'"x","2"'),
    "a text that needs quotes": (b"a,b\n1,2\n", 'x,"y"', b'"x,""y""",2'),
    "a blank": (b'a,b\n"1",2\n', "", b",2"),
    "a number": (b"a,b\n1,2\n", Decimal("1.50"), b"1.50,2"),
    "letters of its own encoding": (b"a,b\n\xc9,\xe9\n", "à", b"\xe0,\xe9"),
    "letters that its encoding lacks": (b"a,b\n\xc9,\xe9\n", "ж", b"\xc9,\xe9"),
    "what would be a formula": (b"a,b\nA1,2\n", "=A1", b"A1,2"),
    "what was one already": (b"a,b\n =A1,2\n", "=A1", b" =A1,2"),
    "a negative number that was one": (b"a,b\n-1 ,2\n", "-1", b"-1,2"),
}


@pytest.mark.parametrize(("content", "new", "line"), CHANGED.values(), ids=CHANGED)
def test_new_values_are_written_as_the_old_ones(
    copy: Copy, content: bytes, new: str | Decimal, line: bytes
) -> None:
    made = copy(content, Note(2, "s", "m", "c", values=((0, new),)))
    assert made.splitlines()[1] == line + b",s,m,c"


def test_a_new_value_behind_a_short_record(copy: Copy) -> None:
    made = copy(b"a,b,c\n1\n", Note(2, "s", "m", "c", values=((1, "x"),)))
    assert made.splitlines()[1] == b"1,x,,s,m,c"
