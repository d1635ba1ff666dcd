"""A copy of a workbook with everything in it; the corpus shows that all else is what it was."""

import re
from pathlib import Path

import openpyxl
import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

from feedtool.check import HEADINGS
from feedtool.model.errors import UsageProblem
from feedtool.sheets.annotate import (
    DataBar,
    Finish,
    Link,
    Note,
    SheetNotes,
    Styled,
    Summary,
    annotate,
)
from feedtool.sheets.read.errors import CorruptXml, GridOutOfRange
from tests.corpus.books import SECOND, SHEET, openpyxl_writes_all
from tests.corpus.made import MAIN, data, relationships
from tests.pairs import sample
from tests.sheets.conftest import Make, Part, Values

SUMMARY = Summary(
    "feedtool summary",
    [
        [Styled("3 rows checked", "title")],
        [Styled(heading, "band") for heading in ("Code", "Rows", "First", "Status", "")],
        ["gtin-checksum", 2, Link("B4", "Offers", "B4"), Link("row 4", "Offers", "4")],
        ["=cmd", DataBar(1, 3, "bad"), Link("'x", SECOND, "A2"), "two\nlines " * 9],
    ],
    (20, 9, 9, 12, 5),
)


def notes() -> list[Note]:
    return [
        Note(3, "Valid", "", "", outcome="good"),
        Note(4, "Invalid", "the check digit is wrong", "gtin-checksum", ((1, "error"),)),
        Note(5, "Invalid", "=1+1", "gtin-checksum", ((1, "error"), (3, "warning"))),
    ]


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rich") / "rich.xlsx"
    path.write_bytes(openpyxl_writes_all())
    return path


@pytest.fixture(scope="module")
def copy(rich: Path) -> Path:
    target = rich.with_name("copy.xlsx")
    annotate(rich, target, [SheetNotes("Offers", 1, HEADINGS, notes())], SUMMARY)
    return target


@pytest.fixture(scope="module")
def book(copy: Path) -> Workbook:
    """The copy as another library reads it."""
    return openpyxl.load_workbook(copy)


def test_our_columns_follow_the_last_used_one_as_text(book: Workbook) -> None:
    sheet = book["Offers"]
    shown = [[sheet.cell(row, column).value for column in (7, 8, 9)] for row in range(1, 7)]
    assert shown == [
        list(HEADINGS),
        [None, None, None],
        ["Valid", None, None],
        ["Invalid", "the check digit is wrong", "gtin-checksum"],
        ["Invalid", "=1+1", "gtin-checksum"],
        [None, None, None],
    ]
    formula = sheet["H5"]
    assert (formula.data_type, formula.number_format, formula.quotePrefix) == ("s", "@", True)


def test_guilty_cells_are_coloured_and_keep_their_style(rich: Path, book: Workbook) -> None:
    before, after = openpyxl.load_workbook(rich)["Offers"], book["Offers"]
    assert after["B4"].style_id == before["B4"].style_id
    ours = {
        str(formats.sqref): rule.dxf.fill.bgColor.rgb
        for formats in after.conditional_formatting
        for rule in formats.rules
        if rule.formula == ['LEN("feedtool")>0']
    }
    assert ours == {"B4:B5": "FFFFC7CE", "D5": "FFFFEB9C"}


@pytest.mark.parametrize(
    ("finish", "fill", "is_wrapped"), [("full", "FFC6EFCE", True), ("bare", "00000000", None)]
)
def test_statuses_are_coloured_and_messages_wrapped(
    rich: Path, annotated: Make, finish: Finish, fill: str, is_wrapped: object
) -> None:
    lines = Note(4, "Invalid", "the check digit\nthe price", "")
    sheet = openpyxl.load_workbook(annotated(rich, [notes()[0], lines], finish=finish))["Offers"]
    assert sheet["G3"].fill.fgColor.rgb == fill
    assert sheet["H4"].alignment.wrap_text is is_wrapped
    assert sheet["H4"].value.split("\n" if is_wrapped else "; ") == ["the check digit", "the price"]


