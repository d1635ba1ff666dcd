"""Cells and rows of a worksheet, in all the ways they are written."""

import pytest

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.sheets import open_source
from tests.corpus.books import STRICT
from tests.corpus.made import MAIN, data
from tests.sheets.conftest import Make, Read

FAR = 40
"""Rows of filler after which the pattern reads, and no longer the parser."""

STRINGS = (
    "<si><t>gtin</t></si>"
    "<si><r><rPr><b/></rPr><t>Ta</t></r><r><t>ble</t></r><rPh sb='0' eb='1'><t>no</t></rPh></si>"
    "<si><t/></si>"
    '<si><t xml:space="preserve"> blank </t></si>'
    "<si><t>a&amp;b &#233; _x000D_</t></si>"
    "<si><t>東京</t><phoneticPr fontId='1'/></si>"
)


def text(value: str) -> Cell:
    return Cell(Kind.TEXT, value)


def filler(rows: int) -> str:
    """More than 64 KiB of rows."""
    words = "a cell with some text in it, " * 70
    return "".join(
        f'<row r="{row}"><c r="A{row}" t="str"><v>{words}</v></c></row>'
        for row in range(1, rows + 1)
    )


def number(value: str) -> Cell:
    return Cell(Kind.NUMBER, value)


CELLS = [
    ('<c r="A1"><v>12.50</v></c>', number("12.50")),
    ('<c r="A1" t="n"><v>19.989999999999998</v></c>', number("19.989999999999998")),
    ('<c r="A1"><v> 7 </v></c>', number("7")),
    ('<c r="A1"><v>8.8E+12</v></c>', number("8.8E+12")),
    ('<c r="A1"><v>NaN</v></c>', text("NaN")),
    ('<c r="A1" t="s"><v>0</v></c>', text("gtin")),
    ('<c r="A1" s="0" t="s"><v>1</v></c>', text("Table")),
    ('<c r="A1" t="s" s="0"><v>2</v></c>', BLANK),
    ('<c r="A1" t="s"><v>3</v></c>', text(" blank ")),
    ('<c r="A1" t="s"><v>4</v></c>', text("a&b é \r")),
    ('<c r="A1" t="s"><v>5</v></c>', text("東京")),
    ('<c r="A1" t="s"><v></v></c>', BLANK),
    ('<c r="A1" t="s"/>', BLANK),
    ('<c r="A1" t="inlineStr"><is><t>x &lt; _x0041_</t></is></c>', text("x < A")),
    ('<c r="A1" t="inlineStr"><is><t xml:space="preserve"> y </t></is></c>', text(" y ")),
    ('<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', text("ab")),
    ('<c r="A1" t="inlineStr"><is><t>a</t><rPh sb="0" eb="1"><t>no</t></rPh></is></c>', text("a")),
    ('<c r="A1" t="inlineStr"><is><t></t></is></c>', BLANK),
    ('<c r="A1" t="inlineStr"><is/></c>', BLANK),
    ('<c r="A1" t="inlineStr"><v>lenient</v></c>', text("lenient")),
    ('<c r="A1" t="str"><f>B1&amp;""</f><v>0036_x0041_</v></c>', text("0036A")),
    ('<c r="A1" t="str"><f>B1</f><v></v></c>', BLANK),
    ('<c r="A1" t="str"><v>text</v></c>', text("text")),
    ('<c r="A1"><f>B1*2</f><v>4</v></c>', number("4")),
    ('<c r="A1"><f t="shared" ref="A1:A9" si="0">B1*2</f><v>4</v></c>', number("4")),
    ('<c r="A1"><f t="shared" si="0"/><v>4</v></c>', number("4")),
    ('<c r="A1"><f aca="false">B1*2</f><v>4</v></c>', number("4")),
    ('<c r="A1"><f>B1&lt;2</f></c>', Cell(Kind.NO_RESULT, "=B1<2")),
    ('<c r="A1"><f>B1*2</f><v></v></c>', Cell(Kind.NO_RESULT, "=B1*2")),
    ('<c r="A1"><f>B1*2</f><v/></c>', Cell(Kind.NO_RESULT, "=B1*2")),
    ('<c r="A1"><f>B1*2</f><v /></c>', Cell(Kind.NO_RESULT, "=B1*2")),
    ('<c r="A1"><f/></c>', Cell(Kind.NO_RESULT, "=")),
    ('<c r="A1" t="e"><v>#N/A</v></c>', Cell(Kind.ERROR, "#N/A")),
    ('<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c>', Cell(Kind.ERROR, "#DIV/0!")),
    ('<c r="A1" t="b"><v>1</v></c>', Cell(Kind.BOOLEAN, "TRUE")),
    ('<c r="A1" t="b"><v>false</v></c>', Cell(Kind.BOOLEAN, "FALSE")),
    ('<c r="A1" t="d"><v>2024-01-31T00:00:00</v></c>', Cell(Kind.DATE, "2024-01-31T00:00:00")),
    ('<c r="A1" t="b"><v> </v></c>', BLANK),
    ('<c r="A1" t="s"><v> </v></c>', BLANK),
    ('<c r="A1" s="3"/>', BLANK),
    ('<c r="A1" s="3"></c>', BLANK),
    ("<c><v>1</v></c>", number("1")),
    ("<c r='A1' t='str'><v>single</v></c>", text("single")),
    ('<c r="A1" t="str"><v><![CDATA[<&>]]></v></c>', text("<&>")),
    ('<c r="A1" t="str"><v>a<!-- not -->b</v></c>', text("ab")),
    ('<c r="A1" t="str"><v>a<?no ?>b</v></c>', text("ab")),
    ('<c r="A1" t="str"><v>a\r\nb&#13;</v></c>', text("a\nb\r")),
    ('<c r="A1" cm="1"><v>1</v></c>', number("1")),
    ('<c r="A1"><v>1</v><extLst><ext><v>9</v></ext></extLst></c>', number("1")),
]


