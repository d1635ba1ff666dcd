"""Workbooks that SheetJS (npm `xlsx`) writes, which declares many types for parts it has not."""

from pathlib import Path

from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, Summary, annotate
from tests.corpus.made import MAIN, PACKAGE_RELS, RELS
from tests.sheets.conftest import Content, rows_of
from tests.sheets.conftest import Make as MakePackage

ROWS: list[list[str | int]] = [["sellerExternalReference", "quantity"], ["A-1", 7], ["A-2", 8]]
HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
SUMMARY = Summary("feedtool summary", [["done"]])

KIND = "application/vnd.openxmlformats-officedocument"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
LIKE_IT: dict[str, Content] = {
    "[Content_Types].xml": DECLARATION
    + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types" '
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"'
    f'/><Default Extension="vml" ContentType="{KIND}.vmlDrawing"/>'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    f'ContentType="{KIND}.spreadsheetml.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{KIND}.spreadsheetml.styles+xml"/></Types>',
    "_rels/.rels": f'{DECLARATION}<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="rId1" '
    f'Type="{RELS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{RELS}">'
    '<workbookPr codeName="ThisWorkbook"/><sheets><sheet name="Offers" sheetId="1" r:id="rId1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f'{DECLARATION}<Relationships xmlns="{PACKAGE_RELS}">'
    f'<Relationship Id="rId1" Type="{RELS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId3" Type="{RELS}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'{DECLARATION}<styleSheet xmlns="{MAIN}"><fonts count="1"><font>'
    '<sz val="12"/><name val="Calibri"/></font></fonts><fills count="1"><fill>'
    '<patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" '
    'applyNumberFormat="1"/></cellXfs><dxfs count="0"/></styleSheet>',
    "xl/worksheets/sheet1.xml": f'{DECLARATION}<worksheet xmlns="{MAIN}" xmlns:r="{RELS}">'
    '<dimension ref="A1:B3"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData>'
    '<row r="1"><c r="A1" t="str"><v>sellerExternalReference</v></c>'
    '<c r="B1" t="str"><v>quantity</v></c></row>'
    '<row r="2"><c r="A2" t="str"><v>A-1</v></c><c r="B2"><v>7</v></c></row>'
    '<row r="3"><c r="A3" t="str"><v>A-2</v></c><c r="B3"><v>8</v></c></row></sheetData>'
    '<ignoredErrors><ignoredError numberStoredAsText="1" sqref="A1:B3"/></ignoredErrors>'
    "</worksheet>",
}
"""As version 0.18.5 writes it, but for the parts and types that make no difference."""


def columns(path: Path) -> list[list[str]]:
    with open_source(path) as source:
        cells = rows_of(source.sheet("Offers").blocks())
    return [[cell.text for _, cell in sorted(row.items())] for row in cells.values()]


def test_it_is_read_and_annotated_twice(make_package: MakePackage, tmp_path: Path) -> None:
    book = make_package(LIKE_IT)
    theirs = [[str(value) for value in row] for row in ROWS]
    assert columns(book) == theirs
    copy = tmp_path / "sheetjs.result.xlsx"
    for source, status in ((book, "Invalid"), (copy, "Valid")):
        notes = [Note(2, status, "said of it", "code")]
        annotate(source, copy, [SheetNotes("Offers", 1, HEADINGS, notes)], SUMMARY, overwrite=True)
        assert columns(copy) == [
            [*theirs[0], *HEADINGS],
            [*theirs[1], status, "said of it", "code"],
            theirs[2],
        ]
