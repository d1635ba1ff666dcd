"""A copy of a workbook with everything in it; the corpus shows that all else is what it was."""

from pathlib import Path

import openpyxl
import pytest

from feedtool.check import HEADINGS
from feedtool.model.errors import UsageProblem
from feedtool.sheets.annotate import Link, Note, SheetNotes, Summary, annotate
from tests.corpus.books import SECOND, openpyxl_writes_all
from tests.sheets.conftest import Make, Part

SUMMARY = Summary(
    "feedtool summary",
    [
        ["3 rows checked"],
        ["Code", "Rows", "First"],
        ["gtin-checksum", 2, Link("B4", "Offers", "B4")],
        ["=cmd", 1, Link("'x", SECOND, "A2")],
    ],
    frozenset({0, 1}),
)


def notes() -> list[Note]:
    return [
        Note(3, "Valid", "", ""),
        Note(4, "Invalid", "the check digit is wrong", "gtin-checksum", ((1, "error"),)),
        Note(5, "Invalid", "=1+1", "gtin-checksum", ((1, "error"), (3, "warning"))),
    ]


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    path = tmp_path / "rich.xlsx"
    path.write_bytes(openpyxl_writes_all())
    return path


@pytest.fixture
def copy(rich: Path, annotated: Make) -> Path:
    return annotated(rich, notes(), summary=SUMMARY)


def test_ours_stand_behind_the_last_used_column_as_text(copy: Path) -> None:
    sheet = openpyxl.load_workbook(copy)["Offers"]
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


def test_guilty_cells_are_coloured_and_keep_their_style(rich: Path, copy: Path) -> None:
    before, after = (openpyxl.load_workbook(path)["Offers"] for path in (rich, copy))
    assert after["B4"].style_id == before["B4"].style_id
    ours = {
        str(formats.sqref): rule.dxf.fill.bgColor.rgb
        for formats in after.conditional_formatting
        for rule in formats.rules
        if rule.formula == ['LEN("feedtool")>0']
    }
    assert ours == {"B4:B5": "FFFFC7CE", "D5": "FFFFEB9C"}


def test_the_summary_comes_last_and_its_links_lead_to_the_cells(copy: Path) -> None:
    sheet = openpyxl.load_workbook(copy)["feedtool summary"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["3 rows checked", None, None],
        ["Code", "Rows", "First"],
        ["gtin-checksum", 2, "B4"],
        ["=cmd", 1, "'x"],
    ]
    assert sheet["C3"].hyperlink.location == "'Offers'!B4"
    assert sheet["C4"].hyperlink.location == "'Über ''m & <b>'!A2"
    assert sheet["A2"].font.bold
    assert not sheet["A3"].font.bold
    assert sheet["A4"].data_type == "s"


def test_annotating_the_copy_again_changes_nothing(copy: Path, annotated: Make) -> None:
    again = annotated(copy, notes(), summary=SUMMARY, name="again.xlsx")
    assert again.read_bytes() == copy.read_bytes()


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