@pytest.mark.parametrize(("xml", "cell"), CELLS)
@pytest.mark.parametrize("far", [0, FAR])
def test_cell(make_sheet: Make, read: Read, xml: str, cell: Cell, far: int) -> None:
    row = f'<row r="{far + 1}">{xml.replace("A1", f"A{far + 1}")}</row>'
    reading = read(make_sheet(filler(far) + row, strings=STRINGS))
    assert len(reading) == far + (cell != BLANK)
    assert reading.get(far + 1, {}).get(0, BLANK) == cell


ONE = data('<row r="2"><c r="B2"><v>1</v></c></row>')
WRITINGS = {
    "transitional": ONE,
    "strict": ONE.replace(MAIN, STRICT),
    "prefixed": f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row r="2"><x:c r="B2"><x:v>1</x:v>'
    "</x:c></x:row></x:sheetData></x:worksheet>",
    "no references": data("<row/><row><c/><c><v>1</v></c></row>"),
    "pretty": f'<worksheet xmlns="{MAIN}">\n <sheetData>\n  <row r="2">\n   <c r="B2">\n    '
    "<v>1</v>\n   </c>\n  </row>\n </sheetData>\n</worksheet>\n",
    "lower case": ONE.replace("B2", "b2"),
    "decoy in a comment": f'<worksheet xmlns="{MAIN}"><!-- <sheetData><row r="2"><c r="B2"><v>7</v>'
    '</c></row></sheetData> --><sheetData><row r="2"><c r="B2"><v>1</v></c></row></sheetData>'
    "</worksheet>",
    "another namespace inside": ONE.replace(
        "<row", '<row r="1" xmlns="urn:x"><c r="A1"><v>5</v></c></row><row', 1
    ),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("writing", WRITINGS)
def test_writing(make_sheet: Make, read: Read, writing: str, encoding: str) -> None:
    sheet = f'<?xml version="1.0" encoding="{encoding}"?>{WRITINGS[writing]}'.encode(encoding)
    assert read(make_sheet(sheet=sheet)) == {2: {1: number("1")}}


CORRUPT = {
    "twice the same row": '<row r="1"><c r="A1"><v>1</v></c></row><row r="1"/>',
    "rows out of order": '<row r="2"><c r="A2"><v>1</v></c></row><row r="1"/>',
    "cell of another row": '<row r="1"><c r="A2"><v>1</v></c></row>',
    "cell twice": '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>',
    "no cell": '<row r="1"><c r="1A"><v>1</v></c></row>',
    "no row number": '<row r="one"><c><v>1</v></c></row>',
    "no such text": '<row r="1"><c r="A1" t="s"><v>6</v></c></row>',
    "negative text": '<row r="1"><c r="A1" t="s"><v>-1</v></c></row>',
    "unknown type": '<row r="1"><c r="A1" t="zz"><v>6</v></c></row>',
    "unknown entity": '<row r="1"><c r="A1" t="str"><v>&eacute;</v></c></row>',
    "control character": '<row r="1"><c r="A1" t="str"><v>\x01</v></c></row>',
    "unclosed": '<row r="1"><c r="A1"><v>1</v></c>',
    "overlapping": '<row r="1"><c r="A1"><v>1</c></v></row>',
    "attribute twice": '<row r="1" ht="1" ht="2"><c r="A1"><v>1</v></c></row>',
    "unknown prefix": '<row r="1" y:ht="1"><c r="A1"><v>1</v></c></row>',
}


@pytest.mark.parametrize("far", [0, FAR])
@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt(make_sheet: Make, read: Read, case: str, far: int) -> None:
    """Faults at the beginning, which a parser reads, and far down, which the pattern reads."""
    bad = CORRUPT[case]
    for number in (2, 1):
        bad = bad.replace(f'r="{number}"', f'r="{far + number}"')
        bad = bad.replace(f'A{number}"', f'A{far + number}"')
    with pytest.raises(FileProblem) as caught:
        read(make_sheet(filler(far) + bad, strings=STRINGS))
    assert caught.value.code == "corrupt-xml"
    assert caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("far", [0, FAR])
@pytest.mark.parametrize(
    "row",
    [
        '<row r="1048577"><c r="A1048577"><v>1</v></c></row>',
        '<row r="9999999999"/>',
        '<row r="0"/>',
        '<row r="9001"><c r="XFE9001"><v>1</v></c></row>',
        '<row r="9001"><c r="XFE9001" s="1"/></row>',
        '<row r="9001"><c r="AAAA9001"><v>1</v></c></row>',
        '<row r="9001"><c r="XFD9001"/><c><v>1</v></c></row>',
    ],
)
def test_outside_the_grid(make_sheet: Make, read: Read, row: str, far: int) -> None:
    with pytest.raises(FileProblem) as caught:
        read(make_sheet(filler(far) + row))
    assert caught.value.code == "grid-out-of-range"


def test_head_and_further_rows(make_sheet: Make) -> None:
    rows = (
        '<row r="1"><c r="A1" t="str"><v>Our offers</v></c></row><row r="2"><c r="A2" s="1"/></row>'
        '<row r="4"><c r="B4" t="str"><v>gtin</v></c></row>'
        '<row r="5"><c r="B5"><v>1</v></c></row><row r="7" hidden="1"><c r="C7"><v>2</v></c></row>'
    )
    with open_source(make_sheet(rows, before="<cols/>")) as source:
        sheet = source.sheet("Offers")
        assert [(row.number, row.line, row.cells) for row in sheet.head(2)] == [
            (1, None, [text("Our offers")]),
            (4, None, [BLANK, text("gtin")]),
        ]
        (block,) = sheet.blocks(4)
        assert list(block.rows) == [5, 7]
        assert block.hidden == {7}
        assert block.lines is None
        assert [block.decode(key) for key in block.column(1)] == [number("1"), BLANK]
        with pytest.raises(UsageProblem, match="no sheet “Prices”"):
            source.sheet("Prices")


@pytest.mark.parametrize("far", [1, 5000])
def test_hidden_rows(make_sheet: Make, far: int) -> None:
    rows = "".join(
        f'<row r="{row}"{hidden}><c r="A{row}" t="str"><v>some text of a cell</v></c></row>'
        for row in range(far, far + 5000)
        for hidden in (' hidden="1"' if row % 1000 == 1 else ' hidden="false"',)
    )
    with open_source(make_sheet(rows)) as source:
        hidden = {row for block in source.sheet("Offers").blocks() for row in block.hidden}
    assert hidden == {row for row in range(far, far + 5000) if row % 1000 == 1}


@pytest.mark.parametrize(
    ("dimension", "is_wrong"),
    [
        ("A1:B3", False),
        ("A1:XFD1048576", False),
        ("A1", True),
        ("A1:A3", True),
        ("A1:B2", True),
        ("nonsense", False),
        ("", False),
    ],
)
def test_dimension(make_sheet: Make, *, dimension: str, is_wrong: bool) -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="3"><c r="B3"><v>1</v></c></row>'
        '<row r="9"><c r="F9" s="1"/></row>'
    )
    with open_source(make_sheet(rows, before=f'<dimension ref="{dimension}"/>')) as source:
        sheet = source.sheet("Offers")
        assert sum(len(block.rows) for block in sheet.blocks()) == 2
        assert list(sheet.notices) == ["dimension-wrong"] * is_wrong