LONG = "a message that is longer than a line of its column, " * 3
LINES = {
    "one line": ("the price", "", 11, None),
    "two lines": ("the check digit\nthe price", "", 11, 30.01),
    "a long line": (LONG, "", 11, 30.01),
    "of a larger font": ("the check digit\nthe price", "", 14, 39.01),
    "more than any row can show": ("\n".join("abcdefghijklmnopqrstuvwxyz" * 2), "", 11, 408.01),
    "a height of the user's own": ("the check digit\nthe price", ' ht="40"', 11, 40),
    "one that is meant": (LONG, " ht='12.5' customHeight='1'", 11, 12.5),
    "a cell of the user's that is wrapped, too": ("the check digit\nthe price", "w", 11, None),
}
"""A message, attributes of its row, the size of the workbook's font, and the row's height."""
OTHERWISE = ("two lines", "a height of the user's own", "one that is meant")
"""The lines for the parser that the other ones differ little from."""
BOTH = [
    *((name, True) for name in LINES),
    *((name, False) for name in (*OTHERWISE, *(it for it in LINES if it not in OTHERWISE))),
]
"""Each is read by a pattern, or by a parser."""


@pytest.mark.parametrize(("name", "is_plain"), sample(BOTH, len(LINES) + 3))
def test_a_row_is_as_high_as_its_message_where_it_states_no_height(
    *,
    make_sheet: Make,
    annotated: Make,
    part: Part,
    name: str,
    is_plain: bool,
) -> None:
    message, stated, size, height = LINES[name]
    styles = (
        f'<fonts><font><sz val="{size}"/></font></fonts><cellXfs><xf/><xf>'
        '<alignment wrapText="1"/></xf></cellXfs>'
    )
    style = ' s="1"' if stated == "w" else ""
    attributes = "" if stated == "w" else stated
    rows = row(1, '<c r="A1"><v>1</v></c>') + (
        f'<row r="2"{attributes}><c r="A2"{style}><v>2</v></c></row>'
    )
    source = make_sheet(rows if is_plain else f"<!-- by hand -->{rows}", styles=styles)
    copy = annotated(source, [Note(2, "Invalid", message, "")])
    assert height_of(part(copy)) == height
    own = height if attributes else None
    bare = annotated(source, [Note(2, "Invalid", message, "")], name="bare.xlsx", finish="bare")
    assert height_of(part(bare)) == own
    again = annotated(copy, [Note(2, "Valid", "", "")], name="again.xlsx")
    assert height_of(part(again)) == own
    same = annotated(copy, [Note(2, "Invalid", message, "")], name="same.xlsx")
    assert same.read_bytes() == copy.read_bytes()


def test_our_earlier_message_in_any_format_does_not_count_for_the_height(
    make_sheet: Make, annotated: Make, part: Part
) -> None:
    """A program that saves our copy numbers the formats anew."""
    styles = '<cellXfs><xf/><xf><alignment wrapText="1"/></xf></cellXfs>'
    headings = "".join(
        f'<c r="{letter}1" t="inlineStr"><is><t>{heading}</t></is></c>'
        for letter, heading in zip("BCD", HEADINGS, strict=True)
    )
    earlier = '<c r="C2" s="1" t="inlineStr"><is><t>the price</t></is></c>'
    rows = row(1, f'<c r="A1"><v>1</v></c>{headings}') + row(2, f'<c r="A2"><v>2</v></c>{earlier}')
    notes = [Note(2, "Invalid", "the check digit\nthe price", "")]
    copy = annotated(make_sheet(rows, styles=styles), notes)
    assert height_of(part(copy)) == 30.01
    assert annotated(copy, notes, name="again.xlsx").read_bytes() == copy.read_bytes()


@pytest.mark.parametrize("before", ["", "<!-- by hand -->"])
def test_cells_keep_a_format_that_no_workbook_has(
    make_sheet: Make, annotated: Make, part: Part, before: str
) -> None:
    many = "9" * 5000
    styles = '<cellXfs><xf/><xf><alignment wrapText="1"/></xf></cellXfs>'
    rows = row(1, f'<c r="A1" s="{many}"><v>1</v></c>') + row(2, f'<c r="A2" s="{many}"/>')
    copy = annotated(
        make_sheet(before + rows, styles=styles),
        [Note(2, "Invalid", "the check digit\nthe price", "")],
    )
    assert part(copy).count(many.encode()) == 2
    assert height_of(part(copy)) == 30.01


def height_of(sheet: bytes) -> float | None:
    height = re.search(rb"""<row r="2"[^>]*\sht=["']([0-9.]+)["']""", sheet)
    return float(height[1]) if height else None


def test_our_headings_look_like_those_beside_them(
    rich: Path, tmp_path: Path, annotated: Make
) -> None:
    book = openpyxl.load_workbook(rich)
    last = book["Offers"]["F1"]
    last.value, last.font = "last", Font(name="Arial", size=13, italic=True)
    book.save(tmp_path / "styled.xlsx")
    copy = annotated(tmp_path / "styled.xlsx", notes())
    sheet = openpyxl.load_workbook(copy)["Offers"]
    assert [sheet[f"{name}1"].font.italic for name in "FGHI"] == [True] * 4
    assert annotated(copy, notes(), name="again.xlsx").read_bytes() == copy.read_bytes()


