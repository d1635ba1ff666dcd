"""The pattern and the parser read the same, and both read what openpyxl reads."""

import datetime as dt
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.model.cells import BLANK, Cell, Kind, letters
from feedtool.model.errors import FileProblem
from feedtool.sheets import DEFAULT_LIMITS, open_source
from feedtool.sheets.decode import Decoder
from feedtool.sheets.escapes import escape
from feedtool.sheets.events import Row, SheetEvents
from feedtool.sheets.plain import plain
from feedtool.sheets.scanner import Scanner, pattern_width
from feedtool.sheets.strings import SharedStrings
from feedtool.sheets.styles import Moment, Style

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OPENING = f'<worksheet xmlns="{MAIN}" xmlns:y="urn:y"><sheetData>'.encode()
CLOSING = b"</sheetData></worksheet>"
STYLES = (Style(), Style(percent=True), Style(Moment.DATE), Style(zeros=13))

Rows = dict[int, dict[int, Cell]]


def shared() -> SharedStrings:
    strings = SharedStrings()
    strings.extend([b"one", b"two &amp; more", "трі".encode()])
    return strings


DECODE = Decoder(shared, STYLES, date1904=False)


def by_pattern(text: str, width: int) -> tuple[Rows, frozenset[int]] | None:
    """The block's cells and hidden rows; None where the pattern hands it on."""
    if plain(text.encode()) is None:
        return None
    scan = Scanner({"y"}).read(text, width, 0)
    if scan is None:
        return None
    rows: Rows = {row: {} for row in scan.rows}
    for index, column in enumerate(scan.columns):
        for row, key in zip(scan.rows, column, strict=True):
            if (cell := DECODE(key)) != BLANK:
                rows[row][index] = cell
    return _without_blanks(rows), scan.hidden


def by_cells(text: str) -> tuple[Rows, frozenset[int]] | None:
    """The same, found cell by cell."""
    if plain(text.encode()) is None:
        return None
    scan = Scanner({"y"}).read_cells(text, 0)
    return None if scan is None else _of_rows(scan.rows)


def by_parser(text: str, prefix: str = "") -> tuple[Rows, frozenset[int]]:
    events = SheetEvents("sheet", DEFAULT_LIMITS)
    name = f":{prefix[:-1]}" if prefix else ""
    events.feed(f'<{prefix}worksheet xmlns{name}="{MAIN}" xmlns:y="urn:y">'.encode())
    events.feed(f"<{prefix}sheetData>".encode())
    rows = events.feed(text.encode())
    events.feed(f"</{prefix}sheetData></{prefix}worksheet>".encode())
    events.finish()
    return _of_rows(rows)


def _of_rows(rows: list[Row]) -> tuple[Rows, frozenset[int]]:
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


@given(block())
@settings(max_examples=100, deadline=None)
def test_pattern_and_parser_agree(text: str) -> None:
    found = by_pattern(text, 32)
    rows, hidden = by_parser(text)
    assert by_cells(text) in (None, (rows, hidden))
    if found is None:
        return
    assert found[0] == rows
    # The parser leaves out rows without values.
    assert found[1] & frozenset(rows) == hidden & frozenset(rows)


@given(
    block(),
    st.lists(
        st.tuples(
            st.integers(0, 2000),
            st.integers(0, 6),
            st.sampled_from(
                ["", "<", ">", "/", "&", '"', " ", "<v>", "</v>", "</c>", "<row ", "</row>", "A",
                 "1", "x:", "<c/>", "<!-- -->", "]]>", "\r", "\x01", 's="1"', ' xmlns="urn:y"',
                 "<f/>", "<row/>", "é", "٣"]
            ),
        ),
        max_size=3,
    ),
)  # fmt: skip
@settings(max_examples=120, deadline=None)
def test_what_the_pattern_accepts_the_parser_reads_alike(
    text: str, mutations: list[tuple[int, int, str]]
) -> None:
    """A damaged block is either handed on, or damaged in a way that changes nothing."""
    for at, length, inserted in mutations:
        place = at % len(text)
        text = text[:place] + inserted + text[place + length :]
        if not text:
            return
    try:
        found = [by_pattern(text, 32), by_cells(text)]
    except FileProblem:
        found = []
    for one in found:
        if one is not None:
            rows, _ = by_parser(text)
            assert one[0] == rows


def test_the_pattern_does_read_the_usual() -> None:
    """Not all is handed on, or the agreement would mean nothing."""
    text = (
        '<row r="7" spans="1:3" ht="15" y:dyDescent="0.25"><c r="A7" s="1" t="s"><v>1</v></c>'
        '<c r="B7" t="inlineStr"><is><t xml:space="preserve"> x</t></is></c><c r="C7" s="3"/>'
        '<c r="D7" t="str" s="1"><f>A7&amp;"x"</f><v>ax</v></c><c r="F7"><f>B7</f></c>'
        '<c r="XFD7" s="2"/></row>\n<row r="9" s="1" customFormat="1"/>'
    )
    found = by_pattern(text, 8)
    assert found is not None
    assert found == by_parser(text)
    assert found[0][7] == {
        0: Cell(Kind.TEXT, "two & more"),
        1: Cell(Kind.TEXT, " x"),
        3: Cell(Kind.TEXT, "ax"),
        5: Cell(Kind.NO_RESULT, "=B7"),
    }


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
        ' <row r="1"/>',
        '<row r="1"><c r="A1"><v>1</v><v>2</v></c></row>',
        '<row r="1"><c r="A1" s="1" s="1"><v>1</v></c></row>',
        '<row r="1"><c r="A1"><v>1</v></c></row><rowBreaks/>',
    ],
)
def test_the_pattern_hands_on(text: str) -> None:
    assert by_pattern(text, 8) is None


