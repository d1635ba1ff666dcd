"""Any sheet, however its XML is written, gets the same annotation and keeps all else."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.check import HEADINGS
from feedtool.model.cells import letters
from feedtool.sheets.annotate import Note, SheetNotes, annotate
from feedtool.sheets.annotate.sheet_scan import SheetScan, scan_sheet
from feedtool.sheets.annotate.xml_offsets import utf8
from feedtool.sheets.read.errors import CorruptXml, XmlDoctype
from feedtool.sheets.read.package import ZipPackage
from tests.corpus.made import MAIN
from tests.pairs import sample
from tests.sheets.conftest import Make, Part

Values = dict[tuple[int, int], str]
Read = Callable[[Path], Values]


@dataclass(frozen=True)
class Cell:
    column: int
    kind: str
    text: str = ""


Rows = dict[int, list[Cell]]
CELLS = {
    "number": '<c r="{at}"><v>{text}</v></c>',
    "inline": '<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>',
    "formula": '<c r="{at}" t="str"><f>A1</f><v>{text}</v></c>',
    "styled": '<c r="{at}" s="0"/>',
    "open": '<c r="{at}" s="0"></c>',
}
USED = ("number", "inline", "formula")


def canonical(rows: Rows) -> str:
    parts = []
    for number, cells in rows.items():
        inner = "".join(
            CELLS[cell.kind].format(at=f"{letters(cell.column)}{number}", text=cell.text)
            for cell in cells
        )
        spans = f' spans="1:{cells[-1].column + 1}"' if cells and number % 2 else ""
        end = f">{inner}</row>" if cells or number % 3 else "/>"
        parts.append(f'<row r="{number}"{spans}{end}')
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(parts)}</sheetData></worksheet>'


def prefixed(sheet: str) -> str:
    return re.sub(r"<(/?)(\w)", r"<\1x:\2", sheet).replace("xmlns=", "xmlns:x=")


OTHERWISE: dict[str, Callable[[str], str]] = {
    "spaced": lambda sheet: sheet.replace("><", ">\n  <"),
    "prefixed": prefixed,
    "commented": lambda sheet: sheet.replace("</c>", "</c><!-- </row> -->").replace(
        "</row>", "</row><?pi </row>?>"
    ),
    "halfway": lambda sheet: sheet.replace('<row r="60"', '<!-- --><row r="60"'),
    "cdata": lambda sheet: re.sub(r"<t>([^<]*)</t>", r"<t><![CDATA[\1]]></t>", sheet),
    "single quotes": lambda sheet: sheet.replace('"', "'"),
    "blanks": lambda sheet: (
        re.sub(r"</(\w+)>", r"</\1 >", sheet).replace(" r=", "\n r = ").replace("/>", " />")
    ),
    "styles first": lambda sheet: re.sub(r'<c (r="[^"]*") s="0"', r'<c s="0" \1', sheet),
}


def encoded(write: Callable[[str], str]) -> Callable[[str], bytes]:
    return lambda sheet: write(sheet).encode()


WRITINGS: dict[str, Callable[[str], bytes]] = {
    "canonical": str.encode,
    "bom": lambda sheet: b"\xef\xbb\xbf" + sheet.encode(),
    "utf-16": lambda sheet: f'<?xml version="1.0" encoding="UTF-16"?>{sheet}'.encode("utf-16"),
    "utf-16 bare": lambda sheet: sheet.encode("utf-16"),
    "latin-1": lambda sheet: f'<?xml version="1.0" encoding="latin1"?>{sheet}'.encode("latin-1"),
    "ascii": lambda sheet: f'<?xml version="1.0" encoding="US-ASCII"?>{sheet}'.encode("ascii"),
    **{name: encoded(write) for name, write in OTHERWISE.items()},
}
SLOW = {"commented", "cdata", "single quotes", "blanks", "styles first"}
LIKE_OTHERS = {"utf-16 bare", "latin-1", "ascii", "spaced", "styles first"}
"""Writings that are annotated as others are, once they are scanned."""
SOME = sample(sorted(WRITINGS, key=LIKE_OTHERS.__contains__), len(WRITINGS) - len(LIKE_OTHERS))

cell = st.builds(
    Cell,
    st.sampled_from([0, 1, 2, 3, 4, 5, 9, 27]),
    st.sampled_from(list(CELLS)),
    st.sampled_from(["1", "2.5", "77"]),
)
cells = st.lists(cell, max_size=5, unique_by=lambda cell: cell.column).map(
    lambda found: sorted(found, key=lambda cell: cell.column)
)
tables = st.dictionaries(st.integers(2, 14), cells, max_size=8).map(
    lambda rows: {1: [Cell(0, "inline", "sku")], **dict(sorted(rows.items()))}
)
WORDS = ("", "Valid", "=1", "<&>", "é", "“😀”")
word = st.sampled_from(WORDS)


def noted(rows: Rows, texts: list[tuple[str, str, str]]) -> list[Note]:
    return [Note(row, *text) for row, text in zip(list(rows)[1:], texts, strict=False)]


def expected(rows: Rows, notes: list[Note]) -> Values:
    used = [(row, cell) for row, found in rows.items() for cell in found if cell.kind in USED]
    first = max(cell.column for _, cell in used) + 1
    values = {(row, cell.column): cell.text for row, cell in used}
    ours = [(1, HEADINGS), *((note.row, (note.status, note.message, note.code)) for note in notes)]
    for row, texts in ours:
        values |= {(row, first + place): text for place, text in enumerate(texts) if text}
    return values


def annotate_file(source: Path, target: Path, notes: list[Note]) -> Path:
    annotate(source, target, [SheetNotes("Offers", 1, HEADINGS, notes)], overwrite=True)
    return target


MANY = settings(max_examples=60, deadline=None)
notes_drawn = st.lists(st.tuples(word, word, word), max_size=8)


def assert_annotated(
    book_of: Make, values: Read, writing: str, rows: Rows, texts: list[tuple[str, str, str]]
) -> None:
    """Annotate a sheet, annotate its copy again, and take all notes back."""
    source = book_of(WRITINGS[writing](canonical(rows)))
    notes = noted(rows, texts)
    once = annotate_file(source, source.with_name("once.xlsx"), notes)
    assert values(once) == expected(rows, notes)
    twice = annotate_file(once, source.with_name("twice.xlsx"), notes)
    assert twice.read_bytes() == once.read_bytes()
    bare = annotate_file(once, source.with_name("bare.xlsx"), [])
    assert values(bare) == expected(rows, [])


def varied() -> Rows:
    """Rows with all kinds of cells, in one column after the other, with gaps and without."""
    kinds, columns = cycle(CELLS), cycle([0, 1, 2, 3, 4, 5, 9, 27, 7])
    rows: Rows = {1: [Cell(0, "inline", "sku")]}
    for row in range(2, 30):
        if row % 5:
            places = sorted({next(columns) for _ in range(row % 6)})
            rows[row] = [Cell(column, next(kinds), f"{row}.5") for column in places]
    return rows


@pytest.mark.parametrize("writing", SOME)
def test_every_writing_gets_the_same(book_of: Make, values: Read, writing: str) -> None:
    texts = [
        (WORDS[number % 6], WORDS[number // 2 % 6], WORDS[number // 3 % 6]) for number in range(30)
    ]
    assert_annotated(book_of, values, writing, varied(), texts)


@pytest.mark.long
@pytest.mark.parametrize("writing", WRITINGS)
@MANY
@given(rows=tables, texts=notes_drawn)
def test_every_writing_of_many_sheets_gets_the_same(
    book_of: Make, values: Read, writing: str, rows: Rows, texts: list[tuple[str, str, str]]
) -> None:
    assert_annotated(book_of, values, writing, rows, texts)


HEADERS: Rows = {1: [Cell(column, "inline", "h") for column in range(10)]}
new_values = st.dictionaries(
    st.sampled_from([0, 1, 3, 9]), st.sampled_from(["", "é <&>", " 007", Decimal("12.50")])
)


changes_drawn = st.lists(new_values, max_size=8)


def assert_changed(
    book_of: Make, values: Read, writing: str, rows: Rows, changes: list[dict[int, str | Decimal]]
) -> None:
    """Write new values into cells, of which formulas alone stay as they are."""
    rows = rows | HEADERS
    source = book_of(WRITINGS[writing](canonical(rows)))
    notes = [
        Note(row, "", "", "", values=tuple(new.items()))
        for row, new in zip(list(rows)[1:], changes, strict=False)
    ]
    wanted = {place: text for place, text in expected(rows, []).items() if place[0] > 1}
    formulas = {
        (row, cell.column)
        for row, found in rows.items()
        for cell in found
        if cell.kind == "formula"
    }
    for note in notes:
        for column, value in note.values:
            if (note.row, column) not in formulas:
                wanted[note.row, column] = str(value)
    copy = values(annotate_file(source, source.with_name("x.xlsx"), notes))
    after = {place: text for place, text in copy.items() if place[0] > 1}
    assert after == {place: text for place, text in wanted.items() if text}


@pytest.mark.parametrize("writing", SOME)
def test_cells_get_new_values_and_formulas_stay(book_of: Make, values: Read, writing: str) -> None:
    new: list[str | Decimal] = ["", "é <&>", " 007", Decimal("12.50")]
    places = [(0, 1), (3,), (), (0, 9), (1, 3, 9), (0, 1, 3, 9)]
    turns = cycle(new)
    changes = [{place: next(turns) for place in places[number % 6]} for number in range(30)]
    assert_changed(book_of, values, writing, varied(), changes)


@pytest.mark.long
@pytest.mark.parametrize("writing", WRITINGS)
@MANY
@given(rows=tables, changes=changes_drawn)
def test_cells_of_many_sheets_get_new_values(
    book_of: Make, values: Read, writing: str, rows: Rows, changes: list[dict[int, str | Decimal]]
) -> None:
    assert_changed(book_of, values, writing, rows, changes)


def test_a_new_value_has_the_format_of_the_old_one(book_of: Make, part: Part) -> None:
    rows = HEADERS | {2: [Cell(0, "styled"), Cell(1, "number", "1"), Cell(3, "open")]}
    source = book_of(canonical(rows).encode())
    changes = ((0, "a"), (1, ""), (2, Decimal(0)), (3, Decimal("1.5")))
    copy = part(annotate_file(source, source, [Note(2, "", "", "", values=changes)]))
    assert (
        b'<c r="A2" s="0" t="inlineStr"><is><t>a</t></is></c><c r="B2"/>'
        b'<c r="C2"><v>0</v></c><c r="D2" s="0"><v>1.5</v></c>'
    ) in copy


@pytest.mark.parametrize("writing", WRITINGS)
def test_only_our_cells_differ(book_of: Make, part: Callable[..., bytes], writing: str) -> None:
    rows = {1: [Cell(0, "inline", "sku")], 2: [Cell(0, "number", "1")], 3: [Cell(1, "styled")]}
    raw = WRITINGS[writing](canonical(rows))
    source = book_of(raw)
    copy = part(annotate_file(source, source.with_name("x.xlsx"), [Note(2, "é", "", "")]))
    after = copy.decode("utf-8-sig")
    before = raw.decode("utf-16" if raw[:2] == codecs.BOM_UTF16 else "utf-8-sig")
    before = re.sub(r'<\?xml[^>]*encoding="(?!UTF-8)[^>]*>', "", before)
    after = re.sub(r"<(x:)?cols>.*</(x:)?cols>|<(x:)?autoFilter[^>]*/>", "", after)
    after = re.sub(r'<(x:)?c r="[B-D]\d" s="\d" t="inlineStr">.*?</(x:)?c>', "", after)
    assert re.sub("1:4", "1:1", after) == before


@pytest.mark.parametrize("writing", WRITINGS)
def test_plain_writings_are_read_by_pattern(book_of: Make, writing: str) -> None:
    rows = {1: [Cell(0, "inline", "sku"), Cell(1, "styled")], 3: []}
    source = book_of(WRITINGS[writing](canonical(rows)))
    with ZipPackage(source) as package:
        found = SheetScan("xl/worksheets/sheet1.xml", 1, package.limits)
        scan_sheet(utf8(package.stream(found.part), found.part), found)
    assert any(found.plain) == (writing not in SLOW)
    assert (found.used, found.widest, found.last_row) == (0, 1, 3)


ODD_ROWS = {
    "rows without numbers": "<row><c><v>1</v></c></row><row><c><v>2</v></c></row>",
    "cells without names": '<row r="1"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row>',
    "cells in disorder": '<row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="2"><c r="D2" s="0"/><c r="A2"><v>2</v></c></row>',
    "extensions behind the cells": '<row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="2"><c r="A2"><v>2</v></c><extLst><ext uri="x"><y xmlns="z"/></ext></extLst></row>',
    "coloured runs": '<row r="1"><c r="A1"><v>1</v></c></row><row r="2">'
    '<c r="A2" t="inlineStr"><is><r><rPr><color rgb="FF000000"/></rPr><t>2</t></r></is></c></row>',
    "blanks behind the cells": '<row r="1"><c r="A1"><v>1</v></c>\n</row>\n<row r="2">'
    '<c r="A2"><v>2</v></c>\n</row>\n',
}


@pytest.mark.parametrize("rows", ODD_ROWS.values(), ids=ODD_ROWS)
def test_odd_rows(book_of: Make, values: Read, part: Callable[..., bytes], rows: str) -> None:
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    source = book_of(sheet.encode())
    once = annotate_file(source, source.with_name("x.xlsx"), [Note(2, "s", "m", "c")])
    twice = annotate_file(once, source.with_name("y.xlsx"), [Note(2, "s", "m", "c")])
    for copy in (once, twice):
        found = values(copy)
        assert {place: found[place] for place in found if place[1] in (0, 1, 2, 3)} == {
            (1, 0): "1",
            (2, 0): "2",
            **{(1, column): text for column, text in enumerate(HEADINGS, 1)},
            **{(2, column): text for column, text in enumerate("smc", 1)},
        }
        if b"extLst" in part(copy):
            assert b"</c><extLst>" in part(copy)


STRETCH = 6
BLOCK = 1 << 12


def by_turns(sheet: str) -> bytes:
    """A sheet of which each stretch of rows is written in another way."""
    head, *rows = re.split(r"(?=<row )", sheet)
    ways: list[Callable[[str], str]] = [
        lambda stretch: stretch,
        *(write for name, write in OTHERWISE.items() if name != "prefixed"),
    ]
    stretches = [
        "".join(rows[number : number + STRETCH]) for number in range(0, len(rows), STRETCH)
    ]
    turns = zip(stretches, cycle(ways), strict=False)
    return "".join((head, *(way(stretch) for stretch, way in turns))).encode()


LARGE = {**WRITINGS, "by turns": by_turns}
LARGE_ALONE = ["bom", *OTHERWISE, "utf-16 bare", "latin-1", "ascii"]


@pytest.mark.parametrize(
    "writing",
    [
        *("canonical", "by turns", "utf-16"),
        *(pytest.param(name, marks=pytest.mark.long) for name in LARGE_ALONE),
    ],
)
def test_a_sheet_of_many_blocks(
    book_of: Make, values: Read, writing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ZipPackage.stream, "__defaults__", (BLOCK,))
    kinds = (*("number",) * 4, "inline", "styled")
    rows: Rows = {1: [Cell(0, "inline", "sku")]}
    rows |= {
        row: [Cell(column, kind, "1") for column, kind in enumerate(kinds)]
        for row in range(2, 110)
        if row % 7
    }
    notes = [Note(row, "Invalid", f"m{row}", "c") for row in rows if row % 3 == 0]
    source = book_of(LARGE[writing](canonical(rows)))
    once = annotate_file(source, source.with_name("once.xlsx"), notes)
    assert values(once) == expected(rows, notes)
    twice = annotate_file(once, source.with_name("twice.xlsx"), notes)
    assert twice.read_bytes() == once.read_bytes()


HEADER: Rows = {1: [Cell(0, "inline", "sku")]}
MALFORMED: dict[str, str | bytes] = {
    "no rows": f'<worksheet xmlns="{MAIN}"/>',
    "cut off": f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row>',
    "an unknown encoding": '<?xml version="1.0" encoding="klingon"?><worksheet/>',
    "a codec of no text": '<?xml version="1.0" encoding="hex"?><worksheet/>',
    "a row's name": f'<worksheet xmlns="{MAIN}"><sheetData><row r="x"/></sheetData></worksheet>',
    "a cell's name": f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="1A"/></row>'
    "</sheetData></worksheet>",
    "tags that do not fit": f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</w>'
    "</c></row></sheetData></worksheet>",
    "bytes that are not of the encoding": WRITINGS["utf-16"](canonical(HEADER)) + b"\x00",
    "a document type": "<!DOCTYPE worksheet>" + canonical(HEADER),
}


@pytest.mark.parametrize("sheet", MALFORMED.values(), ids=MALFORMED)
def test_malformed_sheets_are_refused(book_of: Make, sheet: str | bytes) -> None:
    source = book_of(sheet if isinstance(sheet, bytes) else sheet.encode())
    with pytest.raises((CorruptXml, XmlDoctype)):
        annotate_file(source, source.with_name("x.xlsx"), [])


def test_a_sheet_without_the_row_of_the_headings_is_the_callers_mistake(book_of: Make) -> None:
    source = book_of(canonical({2: [Cell(0, "inline", "sku")]}).encode())
    with pytest.raises(ValueError, match="no row 1"):
        annotate_file(source, source.with_name("x.xlsx"), [])


def test_headings_in_rich_text_are_recognised(book_of: Make, values: Read) -> None:
    runs = "".join(
        f'<c r="{name}1" t="inlineStr"><is><r><rPr><b/></rPr><t>feedtool </t></r>'
        f"<r><t>{word}</t></r></is></c>"
        for name, word in zip("BCD", ("status", "message", "code"), strict=True)
    )
    sheet = canonical(HEADER).replace("</row>", runs + "</row>")
    source = book_of(sheet.encode())
    copy = annotate_file(source, source.with_name("x.xlsx"), [])
    assert [values(copy).get((1, column)) for column in range(1, 5)] == [*HEADINGS, None]