def test_headings_that_stood_in_the_row_of_keys_move_to_that_of_labels(
    make_sheet: Make, annotated: Make, values: Values
) -> None:
    rows = (row(number, f'<c r="A{number}"><v>{number}</v></c>') for number in (1, 2, 3))
    source = make_sheet("".join(rows))
    earlier = annotated(source, [Note(3, "old", "", "")], header_row=2, name="earlier.xlsx")
    lower = annotated(earlier, [Note(3, "new", "", "")], last_header_row=2)
    assert values(lower) == {
        **{(number, 0): str(number) for number in (1, 2, 3)},
        **{(1, column): heading for column, heading in enumerate(HEADINGS, 1)},
        (3, 1): "new",
    }


def test_the_summary_comes_last_and_its_links_lead_to_the_cells(book: Workbook) -> None:
    sheet = book["feedtool summary"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["3 rows checked", *[None] * 4],
        ["Code", "Rows", "First", "Status", None],
        ["gtin-checksum", 2, "B4", "row 4", None],
        ["=cmd", 1, "'x", "two\nlines " * 9, None],
    ]
    links = {place: sheet[place].hyperlink.location for place in ("C3", "D3", "C4")}
    assert links == {"C3": "'Offers'!B4", "D3": "'Offers'!G4", "C4": "'Über ''m & <b>'!A2"}
    assert (sheet["A2"].font.bold, sheet["A3"].font.bold) == (True, False)
    assert sheet["E2"].fill.fgColor.rgb == sheet["A2"].fill.fgColor.rgb
    assert sheet["A4"].data_type == "s"
    heights = [sheet.row_dimensions[number].height for number in range(1, 5)]
    assert heights == [30, 21, 18, 18 + 9 * 15]
    assert sheet.column_dimensions["A"].width == 20


def test_a_bar_shows_its_share(book: Workbook) -> None:
    sheet = book["feedtool summary"]
    (rule,) = sheet.conditional_formatting["B4"]
    assert [entry.val for entry in rule.dataBar.cfvo] == [0, 3]


LINKED = '<hyperlinks><hyperlink ref="A1" location="Offers!A2"/></hyperlinks>'
BACK = "'feedtool summary'!A1"


@pytest.mark.parametrize("after", ["", LINKED, '<dataValidations count="0"/>'])
def test_the_first_row_to_correct_leads_back_to_the_summary(
    make_sheet: Make, annotated: Make, part: Part, after: str
) -> None:
    bad = [Note(row, "Invalid", "", "", outcome="bad") for row in (2, 3)]
    source = make_sheet(sheet=data(HEADER + DATA + DATA.replace("2", "3"), after=after))
    copy = annotated(source, bad, summary=SUMMARY)
    sheet = openpyxl.load_workbook(copy)["Offers"]
    links = {
        cell.coordinate: cell.hyperlink.location
        for cells in sheet.iter_rows()
        for cell in cells
        if cell.hyperlink
    }
    assert links == ({"A1": "Offers!A2"} if after == LINKED else {}) | {"C2": BACK}
    assert annotated(copy, bad, summary=SUMMARY, name="again.xlsx").read_bytes() == (
        copy.read_bytes()
    )
    good = annotated(copy, [], summary=SUMMARY, name="good.xlsx")
    assert part(good) == part(annotated(source, [], summary=SUMMARY, name="never.xlsx"))


def test_other_notes_replace_the_earlier_ones(copy: Path, annotated: Make, part: Part) -> None:
    fewer = [Note(4, "Integrated", "done", "8000")]
    again = annotated(copy, fewer, summary=SUMMARY, name="again.xlsx")
    sheet = openpyxl.load_workbook(again)["Offers"]
    assert [sheet.cell(4, column).value for column in (7, 8, 9)] == ["Integrated", "done", "8000"]
    assert [sheet.cell(5, column).value for column in range(7, 13)] == [None] * 6
    assert b'LEN("feedtool")' not in part(again)
    assert part(again, "xl/styles.xml") == part(copy, "xl/styles.xml")