WIDE = "".join(
    f'<row r="{number}" spans="1:16384"{hidden}>'
    + "".join(f'<c r="{letters(index)}{number}" s="1"><v>{index}</v></c>' for index in columns)
    + "</row>\n"
    for number, hidden, columns in (
        (2, "", range(0, 16_384, 7)),
        (3, ' hidden="1"', (16_383,)),
        (9, "", (4, 2)),
        (10, "", ()),
    )
)


@pytest.mark.parametrize(
    "text",
    [
        WIDE,
        WIDE + '<row r="11"/>',
        WIDE.replace(' r="E9"', ""),
        WIDE.replace(' r="C9"', "") + "<row><c/><c><v>1</v></c></row>",
        WIDE.replace('<row r="9"', '<row r="7" ht="9"/><row/><row r="9"'),
        WIDE.replace('r="XFD3"', 'r="XFC3"').replace(
            '</v></c></row>\n<row r="9"', '</v></c><c><v>5</v></c></row>\n<row r="9"'
        ),
        '<row r="1"/>',
    ],
)
def test_any_row_is_read_cell_by_cell(text: str) -> None:
    assert by_cells(text) == by_parser(text)


def test_wide_and_ragged_rows_are_read_cell_by_cell() -> None:
    assert by_pattern(WIDE, 400) is None
    found = by_cells(WIDE)
    assert found is not None
    assert found == by_parser(WIDE)
    assert len(found[0][2]) == 2341
    assert list(found[1]) == [3]


@pytest.mark.parametrize(
    "text",
    [
        WIDE.replace('r="E9"', 'r="C9"'),
        WIDE.replace('r="E9"', 'r="E8"'),
        WIDE.replace('r="E9"', 'r="XFE9"'),
        WIDE.replace('<c r="E9"', '<d/><c r="E9"'),
        WIDE.replace('<c r="E9"', 'x<c r="E9"'),
        WIDE.replace('<row r="10"', '<row r="9"'),
        WIDE.replace('<row r="10"', '<row r="10" xmlns="urn:y"'),
        WIDE.replace('r="E9" s="1"', ' s="1" r="E9"'),
        WIDE.replace('r="XFD3"', 'r="XFC3"').replace(
            '</c></row>\n<row r="9"', '</c><c/><c/></row>\n<row r="9"'
        ),
        WIDE + '<row r="11">',
        WIDE + '<row r="11"/ >',
        "",
    ],
)
def test_whatever_else_is_the_parsers(text: str) -> None:
    assert by_cells(text) is None


def test_widths_come_in_steps() -> None:
    events = SheetEvents("sheet", DEFAULT_LIMITS)
    assert pattern_width([]) == 0
    events.feed(OPENING)
    cells = '<row r="1"><c r="I1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
    assert pattern_width(events.feed(cells.encode())) == 16


def value_of(cell: Cell) -> object:
    """As openpyxl would show it."""
    if cell.kind is Kind.NUMBER:
        return float(cell.text)
    if cell.kind is Kind.BOOLEAN:
        return cell.text == "TRUE"
    if cell.kind is Kind.DATE:
        return dt.datetime.fromisoformat(cell.text)
    return cell.text or None


FIRST_DAY = dt.datetime(1900, 3, 1)  # noqa: DTZ001 - a sheet's dates have no time zone

VALUE = (
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(-1e300, 1e300, allow_subnormal=False).map(lambda value: float(f"{value:.12g}"))
    | st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20).filter(
        lambda text: not text.startswith("=") and "_x" not in text and not text.startswith("#")
    )
    | st.integers(0, 10**11).map(lambda seconds: FIRST_DAY + dt.timedelta(seconds=seconds))
)


@given(
    table=st.lists(st.lists(VALUE, max_size=6), min_size=1, max_size=8), write_only=st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_as_openpyxl_wrote_it(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[object]], *, write_only: bool
) -> None:
    path = tmp_path_factory.mktemp("agreement") / "made.xlsx"
    book = openpyxl.Workbook(write_only=write_only)
    page = book.create_sheet("Offers") if write_only else book.active
    assert page is not None
    for row in table:
        page.append(row)
    book.save(path)
    expected = {
        (number, index): value
        for number, row in enumerate(table, 1)
        for index, value in enumerate(row)
        if value is not None and value != ""
    }
    assert {place: value_of(cell) for place, cell in _cells(path).items()} == expected


def _cells(path: Path) -> dict[tuple[int, int], Cell]:
    with open_source(path) as source:
        return {
            (row, index): cell
            for block in source.sheet(source.sheets[0].name).blocks()
            for index in range(block.width)
            for row, key in zip(block.rows, block.column(index), strict=True)
            if (cell := block.decode(key)) != BLANK
        }


def test_a_large_sheet_as_openpyxl_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "large.xlsx"
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in range(1, 3000):
        page.append([f"SKU-{row}", row, row / 7, row % 2 == 0, None, f"é & <{row % 50}>"])
    book.save(path)
    expected = {
        (cell.row, cell.column - 1): cell.value
        for cells in openpyxl.load_workbook(path).worksheets[0].iter_rows()
        for cell in cells
        if cell.value is not None
    }
    found = {place: value_of(cell) for place, cell in _cells(path).items()}
    assert found == expected
