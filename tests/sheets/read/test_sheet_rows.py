"""The pattern and the parser read the same; what openpyxl reads is for `tests/corpus`."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.model.cells import BLANK, Cell, Kind, letters
from feedtool.model.errors import FileProblem
from feedtool.sheets import DEFAULT_LIMITS
from feedtool.sheets.cell_text import escape
from feedtool.sheets.read.cell_decoder import DateKind, Decoder, NumberStyle, SharedStrings
from feedtool.sheets.read.sheet_rows import RowMatcher, SheetParser, pattern_width
from feedtool.sheets.read.xml_parser import normalize_xml
from tests.corpus.made import MAIN
from tests.sheets.conftest import damages

STYLES = (
    NumberStyle(),
    NumberStyle(percent=True),
    NumberStyle(DateKind.DATE),
    NumberStyle(zeros=13),
)

Rows = dict[int, dict[int, Cell]]


def shared() -> SharedStrings:
    strings = SharedStrings()
    strings.extend([b"one", b"two &amp; more", "трі".encode()])
    return strings


DECODE = Decoder(shared, STYLES, date1904=False)


def by_pattern(text: str, width: int = 32, prefix: str = "") -> tuple[Rows, frozenset[int]] | None:
    """The chunk's cells and hidden rows; None where the pattern leaves it to the parser."""
    normalized = normalize_xml(text.encode(), prefix)
    scan = RowMatcher({"y": "urn:y"}).read(normalized, width, 0) if normalized else None
    if scan is None:
        return None
    rows: Rows = {row: {} for row in scan.rows}
    for index, column in enumerate(scan.columns):
        for row, key in zip(scan.rows, column, strict=True):
            if (cell := DECODE(key)) != BLANK:
                rows[row][index] = cell
    return _without_blanks(rows), scan.hidden


def by_parser(text: str, prefix: str = "") -> tuple[Rows, frozenset[int]]:
    reader = SheetParser("sheet", DEFAULT_LIMITS)
    name = f":{prefix[:-1]}" if prefix else ""
    reader.feed(f'<{prefix}worksheet xmlns{name}="{MAIN}" xmlns:y="urn:y">'.encode())
    reader.feed(f"<{prefix}sheetData>".encode())
    rows = reader.rows(text.encode())
    reader.feed(f"</{prefix}sheetData></{prefix}worksheet>".encode())
    reader.finish()
    cells = {
        row.number: {
            column: cell for column, raw in row.cells.items() if (cell := DECODE(raw)) != BLANK
        }
        for row in rows
    }
    return _without_blanks(cells), frozenset(row.number for row in rows if row.hidden)


def _without_blanks(rows: Rows) -> Rows:
    return {number: cells for number, cells in rows.items() if cells}


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r", exclude_categories=("Cs", "Cc"))
    | st.sampled_from('\n\t<>&"_x0041_')
).filter(lambda text: "\ufffe" not in text and "\uffff" not in text)
NUMBER = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers().map(str)
FORMULA = st.sampled_from(
    ["", "<f>A1*2</f>", '<f t="shared" si="0"/>', '<f aca="false">B$1&amp;"x"</f>', "<f/>"]
)


@st.composite
def content(draw: st.DrawFn) -> str:
    """A cell from after its reference."""
    style = draw(st.sampled_from(["", ' s="0"', ' s="1"', ' s="2"', ' s="3"', ' s="77"']))
    kind = draw(st.sampled_from(["", "n", "s", "str", "inlineStr", "b", "e", "d", "empty"]))
    formula = draw(FORMULA)
    text = escape(draw(TEXT)).replace(">", "&gt;")
    value = {
        "": draw(NUMBER),
        "n": draw(NUMBER),
        "s": str(draw(st.integers(0, 2))),
        "str": text,
        "b": draw(st.sampled_from("01")),
        "e": draw(st.sampled_from(["#N/A", "#REF!"])),
        "d": "2024-01-31",
    }.get(kind, "")
    attributes = style + (f' t="{kind}"' if kind not in ("", "empty") else "")
    if draw(st.booleans()) and style and kind:
        attributes = f' t="{kind}"{style}'.replace(' t="empty"', "")
    if kind == "empty":
        return attributes + draw(st.sampled_from(["/>", "></c>"]))
    if kind == "inlineStr":
        return f"{attributes}><is><t>{text}</t></is></c>"
    return f"{attributes}>{formula}<v>{value}</v></c>"


ROW_ATTRIBUTES = st.sampled_from(
    ["", ' spans="1:3"', ' hidden="1"', ' hidden="0"', ' ht="12.8" y:dyDescent="0.25"']
)


@st.composite
def block(draw: st.DrawFn) -> str:
    """Canonical rows."""
    rows = []
    for number in sorted(draw(st.sets(st.integers(1, 1_048_576), min_size=1, max_size=6))):
        cells = draw(st.dictionaries(st.integers(0, 30), content(), max_size=5))
        written = "".join(
            f'<c r="{letters(index)}{number}"{cell}' for index, cell in sorted(cells.items())
        )
        rows.append(f'<row r="{number}"{draw(ROW_ATTRIBUTES)}>{written}</row>')
    return "".join(rows)


def prefixed(text: str, prefix: str) -> str:
    return re.sub(r"<(/?)(?=[a-z])", rf"<\1{prefix}", text)