def test_several_sheets_at_once(rich: Path, tmp_path: Path) -> None:
    target = tmp_path / "both.xlsx"
    second = SheetNotes(SECOND, 1, HEADINGS, [Note(2, "Valid", "", "")])
    annotate(rich, target, [SheetNotes("Offers", 1, HEADINGS, notes()), second], SUMMARY)
    book = openpyxl.load_workbook(target)
    assert book["Offers"]["G3"].value == "Valid"
    assert book[SECOND]["F2"].value == "Valid", "behind the table, which reaches to E"
    assert book[SECOND].tables["T"].ref == "A1:E2"


def test_a_sheet_that_is_not_there(rich: Path, annotated: Make) -> None:
    with pytest.raises(UsageProblem, match="no sheet “Nowhere”"):
        annotated(rich, [], sheet="Nowhere")


HEADER = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'
DATA = '<row r="2"><c r="A2"><v>3</v></c></row>'


def row(number: int, inner: str) -> str:
    return f'<row r="{number}">{inner}</row>'


WIDTHS = {
    "header cells": ("", "", 2),
    "a value in a single row": (row(3, '<c r="E3"><v>1</v></c>'), "", 5),
    "a formula without a result": (row(3, '<c r="E3"><f>A1</f></c>'), "", 5),
    "an empty text is a value too": (row(3, '<c r="E3" t="str"><v></v></c>'), "", 5),
    "formatted but empty": (row(3, '<c r="E3" s="1"/><c r="F3" s="1"></c>'), "", 2),
    "a format beyond a value": (row(3, '<c r="D3"><v>1</v></c><c r="XFD3" s="1"/>'), "", 4),
    "up to the last columns": (row(3, '<c r="XFA3"><v>1</v></c>'), "", 16_381),
    "merged cells": ("", '<mergeCells><mergeCell ref="A1:G2"/></mergeCells>', 7),
    "an autofilter": ("", '<autoFilter ref="$A$1:$H$2"/>', 8),
    "empty, with a blank in its end tag": (row(3, '<c r="E3" s="1"></c ><c r="F3"/>'), "", 2),
    "a validation does not count": (
        "",
        '<dataValidations><dataValidation sqref="A1:Z9"/></dataValidations>',
        2,
    ),
}
PARSED = ("formatted but empty", "a formula without a result", "merged cells", "header cells")
"""The sheets that a parser reads in the usual run, too."""
COMMENT = "<!-- only a parser can read this -->"


@pytest.mark.parametrize(
    ("name", "comment"),
    sample(
        [
            *((name, "") for name in WIDTHS),
            *((name, COMMENT) for name in (*PARSED, *sorted({*WIDTHS} - {*PARSED}))),
        ],
        len(WIDTHS) + len(PARSED),
    ),
)
def test_behind_the_last_used_column(
    make_sheet: Make, annotated: Make, values: Values, name: str, comment: str
) -> None:
    more, after, first = WIDTHS[name]
    source = make_sheet(HEADER + DATA + more + comment, after=after)
    found = values(annotated(source, [Note(2, "Valid", "", "")]))
    assert [found.get((1, first + place)) for place in (-1, 0, 1, 2)][1:] == list(HEADINGS)
    assert found[2, first] == "Valid"


def test_behind_a_table(make_package: Make, annotated: Make) -> None:
    table = ("a", "table", "../tables/table1.xml")
    parts = {
        SHEET: data(HEADER),
        "xl/worksheets/_rels/sheet1.xml.rels": relationships(table),
        "xl/tables/table1.xml": f'<table xmlns="{MAIN}" ref="A1:K9" name="t"/>',
    }
    sheet = openpyxl.load_workbook(annotated(make_package(parts)))["Offers"]
    assert sheet["L1"].value == "feedtool status"


def test_a_title_merged_over_whole_rows_leaves_room(
    make_sheet: Make, annotated: Make, values: Values
) -> None:
    merge = '<mergeCells><mergeCell ref="A1:XFD1"/></mergeCells>'
    title = '<row r="1"><c r="A1"><v>1</v></c></row>'
    source = make_sheet(title + DATA, after=merge)
    assert values(annotated(source, header_row=2))[2, 1] == "feedtool status"


@pytest.mark.parametrize("used", ["XFB", "XFC", "XFD"])
def test_no_room(make_sheet: Make, annotated: Make, used: str) -> None:
    cells = f'<c r="A1"><v>1</v></c><c r="{used}1"><v>1</v></c>'
    with pytest.raises(UsageProblem, match=f"used up to column {used}") as caught:
        annotated(make_sheet(row(1, cells)))
    assert caught.value.hint


