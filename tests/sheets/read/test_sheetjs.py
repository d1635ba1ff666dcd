"""Workbooks that SheetJS (npm `xlsx`) writes, which declares many types for parts it has not."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, Summary, annotate
from tests.sheets.conftest import MAIN, PACKAGE_RELS, RELS, Content, MakePackage, rows_of

VERSION = "0.18.5"
ROWS: list[list[str | int]] = [["sellerExternalReference", "quantity"], ["A-1", 7], ["A-2", 8]]
SCRIPT = """
const xlsx = require('xlsx'), book = xlsx.utils.book_new(), [rows, path] = process.argv.slice(1);
xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(JSON.parse(rows)), 'Offers');
xlsx.writeFile(book, path);
"""
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
"""What it writes, but for the parts and types that make no difference."""


@pytest.fixture(scope="session")
def sheetjs(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A workbook by the real package, kept in pytest's cache; None where it cannot be had."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not (npm and node):
        return None
    folder = pytestconfig.cache.mkdir(f"xlsx-{VERSION}")
    modules = folder / "node_modules"
    path = tmp_path_factory.mktemp("sheetjs") / "sheetjs.xlsx"
    install = [npm, "install", "--prefix", str(folder), "--no-audit", f"xlsx@{VERSION}"]
    write = [node, "-e", SCRIPT, json.dumps(ROWS), str(path)]
    environment = {**os.environ, "NODE_PATH": str(modules)}
    try:
        for command in (write,) if (modules / "xlsx").is_dir() else (install, write):
            subprocess.run(  # noqa: S603 — ours
                command, check=True, capture_output=True, timeout=60, env=environment
            )
    except (OSError, subprocess.SubprocessError):
        return None
    return path


@pytest.fixture(params=["by SheetJS", "like it"])
def book(request: pytest.FixtureRequest, make_package: MakePackage) -> Path:
    """Its workbook; where the package cannot be had, one of the same shape stands for it."""
    by_sheetjs = request.getfixturevalue("sheetjs") if request.param == "by SheetJS" else None
    return by_sheetjs or make_package(LIKE_IT)


def columns(path: Path) -> list[list[str]]:
    with open_source(path) as source:
        cells = rows_of(source.sheet("Offers").blocks())
    return [[cell.text for _, cell in sorted(row.items())] for row in cells.values()]


def test_it_is_read_and_annotated_twice(book: Path, tmp_path: Path) -> None:
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
