"""A workbook with everything in it that a careless copy would lose, and ways to look at copies."""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, Summary, annotate
from tests.sheets.conftest import PACKAGE_RELS, PARTS, RELS

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
MACROS = bytes(range(256)) * 40
SECOND = "Über 'm & <b>"
"""A sheet's name that has to be escaped wherever it stands."""

Annotated = Callable[..., Path]
Part = Callable[[Path, str], bytes]


@pytest.fixture
def annotated(tmp_path: Path) -> Annotated:
    """Annotate a file; the copy's path."""

    def make(
        source: Path,
        notes: Iterable[Note] = (),
        *,
        sheet: str = "Offers",
        header_row: int = 1,
        summary: Summary | None = None,
        name: str = "",
    ) -> Path:
        target = tmp_path / (name or f"{source.stem}.result{source.suffix}")
        annotate(source, target, [SheetNotes(sheet, header_row, HEADINGS, notes)], summary)
        return target

    return make


@pytest.fixture
def part() -> Part:
    """The bytes of a package's part."""

    def read(path: Path, name: str = "xl/worksheets/sheet1.xml") -> bytes:
        with zipfile.ZipFile(path) as package:
            return package.read(name)

    return read


@pytest.fixture
def without_ours() -> Callable[[bytes], bytes]:
    """A sheet without our cells and colours, and without what says how large it is."""
    colour = (
        rb'<conditionalFormatting sqref="[^"]*"><cfRule type="expression" dxfId="\d+" '
        rb'priority="\d+"><formula>LEN\("feedtool"\)&gt;0</formula></cfRule>'
        rb"</conditionalFormatting>"
    )
    ours = (
        colour,
        rb'<c r="[A-Z]+\d+" s="\d+" t="inlineStr"><is><t[^>]*>[^<]*</t></is></c>',
        rb'<dimension ref="[^"]*"\s*/>',
        rb"<cols>.*?</cols>",
        rb' spans="[^"]*"',
    )

    def strip(sheet: bytes) -> bytes:
        for pattern in ours:
            sheet = re.sub(pattern, b"", sheet)
        return sheet

    return strip


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    """A workbook with macros, a chart, a picture, comments, validations, a table, filters …"""
    plain = tmp_path / "plain.xlsx"
    _with_openpyxl(plain)
    path = tmp_path / "rich.xlsm"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        strings: list[bytes] = []
        for info in old.infolist():
            content = _reworked(info.filename, old.read(info))
            if info.filename.startswith("xl/worksheets/"):
                content = _shared(content, strings)
            new.writestr(info, content)
        for name, content in _added(strings).items():
            new.writestr(name, content)
        new.comment = b"a comment of the archive"
    return path


def _with_openpyxl(path: Path) -> None:
    book = openpyxl.Workbook()
    book.properties.modified = datetime(2026, 1, 2, tzinfo=UTC).replace(tzinfo=None)
    offers = book.worksheets[0]
    offers.title = "Offers"
    offers["A1"] = "Spring offers"
    offers.merge_cells("A1:E1")
    offers.append(["sku", "gtin", "price", "quantity", "total", "note"])
    for row in range(3, 15):
        offers.append(
            [f"SKU-{row}", f"40063813339{row:02}", row * 1.5, row, f"=C{row}*D{row}", None]
        )
    offers["A3"].fill = PatternFill("solid", fgColor="FFFFFF00")
    offers["C4"].number_format = "#,##0.00"
    offers["A2"].font = Font(italic=True)
    offers["J5"].fill = PatternFill("solid", fgColor="FF00FF00")
    offers["B4"].comment = Comment("look at this", "someone")
    offers.auto_filter.ref = "A2:F14"
    offers.column_dimensions["D"].hidden = True
    offers.column_dimensions["G"].hidden = True
    offers.row_dimensions[6].hidden = True
    validation = DataValidation(type="list", formula1='"New,Used"', allow_blank=True)
    validation.add("F3:F14")
    offers.add_data_validation(validation)
    red = PatternFill("solid", bgColor="FFFF0000")
    rule = Rule("cellIs", dxf=DifferentialStyle(fill=red), operator="greaterThan", formula=["15"])
    offers.conditional_formatting.add("C3:C14", rule)
    chart = BarChart()
    chart.add_data(Reference(offers, min_col=3, min_row=2, max_row=14), titles_from_data=True)
    offers.add_chart(chart, "K4")
    _second_sheet(book)
    book.defined_names["Prices"] = DefinedName("Prices", attr_text="Offers!$C$3:$C$14")
    offers.defined_names["Local"] = DefinedName("Local", attr_text="Offers!$A$3")
    book.save(path)


def _second_sheet(book: openpyxl.Workbook) -> None:
    sheet = book.create_sheet(SECOND)
    sheet.append(["ref", "price", "stock"])
    for row in range(2, 8):
        sheet.append([f"T-{row}", row, row * 2])
    sheet.add_table(Table(displayName="Stock", ref="A1:E7"))
    sheet["D1"], sheet["E1"] = "fourth", "fifth"
    sheet.defined_names["Local"] = DefinedName("Local", attr_text="Offers!$A$4")


def _reworked(name: str, content: bytes) -> bytes:
    """What openpyxl cannot write: cached results, a picture, macros."""
    if name == "docProps/app.xml":
        return _APP.encode()
    if name == "xl/worksheets/sheet1.xml":
        return re.sub(rb"</f><v ?/>|</f><v></v>", b"</f><v>12.5</v>", content)
    for old, new in _REPLACED.get(name, []):
        content = content.replace(old, new)
    return content