SHARED = "".join(f"<si><t>{heading}</t></si>" for heading in HEADINGS)


def shared(*columns: str) -> str:
    """Our headings as another program writes them when it saves the copy."""
    return "".join(
        f'<c r="{column}1" t="s"><v>{index}</v></c>' for index, column in enumerate(columns)
    )


EARLIER = {
    "where they are, with the user's column behind": (
        shared("B", "C", "D") + '<c r="E1"><v>9</v></c>',
        '<c r="B2"><v>7</v></c><c r="C2"><v>7</v></c><c r="E2"><v>8</v></c>',
        {(1, 1): 0, (1, 2): 1, (1, 3): 2, (1, 4): "9", (2, 1): "new", (2, 4): "8"},
    ),
    "in another order": (
        shared("D", "B", "C"),
        '<c r="B2"><v>7</v></c><c r="C2"><v>7</v></c><c r="D2"><v>7</v></c>',
        {(1, 3): 0, (1, 1): 1, (1, 2): 2, (2, 3): "new"},
    ),
    "not all of them": (
        shared("B", "C"),
        '<c r="B2"><v>7</v></c><c r="C2"><v>7</v></c>',
        {(1, 3): 0, (1, 4): 1, (1, 5): 2, (2, 3): "new"},
    ),
    "one of them twice": (
        shared("B", "C", "D") + '<c r="E1" t="s"><v>0</v></c>',
        '<c r="B2"><v>7</v></c><c r="E2"><v>7</v></c>',
        {(1, 1): 0, (1, 2): 1, (1, 3): 2, (2, 1): "new"},
    ),
}


@pytest.mark.parametrize(("header", "cells", "wanted"), EARLIER.values(), ids=EARLIER)
@pytest.mark.parametrize("comment", ["", "<!-- only a parser can read this -->"])
def test_earlier_columns_are_replaced(
    make_sheet: Make,
    annotated: Make,
    values: Values,
    header: str,
    cells: str,
    wanted: dict[tuple[int, int], int | str],
    comment: str,
) -> None:
    rows = row(1, '<c r="A1"><v>1</v></c>' + header) + row(2, '<c r="A2"><v>3</v></c>' + cells)
    source = make_sheet(rows + comment, strings=SHARED)
    notes = [Note(2, "new", "", "")]
    copy = annotated(source, notes)
    texts = {
        place: HEADINGS[text] if isinstance(text, int) else text for place, text in wanted.items()
    }
    assert values(copy) == {(1, 0): "1", (2, 0): "3", **texts}
    assert annotated(copy, notes, name="again.xlsx").read_bytes() == copy.read_bytes()


def test_cells_above_the_headings_are_the_user_s(
    make_sheet: Make, annotated: Make, values: Values
) -> None:
    rows = row(1, '<c r="B1"><v>5</v></c>') + row(2, '<c r="A2"><v>1</v></c>').replace(
        "</row>", shared("B", "C", "D").replace('1" t', '2" t') + "</row>"
    )
    found = values(annotated(make_sheet(rows, strings=SHARED), header_row=2))
    assert found == {
        (0 + 1, 1): "5",
        (2, 0): "1",
        **{(2, 1 + i): h for i, h in enumerate(HEADINGS)},
    }


@pytest.mark.parametrize("comment", ["", "<!-- -->"])
def test_rows_in_disorder_are_refused(make_sheet: Make, annotated: Make, comment: str) -> None:
    with pytest.raises(CorruptXml, match="row 1 comes after row 2"):
        annotated(make_sheet(DATA + comment + HEADER))


@pytest.mark.parametrize(
    "cells", [row(1, '<c r="XFE1"><v>1</v></c>'), row(1048577, '<c r="A1048577"><v>1</v></c>')]
)
def test_cells_beyond_the_grid_are_refused(make_sheet: Make, annotated: Make, cells: str) -> None:
    with pytest.raises(GridOutOfRange):
        annotated(make_sheet(cells))


@pytest.mark.parametrize("rows", [[3, 2], [2, 2], [1], [9]])
@pytest.mark.parametrize("comment", ["", "<!-- -->"])
def test_notes_that_fit_no_row_are_the_callers_mistake(
    make_sheet: Make, annotated: Make, tmp_path: Path, rows: list[int], comment: str
) -> None:
    source = make_sheet(HEADER + DATA + row(3, "") + comment)
    with pytest.raises(ValueError, match="row"):
        annotated(source, [Note(number, "Valid", "", "") for number in rows])
    assert list(tmp_path.iterdir()) == [source]
