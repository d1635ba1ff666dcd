"""Notes in cells, as openpyxl reads them: ours alone, or those that were there."""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment

from feedtool.check import HEADINGS
from feedtool.sheets.annotate import Finish, Note, SheetNotes, annotate
from feedtool.sheets.annotate.cell_notes import LONGEST
from feedtool.sheets.annotate.notes import MOST_COMMENTS
from tests.corpus.books import SHEET
from tests.corpus.made import RELS, data, relationships
from tests.corpus.made import package as package_of
from tests.sheets.conftest import Make

ROWS = "".join(
    f'<row r="{row}"><c r="A{row}"><v>1</v></c><c r="B{row}"><v>2</v></c></row>' for row in (1, 2)
)
RELATIONS, BOXES = "xl/worksheets/_rels/sheet1.xml.rels", "xl/boxes.vml"
Texts = dict[str, tuple[str, str]]
NOTES = {0: "was “<&>”", 1: "the price\nis missing"}
SHOWN = {
    "A2": ("feedtool: was “<&>”", "feedtool"),
    "B2": ("feedtool: the price\nis missing", "feedtool"),
}


def noted(
    source: Path, texts: Mapping[int, str], name: str = "noted.xlsx", finish: Finish = "full"
) -> Path:
    """A copy with notes in the cells of row 2, by their columns."""
    target = source.with_name(name)
    note = Note(2, "", "", "", comments=tuple(texts.items()))
    annotate(source, target, [SheetNotes("Offers", 1, HEADINGS, [note])], finish=finish)
    return target


def parts_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def shown(path: Path) -> Texts:
    """Each note's text and author by its cell, and a box for each in the drawing."""
    drawings = [data for name, data in parts_of(path).items() if name.endswith(".vml")]
    found = {
        cell.coordinate: (cell.comment.text, cell.comment.author)
        for row in load_workbook(path)["Offers"].iter_rows()
        for cell in row
        if cell.comment
    }
    assert sum(len(re.findall(rb"<\w+:Row>", drawing)) for drawing in drawings) == len(found)
    return found


def test_a_sheet_without_notes_gets_some(make_sheet: Make) -> None:
    copy = noted(make_sheet(ROWS), NOTES)
    assert shown(copy) == SHOWN
    sheet = parts_of(copy)[SHEET].decode()
    assert sheet.index("</sheetData>") < sheet.index("legacyDrawing")


def test_annotated_again_it_has_only_the_new_ones(make_sheet: Make) -> None:
    source = make_sheet(ROWS)
    once = noted(source, NOTES)
    assert noted(once, NOTES, "twice.xlsx").read_bytes() == once.read_bytes()
    fewer = noted(once, {1: "else"}, "fewer.xlsx")
    assert fewer.read_bytes() == noted(source, {1: "else"}, "one.xlsx").read_bytes()


@pytest.mark.parametrize("finish", ["plain", "bare"])
def test_a_plain_copy_takes_them_back_and_has_none(make_sheet: Make, finish: Finish) -> None:
    source = make_sheet(ROWS)
    after = parts_of(noted(noted(source, NOTES), NOTES, "after.xlsx", finish))
    assert after == parts_of(noted(source, NOTES, "plain.xlsx", finish))
    assert not [name for name in after if "comments" in name or name.endswith((".vml", SHEETS))]


SHEETS = "sheet1.xml.rels"


def test_our_notes_are_known_after_another_program_wrote_them(make_sheet: Make) -> None:
    saved = noted(make_sheet(ROWS), NOTES)
    load_workbook(saved).save(saved)
    assert shown(saved).keys() == SHOWN.keys()
    assert shown(noted(saved, {1: "else"}, "again.xlsx")) == {
        "B2": ("feedtool: else", "feedtool"),
    }


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


def test_a_sheet_with_notes_of_its_own_keeps_them_and_gets_none(commented: Path) -> None:
    before, after = parts_of(commented), parts_of(noted(commented, NOTES))
    assert {name: after[name] for name in before if "omment" in name} == {
        name: before[name] for name in before if "omment" in name
    }
    assert shown(commented) == {"B2": ("look", "someone")}


def test_a_note_of_the_user_s_among_ours_keeps_all(make_sheet: Make) -> None:
    saved = noted(make_sheet(ROWS), NOTES)
    workbook = load_workbook(saved)
    workbook["Offers"]["A1"].comment = Comment("look", "someone")
    workbook.save(saved)
    assert shown(noted(saved, {1: "else"}, "again.xlsx")).keys() == {"A1", "A2", "B2"}


DRAWING = f'<legacyDrawing xmlns:r="{RELS}" r:id="rId1"/>'
BOX = '<xml xmlns:v="v"><v:shape id="1"/></xml>'
OF_THEIRS = {
    "a drawing without notes": ((("rId1", "vmlDrawing", "../boxes.vml"),), BOX),
    "a drawing whose part is not there": ((), None),
    "threaded notes": ((("rId1", "threadedComment", "../threads.xml"),), None),
    "notes whose part is not there": (
        (("rId1", "vmlDrawing", "../boxes.vml"), ("rId2", "comments", "../texts.xml")),
        BOX,
    ),
    "two parts of notes": (
        (
            *(("rId1", "vmlDrawing", "../boxes.vml"), ("rId2", "comments", "../texts.xml")),
            ("rId3", "comments", "../more.xml"),
        ),
        BOX,
    ),
}


@pytest.mark.parametrize(("related", "boxes"), OF_THEIRS.values(), ids=OF_THEIRS)
def test_notes_that_may_be_the_user_s_stay_unchanged(
    make_package: Make, related: tuple[tuple[str, str, str], ...], boxes: str | None
) -> None:
    source = make_package(
        {
            SHEET: data(ROWS, after=DRAWING),
            RELATIONS: relationships(*related),
            **({BOXES: boxes} if boxes else {}),
        }
    )
    before, after = parts_of(source), parts_of(noted(source, NOTES))
    assert before.keys() | {"xl/styles.xml"} == after.keys()
    assert after[RELATIONS] == before[RELATIONS]
    assert DRAWING.encode() in after[SHEET]


def test_damaged_notes_of_the_user_s_stay(make_sheet: Make) -> None:
    damaged = noted(make_sheet(ROWS), NOTES)
    parts = parts_of(damaged)
    parts["xl/comments1.xml"] = b"<comments>"
    damaged.write_bytes(package_of(parts))
    assert parts_of(noted(damaged, {}, "again.xlsx"))["xl/comments1.xml"] == b"<comments>"


def test_the_drawing_is_at_the_place_of_the_schema(make_sheet: Make) -> None:
    tail = '<pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/><extLst/>'
    sheet = parts_of(noted(make_sheet(sheet=data(ROWS, after=tail)), NOTES))[SHEET].decode()
    assert sheet.index("<pageMargins") < sheet.index("<legacyDrawing") < sheet.index("<extLst")


def test_notes_are_limited_in_number_and_length(make_sheet: Make) -> None:
    cells = dict.fromkeys(range(MOST_COMMENTS + 1), "x" * 2 * LONGEST)
    found = shown(noted(make_sheet(ROWS), cells))
    assert len(found) == MOST_COMMENTS
    assert {len(text) for text, _ in found.values()} == {len("feedtool: ") + LONGEST}