DAMAGE = (
    "", "<", ">", "/", "&", "'", '"', " ", "=", "-", "]]>", "\r", "\x01", "\uffff", "é", "٣", "A",
    "1", "x:", "<v>", "</v>", "<v/>", "<f/>", "</c>", "<c/>", "<row ", "</row>", "<row/>", "<t>",
    "</t></r><r><t>", "<r><t>", "<!-- -->", "<!-- ", "<?pi?>", "<![CDATA[x]]>", "&am", "amp;",
    ' s="1"', ' t="s"', ' cm="1"', ' a="1"', ' b:a="1"', ' r="A1"', " r='2", ' xmlns="urn:y"',
)  # fmt: skip


DAMAGED = given(block(), st.sampled_from(["", "x:"]), damages(DAMAGE))


@DAMAGED
@settings(max_examples=15, deadline=None)
def test_pattern_and_parser_read_the_same(
    text: str, prefix: str, damage: Callable[[str], str]
) -> None:
    assert_read_alike(text, prefix, damage)


@pytest.mark.long
@DAMAGED
@settings(max_examples=2000, deadline=None)
def test_pattern_and_parser_read_the_same_in_many_cases(
    text: str, prefix: str, damage: Callable[[str], str]
) -> None:
    assert_read_alike(text, prefix, damage)


def assert_read_alike(text: str, prefix: str, damage: Callable[[str], str]) -> None:
    """A damaged chunk is either left to the parser, or damaged in a way that changes nothing."""
    text = damage(prefixed(text, prefix))
    try:
        result = by_pattern(text, prefix=prefix)
    except FileProblem:  # an index that is not in the shared strings
        return
    if result is not None:
        rows, hidden = by_parser(text, prefix)
        assert result[0] == rows
        # The parser leaves out rows without values.
        assert result[1] & frozenset(rows) == hidden & frozenset(rows)


ROW = (
    '<row r="7" spans="1:3" ht="15" y:dyDescent="0.25"><c r="A7" s="1" t="s"><v>1</v></c>'
    '<c r="B7" t="inlineStr"><is><t xml:space="preserve"> x</t></is></c><c r="C7" s="3"/>'
    '<c r="D7" t="str" s="1"><f>A7&amp;"x"</f><v>ax</v></c><c r="F7"><f>B7</f></c>'
    '<c r="XFD7" s="2"/></row>\n<row r="9" s="1" customFormat="1"/>'
)


@pytest.mark.parametrize("prefix", ["", "x:"])
@pytest.mark.parametrize(
    "text",
    [
        ROW,
        ROW.replace("/>", " />"),
        ROW.replace('s="3"/>', 's="3"></c>').replace('s="2"/>', 's="2"></c>'),
        ROW.replace('0.25">', '0.25">\r\n').replace("</row>", "</row>\r\n"),
        ROW.replace('<row r="9"', '<row r="9" hidden="1"'),
        ROW.replace('t="s"', 't="s" cm="1" vm="2"').replace('<c r="F7">', '<c r="F7" ph="1">'),
    ],
    ids=["usual", "blanks before the slash", "end tags", "Apache POI", "hidden", "dynamic arrays"],
)
def test_rows_of_programs_need_no_parser(text: str, prefix: str) -> None:
    text = prefixed(text, prefix)
    result = by_pattern(text, 8, prefix)
    assert result is not None
    assert result[0] == by_parser(text, prefix)[0]
    assert result[0][7] == {
        0: Cell(Kind.TEXT, "two & more"),
        1: Cell(Kind.TEXT, " x"),
        3: Cell(Kind.TEXT, "ax"),
        5: Cell(Kind.NO_RESULT, "=B7"),
    }
    assert result[1] == ({9} if "hidden" in text else set())


@pytest.mark.parametrize(
    "text",
    [
        "<row r='1'><c r='A1'><v>1</v></c></row>",
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>',
        '<row r="2"/><row r="1"/>',
        '<row r="1"><c r="A2"><v>1</v></c></row>',
        '<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>',
        '<row r="1"><c r="I1"><v>1</v></c></row>',
        '<row r="1"><c r="XFE1"/></row>',
        '<row r="1048577"/>',
        '<row r="01"/>',
        '<row r="1" r="2"/>',
        '<row r="1" xmlns="urn:y"/>',
        '<row r="1" z:a="1"/>',
        '<row r="1"/>text<row r="2"/>',
        '<row r="1"/><c r="A1"/>',
        "<row/>",
        '<row r="1"><c><v>1</v></c></row>',
        '<row r="1"><!-- --></row>',
        'x<row r="1"/>',
        '<row r="1"><c r="A1"><v>1</v><v>2</v></c></row>',
        '<row r="1"><c r="A1" s="1" s="1"><v>1</v></c></row>',
        '<row r="1"><c r="A1" cm="1" cm="1"><v>1</v></c></row>',
        '<row r="1"><c r="A1"><v>1</v></c></row><rowBreaks/>',
    ],
)
def test_the_rest_is_the_parsers(text: str) -> None:
    assert by_pattern(text, 8) is None


@pytest.mark.parametrize(
    ("columns", "width"), [((), 0), (("I",), 16), (("ED", "XFD"), 256), (("AMJ",), 1024)]
)
def test_widths_come_in_steps(columns: tuple[str, ...], width: int) -> None:
    reader = SheetParser("sheet", DEFAULT_LIMITS)
    reader.feed(f'<worksheet xmlns="{MAIN}"><sheetData>'.encode())
    cells = "".join(f'<c r="{name}1"><v>1</v></c>' for name in columns)
    assert pattern_width(reader.rows(f'<row r="1">{cells}</row>'.encode())) == width
