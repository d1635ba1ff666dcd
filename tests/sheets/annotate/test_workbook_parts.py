"""The parts around the sheets, when a sheet is added to the workbook."""

import re
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from feedtool.check import HEADINGS
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Link, SheetNotes, Summary, annotate
from tests.corpus.books import STRICT, STRICT_RELS
from tests.corpus.made import MAIN, RELS, data, relationships
from tests.sheets.conftest import Make, Part

TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET = data('<row r="1"><c r="A1"><v>1</v></c></row>').encode()
SUMMARY = Summary("feedtool summary", [["done"], [1, Link("A1", "Offers", "A1")]])


def summarised(source: Path, summary: Summary = SUMMARY, name: str = "copy.xlsx") -> Path:
    copy = source.with_name(name)
    annotate(source, copy, [SheetNotes("Offers", 1, HEADINGS, [])], summary, overwrite=True)
    return copy


def names(path: Path) -> list[str]:
    with open_source(path) as source:
        return [entry.name for entry in source.sheets]


def test_the_entries_of_a_new_sheet(book_of: Make, part: Part) -> None:
    copy = summarised(book_of(SHEET))
    assert part(copy, "xl/workbook.xml").endswith(
        b'<sheet name="feedtool summary" sheetId="2" r:id="rId3"/></sheets></workbook>'
    )
    assert (
        f'<Relationship Id="rId3" Type="{RELS}/worksheet" Target="worksheets/sheet2.xml"/>'
    ).encode() in part(copy, "xl/_rels/workbook.xml.rels")
    assert (
        f'<Override PartName="/xl/worksheets/sheet2.xml" ContentType="{TYPES}.worksheet+xml"/>'
    ).encode() in part(copy, "[Content_Types].xml")


def test_an_earlier_summary_is_replaced_in_its_place(book_of: Make, part: Part) -> None:
    copy = summarised(book_of(SHEET))
    again = summarised(copy, Summary("Feedtool Summary", [["again"]]), "again.xlsx")
    assert names(again) == ["Offers", "feedtool summary"]
    assert part(again, "xl/workbook.xml") == part(copy, "xl/workbook.xml")
    assert openpyxl.load_workbook(again)["feedtool summary"]["A1"].value == "again"


def test_without_a_summary_the_workbook_keeps_its_sheets(book_of: Make, part: Part) -> None:
    source = book_of(SHEET, {"xl/styles.xml": f'<styleSheet xmlns="{MAIN}"/>'})
    copy = source.with_name("copy.xlsx")
    annotate(source, copy, [SheetNotes("Offers", 1, HEADINGS, [])], overwrite=True)
    assert part(copy, "xl/workbook.xml") == part(source, "xl/workbook.xml")


def test_ids_and_names_that_are_taken(book_of: Make, part: Part) -> None:
    workbook = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELS}"><sheets>'
        '<sheet name="Offers" sheetId="77" r:id="rId1"/></sheets><definedNames/></workbook>'
    )
    relations = relationships(
        ("rId1", "worksheet", "/xl/worksheets/sheet1.xml"), ("rId3", "theme", "theme.xml")
    )
    more = {
        "xl/workbook.xml": workbook,
        "xl/_rels/workbook.xml.rels": relations,
        "xl/worksheets/Sheet2.xml": b"<someone/>",
    }
    copy = summarised(book_of(SHEET, more))
    entry = re.search(rb'<sheet name="feedtool[^>]*>', part(copy, "xl/workbook.xml"))
    assert entry is not None
    assert entry[0] == b'<sheet name="feedtool summary" sheetId="78" r:id="rId4"/>'
    assert b"done" in part(copy, "xl/worksheets/sheet3.xml")
    assert part(copy, "xl/worksheets/Sheet2.xml") == b"<someone/>"


def prefixed(xml: str) -> str:
    return re.sub(r"<(/?)(\w)", r"<\1p:\2", xml).replace("xmlns=", "xmlns:p=")


def strict(xml: str) -> str:
    return xml.replace(MAIN, STRICT).replace(RELS, STRICT_RELS)


def utf16(xml: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-16"?>{xml}'.encode("utf-16")


def other_prefix_for_relations(xml: str) -> str:
    return xml.replace("xmlns:r=", "xmlns:rel=").replace(" r:id", " rel:id")


@pytest.mark.parametrize("writing", [prefixed, strict, utf16, other_prefix_for_relations])
def test_other_writings(book_of: Make, part: Part, writing: Callable[[str], str | bytes]) -> None:
    plain = book_of(SHEET)
    small = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    more = {name: writing(part(plain, name).decode()) for name in small}
    sheet = SHEET if writing in (utf16, prefixed) else writing(SHEET.decode())
    data = sheet if isinstance(sheet, bytes) else sheet.encode()
    copy = summarised(book_of(data, more))
    assert names(copy) == ["Offers", "feedtool summary"]
    with open_source(copy) as source:
        row, *_ = source.sheet("feedtool summary").head(1)
        assert [cell.text for cell in row.cells] == ["done"]
        row, *_ = source.sheet("Offers").head(1)
        assert [cell.text for cell in row.cells] == ["1", *HEADINGS]
    again = summarised(copy, name="again.xlsx")
    assert again.read_bytes() == copy.read_bytes()
    if writing is strict:
        assert MAIN.encode() not in part(copy, "xl/worksheets/sheet2.xml")
        assert MAIN.encode() not in part(copy, "xl/styles.xml")


@pytest.mark.parametrize("name", ["Offers & <more>", 'a "b"', "l'été", "東京 😀", "x_x0041_y"])
def test_names_of_sheets_with_any_character(book_of: Make, part: Part, name: str) -> None:
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    workbook = part(book_of(SHEET), "xl/workbook.xml").decode().replace("Offers", escaped)
    source = book_of(SHEET, {"xl/workbook.xml": workbook})
    copy = source.with_name("copy.xlsx")
    table = [[Link("first", name, "A1")]]
    annotate(
        source,
        copy,
        [SheetNotes(name, 1, HEADINGS, [])],
        Summary("feedtool summary", table),
        overwrite=True,
    )
    assert names(copy) == [name, "feedtool summary"]
    link = openpyxl.load_workbook(copy)["feedtool summary"]["A1"].hyperlink
    doubled = name.replace("'", "''")
    assert link.location == f"'{doubled}'!A1"


def test_a_summary_of_no_rows(book_of: Make) -> None:
    copy = summarised(book_of(SHEET), Summary("feedtool summary", []))
    assert names(copy) == ["Offers", "feedtool summary"]