def _shared(sheet: bytes, strings: list[bytes]) -> bytes:
    """A sheet with its texts moved to the shared strings."""

    def move(cell: re.Match[bytes]) -> bytes:
        strings.append(cell[1])
        return b't="s"><v>%d</v></c>' % (len(strings) - 1)

    return re.sub(rb't="inlineStr"><is>(.*?)</is></c>', move, sheet)


def _added(strings: list[bytes]) -> dict[str, bytes]:
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = b"".join(b"<si>%b</si>" % text for text in strings)
    return {
        "xl/sharedStrings.xml": b'<sst xmlns="%b">%b</sst>' % (main, texts),
        "xl/vbaProject.bin": MACROS,
        "xl/media/image1.png": _png(),
        "customXml/item1.xml": b"<mine>\r\n  <kept/></mine>",
        "customXml/": b"",
    }


def _png() -> bytes:
    """A red square."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + b"\xff\0\0" * 16) * 16
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/"
_PICTURE = (
    f'<p:oneCellAnchor xmlns:p="{_DRAWING}spreadsheetDrawing" xmlns:a="{_DRAWING}main">'
    "<p:from><p:col>10</p:col><p:colOff>0</p:colOff><p:row>0</p:row><p:rowOff>0</p:rowOff></p:from>"
    '<p:ext cx="300000" cy="300000"/><p:pic><p:nvPicPr><p:cNvPr id="9" name="square"/><p:cNvPicPr/>'
    '</p:nvPicPr><p:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships" r:embed="rId77"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>'
    '<a:xfrm><a:off x="0" y="0"/><a:ext cx="300000" cy="300000"/></a:xfrm><a:prstGeom prst="rect">'
    "<a:avLst/></a:prstGeom></p:spPr></p:pic><p:clientData/></p:oneCellAnchor>"
).encode()
_VT = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
_APP = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties" '
    f'xmlns:vt="{_VT}"><Application>Microsoft Excel</Application><HeadingPairs>'
    '<vt:vector size="4" baseType="variant"><vt:variant><vt:lpstr>Worksheets</vt:lpstr>'
    "</vt:variant>"
    "<vt:variant><vt:i4>2</vt:i4></vt:variant><vt:variant><vt:lpstr>Named Ranges</vt:lpstr>"
    "</vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant></vt:vector></HeadingPairs><TitlesOfParts>"
    '<vt:vector size="3" baseType="lpstr"><vt:lpstr>Offers</vt:lpstr>'
    "<vt:lpstr>Über 'm &amp; &lt;b&gt;</vt:lpstr><vt:lpstr>Prices</vt:lpstr></vt:vector>"
    "</TitlesOfParts></Properties>"
)


@pytest.fixture(scope="session")
def book_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A workbook of one sheet given as bytes, with other parts if wanted; for many examples."""
    path = tmp_path_factory.mktemp("book") / "book.xlsx"

    def make(sheet: bytes, more: dict[str, str | bytes] | None = None) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
            for name, content in {
                **PARTS,
                "xl/_rels/workbook.xml.rels": _LONE,
                **(more or {}),
            }.items():
                book.writestr(name, content)
            book.writestr("xl/worksheets/sheet1.xml", sheet)
        return path

    return make


@pytest.fixture(scope="session")
def values() -> Callable[[Path], dict[tuple[int, int], str]]:
    """The text of all cells of a file's first sheet by row and 0-based column."""

    def read(path: Path) -> dict[tuple[int, int], str]:
        with open_source(path) as source:
            return {
                (row, column): cell.text
                for block in source.sheet(source.sheets[0].name).blocks()
                for column in range(block.width)
                for row, key in zip(block.rows, block.column(column), strict=True)
                if (cell := block.decode(key)).text
            }

    return read


_LONE = (
    f'<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="rId1" Type="{RELS}/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>'
)
_RELATED = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NEW_TYPES = (
    b'<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>'
    b'<Default Extension="png" ContentType="image/png"/>'
    b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.'
    b'openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)
_REPLACED: dict[str, list[tuple[bytes, bytes]]] = {
    "[Content_Types].xml": [
        (
            b"openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
            b"ms-excel.sheet.macroEnabled.main+xml",
        ),
        (
            b"</Types>",
            _NEW_TYPES + b"</Types>",
        ),
    ],
    "xl/_rels/workbook.xml.rels": [
        (
            b"</Relationships>",
            b'<Relationship Id="rId90" Target="vbaProject.bin" '
            b'Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject"/>'
            b'<Relationship Id="rId91" Target="sharedStrings.xml" '
            b'Type="%b/sharedStrings"/></Relationships>' % _RELATED,
        )
    ],
    "xl/drawings/drawing1.xml": [
        (b"</wsDr>", _PICTURE + b"</wsDr>"),
        (b"</xdr:wsDr>", _PICTURE + b"</xdr:wsDr>"),
    ],
    "xl/drawings/_rels/drawing1.xml.rels": [
        (
            b"</Relationships>",
            b'<Relationship Id="rId77" Target="../media/image1.png" Type="%b/image"/>'
            b"</Relationships>" % _RELATED,
        )
    ],
}
