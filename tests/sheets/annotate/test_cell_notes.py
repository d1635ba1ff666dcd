"""Notes in cells, as openpyxl reads them: ours beside those that are there."""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment

from feedtool.check import HEADINGS
from feedtool.sheets.annotate import Note, SheetNotes, annotate
from tests.corpus.books import SHEET
from tests.corpus.made import RELS, data, relationships
from tests.sheets.conftest import Make

ROWS = "".join(
    f'<row r="{row}"><c r="A{row}"><v>1</v></c><c r="B{row}"><v>2</v></c></row>' for row in (1, 2)
)
RELATIONS, BOXES = "xl/worksheets/_rels/sheet1.xml.rels", "xl/boxes.vml"
Texts = dict[str, tuple[str, str]]


def noted(source: Path, notes: Mapping[tuple[int, int], str], name: str = "noted.xlsx") -> Path:
    target = source.with_name(name)
    sheet = SheetNotes("Offers", 1, HEADINGS, [Note(2, "", "", "")], dict(notes))
    annotate(source, target, [sheet])
    return target


def texts(path: Path) -> Texts:
    """Each note's text and author by its cell, and a box for each in the drawing."""
    with zipfile.ZipFile(path) as package:
        drawings = [package.read(name) for name in package.namelist() if name.endswith(".vml")]
    found = {
        cell.coordinate: (cell.comment.text, cell.comment.author)
        for row in load_workbook(path)["Offers"].iter_rows()
        for cell in row
        if cell.comment
    }
    assert sum(len(re.findall(rb"<\w+:Row>", drawing)) for drawing in drawings) == len(found)
    return found


def test_a_sheet_without_notes_gets_some(make_sheet: Make) -> None:
    copy = noted(make_sheet(ROWS), {(2, 0): "was “<&>”", (2, 1): "was blank"})
    assert texts(copy) == {"A2": ("was “<&>”", "feedtool"), "B2": ("was blank", "feedtool")}
    with zipfile.ZipFile(copy) as package:
        types = package.read("[Content_Types].xml").decode()
        sheet = package.read(SHEET).decode()
    assert 'Extension="vml"' in types
    assert "spreadsheetml.comments+xml" in types
    assert sheet.index("</sheetData>") < sheet.index("legacyDrawing")


@pytest.fixture
def commented(tmp_path: Path) -> Path:
    """A workbook with a note of the user's, in the way of openpyxl."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Offers"
    sheet.append(["sku", "price"])
    sheet.append(["A", 1])
    sheet["B2"].comment = Comment("look", "someone")
    workbook.save(tmp_path / "commented.xlsx")
    return tmp_path / "commented.xlsx"


def test_notes_of_the_users_stay_and_have_their_cell_alone(commented: Path) -> None:
    once = noted(commented, {(2, 0): "was 1", (2, 1): "was 2"})
    assert texts(once) == {"A2": ("was 1", "feedtool"), "B2": ("look", "someone")}
    twice = noted(once, {(2, 0): "was 3", (1, 0): "was 4"}, "twice.xlsx")
    assert texts(twice) == texts(once) | {"A1": ("was 4", "feedtool")}


def test_the_drawing_stands_where_the_schema_has_it(make_sheet: Make) -> None:
    tail = '<pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/><extLst/>'
    source = make_sheet(sheet=data(ROWS, after=tail))
    with zipfile.ZipFile(noted(source, {(2, 0): "x"})) as package:
        sheet = package.read(SHEET).decode()
    assert sheet.index("<pageMargins") < sheet.index("<legacyDrawing") < sheet.index("<extLst")


def drawn(make_package: Make, boxes: str, relation: str = "rId1") -> Path:
    """A workbook whose sheet names a drawing of boxes."""
    drawing = f'<legacyDrawing xmlns:r="{RELS}" r:id="{relation}"/>'
    return make_package(
        {
            SHEET: data(ROWS, after=drawing),
            RELATIONS: relationships(("rId1", "vmlDrawing", "../boxes.vml")),
            BOXES: boxes,
        }
    )


@pytest.mark.parametrize(
    ("boxes", "relation"),
    [("<xml></xml>", "rId9"), ("<v:xml/>", "rId1")],
    ids=["its part is not there", "it is of an unknown sort"],
)
def test_a_drawing_that_nothing_can_be_added_to_stays(
    make_package: Make, boxes: str, relation: str
) -> None:
    copy = noted(drawn(make_package, boxes, relation), {(2, 0): "x"})
    with zipfile.ZipFile(copy) as package:
        assert not [name for name in package.namelist() if "comments" in name]
        assert package.read(BOXES).decode() == boxes


def test_a_drawing_of_excels_which_is_no_xml(make_package: Make) -> None:
    boxes = '<xml><v:shapetype id="_x0000_t202"><br></v:shapetype><v:shape id="_x0000_s1025"/>'
    copy = noted(drawn(make_package, f"{boxes}</xml>"), {(2, 0): "x"})
    with zipfile.ZipFile(copy) as package:
        written = package.read(BOXES).decode()
    assert written.startswith(boxes)
    assert written.count("<v:shapetype") == 1
    assert 'id="_x0000_s1026"' in written