def test_no_rows_at_all(make_sheet: Make, read: Read) -> None:
    assert read(make_sheet()) == {}
    assert read(make_sheet(sheet=f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>')) == {}
    assert read(make_sheet(sheet=f'<chartsheet xmlns="{MAIN}"/>')) == {}


def test_no_shared_strings_at_all(make_sheet: Make, read: Read) -> None:
    with pytest.raises(FileProblem, match="looked up") as caught:
        read(make_sheet('<row r="1"><c r="A1" t="s"><v>0</v></c></row>'))
    assert caught.value.code == "corrupt-xml"


def test_cells_out_of_order_are_read(make_sheet: Make, read: Read) -> None:
    row = '<row r="1"><c r="B1"><v>2</v></c><c r="A1"><v>1</v></c></row>'
    assert read(make_sheet(row)) == {1: {0: number("1"), 1: number("2")}}


def test_columns_widen(make_sheet: Make, read: Read) -> None:
    """A pattern made for the first rows meets wider ones, and still wider ones."""

    def cell(row: int) -> str:
        column = ("A", "B", "AB", "SZ")[row // 1000]
        return f'<row r="{row}"><c r="{column}{row}" t="str"><v>{words}</v></c></row>'

    words = "some text of a cell" * 4
    reading = read(make_sheet("".join(map(cell, range(1, 3040)))))
    assert len(reading) == 3039
    assert {index for row in reading.values() for index in row} == {0, 1, 27, 519}
