"""Workbooks of every make, small and made of raw XML, so that a test knows every byte of them.

Each holds a table that is read as offers, and what the corpus's own cases have not. The tests of
this folder compare how they are read and annotated; the fuzz tests mutate them.
"""

import io
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, time, timedelta
from itertools import cycle
from typing import Any

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

from tests.corpus.made import (
    MAIN,
    RELS,
    TYPES,
    Content,
    Xml,
    data,
    number,
    package,
    parts,
    relationships,
    row,
    strings,
)
from tests.corpus.measured import ROOT

STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_RELS = "http://purl.oclc.org/ooxml/officeDocument/relationships"

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"
SECOND = "Über 'm & <b>"
"""A sheet's name that has to be escaped wherever it stands."""

STYLE_SHEET = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="4">'
    '<numFmt numFmtId="164" formatCode="0000000000000"/>'
    '<numFmt numFmtId="165" formatCode="[h]:mm:ss"/>'
    '<numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/>'
    '<numFmt numFmtId="167" formatCode="&quot;day&quot;\\ 0.00"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="10">'
    + "".join(
        f'<xf numFmtId="{number}" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        for number in (0, 14, 22, 10, 164, 165, 166, 167, 49, 21)
    )
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    '</cellStyles><dxfs count="1"><dxf><font><b/></font></dxf></dxfs></styleSheet>'
)
"""Formats: 0 general, 1 date, 2 date and time, 3 percent, 4 thirteen digits, 5 elapsed,
6 milliseconds, 7 a number with a word, 8 text, 9 time."""

HEADER = ("sku", "price", "quantity", "comment")


def around(
    sheets: Mapping[str, Content], *texts: str, before: str = "", after: str = ""
) -> dict[str, Content]:
    """The parts of a workbook of these sheets, with styles and shared strings."""
    return {
        **parts(sheets, before, after),
        STYLES: STYLE_SHEET,
        STRINGS: strings(*texts),
    }


def header(at: int = 1) -> str:
    return row(at, HEADER)


def offers(
    first: int = 2, count: int = 3, more: Callable[[int], str | None] = lambda _: None
) -> str:
    """Rows of offers, and what stands in them in column D."""
    return "".join(
        row(at, [f"SKU-{at}", number(f"{at}.5"), number(str(at * 3)), more(at)])
        for at in range(first, first + count)
    )


def plain_parts(sheet: Content = "") -> dict[str, Content]:
    """The parts of a workbook of one sheet; by default a sheet of some offers."""
    return around({"Offers": sheet or data(header() + offers())})


def table(*cells: str, before: str = "") -> bytes:
    """A workbook with a row for each cell of column D, given as `Xml`."""
    rows = "".join(
        row(at, [f"SKU-{at}", number(str(at)), None, Xml(cell)]) for at, cell in enumerate(cells, 2)
    )
    texts = "<t>=1+1</t>", "<t>shared</t>"
    return package(around({"Offers": data(header() + rows)}, *texts, before=before))


def plain() -> bytes:
    return package(plain_parts())


def shared_strings() -> bytes:
    rows = row(1, [Xml(f' t="s"><v>{at}</v>') for at in range(4)])
    rows += "".join(
        row(at, [Xml(f' t="s"><v>{at + 2}</v>'), number(str(at))]) for at in range(2, 6)
    )
    texts = (
        *(f"<t>{name}</t>" for name in HEADER),
        '<t xml:space="preserve"> blank at both ends </t>',
        "<r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r>",
        '<t>課長</t><rPh sb="0" eb="2"><t>カチョウ</t></rPh><phoneticPr fontId="1"/>',
        "<t>a &amp; b &lt;c&gt; &#xE9;</t>",
    )
    return package(around({"Offers": data(rows)}, *texts))


def escapes() -> bytes:
    whole = ("_x000D_", "a_x0041_b", "_x005F_x000D_", "_x00e9_", "_xD83D__xDE00_")
    texts = (*whole, "_X0041_", "_x004_")
    return table(*(f' t="inlineStr"><is><t>{text}</t></is>' for text in texts))


def escaped_underscores() -> bytes:
    rows = row(2, [Xml(' t="s"><v>0</v>'), number("1")])
    text = "<t>_x005F_x0041_ and x005F_</t>"
    return package(around({"Offers": data(header() + rows)}, text))


def lenient() -> bytes:
    """Cells that no program should write, and that are read nevertheless."""
    text = ' t="inlineStr"><v>no inline string</v>'
    return table(text, "><v>1_000</v>", "><v>٣</v>", ' t="s"><v> 1 </v>', "><v> 7 </v>")


def strict() -> bytes:
    return package(
        {
            name: str(content).replace(MAIN, STRICT).replace(RELS, STRICT_RELS)
            for name, content in plain_parts().items()
        }
    )


def latin_1() -> bytes:
    sheet = data(header() + offers(more=lambda _: "é ø"))
    declared = f'<?xml version="1.0" encoding="ISO-8859-1"?>{sheet}'
    return package(plain_parts(declared.encode("latin-1")))


def absolute_names() -> bytes:
    made = plain_parts()
    rels = str(made["xl/_rels/workbook.xml.rels"])
    made["xl/_rels/workbook.xml.rels"] = rels.replace('Target="', 'Target="/xl/')
    return package(made, comment=b"a comment of the archive")


def other_names() -> bytes:
    """Parts in folders of their own, in other cases than the relationships say, in odd order."""
    made = plain_parts()
    rels = str(made["xl/_rels/workbook.xml.rels"]).replace("worksheets/sheet1", "Tabelle%201/S")
    made["xl/_rels/workbook.xml.rels"] = rels
    made["xl/tabelle 1/s.xml"] = made.pop(SHEET)
    return package(dict(reversed(made.items())))


def dates() -> bytes:
    values = ((44927, 1), (44927.75, 2), (0.5, 9), (1.5, 5), (44927.123456789, 6), (60, 1), (61, 1))
    return table(*(number(str(value), style) for value, style in values))


def first_days_of_1904() -> bytes:
    cells = (number("0.5", 1), number("1", 1), number("1.25", 2))
    return table(*cells, before='<workbookPr date1904="1"/>')


def written_dates() -> bytes:
    values = ("2024-01-31", "2024-01-31T12:30:00", "12:30:00")
    return table(*(f' s="2" t="d"><v>{value}</v>' for value in values))


def absurd_dates() -> bytes:
    return table(*(number(value, 1) for value in ("-1", "2958466", "1e10")))


def numbers() -> bytes:
    noise = ("19.989999999999998", "0.1", "1.7976931348623157E308", "123456789012345678")
    written = ("1E3", "1e-7", "-0", "8.8E+12", "4006381333931", "5.0", "+7", ".5", "3.")
    styles = cycle((0, 3, 4, 7, 8))
    return table(*(number(value, next(styles)) for value in (*noise, *written)))


def kinds() -> bytes:
    return table(
        ' t="b"><v>1</v>',
        ' t="b"><v>0</v>',
        ' t="e"><v>#N/A</v>',
        ' t="e"><v>#REF!</v>',
        ' t="str"><v>text</v>',
        ' t="str"><v></v>',
        ' t="n"/>',
        ' s="3"><v>0.2</v>',
        ' s="4"><v>36000291452</v>',
        ' s="8" t="s"><v>0</v>',
        ' t="inlineStr"><is><r><t>two </t></r><r><t>runs</t></r></is>',
        ' s="7"><v>12</v>',
        ' t="inlineStr"><is><t/></is>',
    )


def formulas() -> bytes:
    return table(
        "><f>B2*2</f><v>5</v>",
        ' t="str"><f>A3&amp;"x"</f><v>SKU-3x</v>',
        ' t="e"><f>1/0</f><v>#DIV/0!</v>',
        ' t="b"><f>TRUE()</f><v>1</v>',
        '><f t="shared" ref="D6:D7" si="0">B6+1</f><v>7.5</v>',
        '><f t="shared" si="0"/><v>8.5</v>',
        '><f t="array" ref="D8">SUM(B2:B7*2)</f><v>54</v>',
        "><f>B9</f>",
        ' t="str"><f>""</f><v></v>',
        ' s="1"><f>TODAY()</f><v>45000</v>',
    )


def titles_and_merges() -> bytes:
    title = row(1, ["Spring offers"]) + row(3, ["Please fill"])
    merges = '<mergeCells count="2"><mergeCell ref="A1:D2"/><mergeCell ref="D6:D7"/></mergeCells>'
    rows = title + header(4) + offers(5, 4, lambda at: f"note {at}")
    return package(plain_parts(data(rows, after=merges)))


def odd_xml() -> bytes:
    """Comments, CDATA, instructions, blanks, single quotes and extensions."""
    sheet = (
        f"<?xml version='1.0'?><!-- made by hand --><worksheet xmlns='{MAIN}' xmlns:y='urn:y'\n>"
        "<sheetData y:z='1' >\n <row r='1'>\n  <c r='A1' t='inlineStr'><is><t>sku</t></is></c>\n"
        "  <c t='str' r='B1'><v><![CDATA[price]]></v></c><?pi x?></row>\n"
        "<row r='2'><c r='A2' t='str'><v>a<!-- b -->c</v></c><c r='B2' ><v>1<![CDATA[2]]></v></c>"
        "<extLst><ext uri='x'><y:v>9</y:v></ext></extLst></row ><row\nr='4'/>"
        "<row r='5'><c r='B5'><v>3</v><extLst/></c><c r='A5' t='str'><v>x &gt; y</v></c></row>"
        "</sheetData><y:unknown/><extLst><ext uri='y'/></extLst></worksheet><!-- end -->"
    )
    return package(plain_parts(sheet))


def sheetjs() -> bytes:
    """A workbook like SheetJS (npm `xlsx`) 0.18.5, which declares types of parts it lacks."""
    kinds = {
        "bin": "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
        "vml": "application/vnd.openxmlformats-officedocument.vmlDrawing",
        "xml": "application/xml",
    }
    own = {"workbook": "sheet.main", "worksheets/sheet1": "worksheet", "styles": "styles"}
    declared = "".join(
        [f'<Default Extension="{name}" ContentType="{kind}"/>' for name, kind in kinds.items()]
        + [
            f'<Override PartName="/xl/{name}.xml" ContentType="application/'
            f'vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>'
            for name, kind in own.items()
        ]
    )
    styles = (
        '<fonts count="1"><font><sz val="12"/><name val="Calibri"/></font></fonts>'
        '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" '
        'applyNumberFormat="1"/></cellXfs><dxfs count="0"/>'
    )
    texts = [Xml(f' t="str"><v>{name}</v>') for name in HEADER]
    sheet = data(
        row(1, texts) + offers(),
        before='<dimension ref="A1:D4"/><sheetViews><sheetView workbookViewId="0"/></sheetViews>',
        after='<ignoredErrors><ignoredError numberStoredAsText="1" sqref="A1:D4"/></ignoredErrors>',
    )
    made = parts({"Offers": sheet}, before='<workbookPr codeName="ThisWorkbook"/>')
    return package(
        {
            **made,
            "[Content_Types].xml": f'<Types xmlns="{TYPES}">{declared}</Types>',
            "xl/_rels/workbook.xml.rels": relationships(
                ("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId3", "styles", "styles.xml")
            ),
            STYLES: f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>',
        }
    )


def many_parts() -> bytes:
    """Macros, custom XML, a calculation chain, printer settings, document properties."""
    app = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/'
        'extended-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/'
        'docPropsVTypes"><HeadingPairs><vt:vector size="2" baseType="variant"><vt:variant>'
        "<vt:lpstr>Worksheets</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant>"
        '</vt:vector></HeadingPairs><TitlesOfParts><vt:vector size="1" baseType="lpstr">'
        "<vt:lpstr>Offers</vt:lpstr></vt:vector></TitlesOfParts></Properties>"
    )
    names = '<definedNames><definedName name="Prices">Offers!$B$2:$B$4</definedName></definedNames>'
    app_of_book = ("rId2", "extended-properties", "docProps/app.xml")
    rules = (
        '<autoFilter ref="A1:D4"/><conditionalFormatting sqref="B2:B4"><cfRule type="cellIs" '
        'dxfId="0" priority="1" operator="lessThan"><formula>1</formula></cfRule>'
        '</conditionalFormatting><dataValidations count="1"><dataValidation type="list" '
        'sqref="D2:D9"><formula1>"a,b"</formula1></dataValidation></dataValidations>'
        '<hyperlinks><hyperlink ref="A2" location="Offers!A1"/></hyperlinks>'
        '<pageMargins left="1" right="1" top="1" bottom="1" header="1" footer="1"/>'
    )
    return package(
        around({"Offers": data(header() + offers(), after=rules)}, after=names)
        | {
            "_rels/.rels": relationships(
                ("rId1", "officeDocument", "xl/workbook.xml"), app_of_book
            ),
            "docProps/app.xml": app,
            "xl/calcChain.xml": f'<calcChain xmlns="{MAIN}"><c r="D2" i="1"/></calcChain>',
            "xl/vbaProject.bin": bytes(range(256)) * 9,
            "customXml/item1.xml": "<mine>\r\n<kept/></mine>",
            "xl/printerSettings/printerSettings1.bin": b"\0\1\2" * 50,
        }
    )


def openpyxl_writes_all() -> bytes:
    """All that openpyxl can write around cells: a chart, comments, a table, styles, names."""
    book = openpyxl.Workbook()
    book.properties.modified = book.properties.created = datetime(2026, 1, 2)  # noqa: DTZ001
    sheet = book.worksheets[0]
    sheet.title = "Offers"
    sheet.append([*HEADER, "when", "total"])
    for at in range(2, 9):
        sheet.append([f"SKU-{at}", at * 1.5, at, "é" * at, datetime(2026, 1, at), f"=B{at}*C{at}"])  # noqa: DTZ001
    sheet["E9"], sheet["F9"] = time(12, 30), timedelta(hours=30)
    sheet["A2"].font, sheet["A3"].fill = Font(bold=True), PatternFill("solid", fgColor="FFFFFF00")
    sheet["B4"].comment = Comment("look", "someone")
    sheet["C4"].hyperlink = "https://example.com/"
    sheet.column_dimensions["D"].hidden = True
    sheet.freeze_panes = "B2"
    choice = DataValidation(type="list", formula1='"New,Used"')
    choice.add("D2:D9")
    sheet.add_data_validation(choice)
    bold = DifferentialStyle(font=Font(bold=True))
    rule = Rule("cellIs", dxf=bold, operator="greaterThan", formula=["5"])
    sheet.conditional_formatting.add("B2:B9", rule)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=8), titles_from_data=True)
    sheet.add_chart(chart, "J4")
    other = book.create_sheet(SECOND)
    other.append(["a", "b", "c", "d", "e"])
    other.append([1, 2])
    other.add_table(Table(displayName="T", ref="A1:E2"))
    book.defined_names["Prices"] = DefinedName("Prices", attr_text="Offers!$B$2:$B$8")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def openpyxl_writes_rows() -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Offers")
    sheet.append([*HEADER, *(f"column {at}" for at in range(20))])
    for at in range(2, 20):
        sheet.append([f"SKU-{at}", at / 7, at, None, at % 2 == 0, datetime(2026, 1, 1), " x "])  # noqa: DTZ001
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


BOOKS: dict[str, Callable[[], bytes]] = {
    make.__name__: make
    for make in (
        plain,
        shared_strings,
        escapes,
        escaped_underscores,
        lenient,
        strict,
        latin_1,
        absolute_names,
        other_names,
        dates,
        first_days_of_1904,
        written_dates,
        absurd_dates,
        numbers,
        kinds,
        formulas,
        titles_and_merges,
        odd_xml,
        many_parts,
        sheetjs,
        openpyxl_writes_all,
        openpyxl_writes_rows,
    )
} | {
    f"{path.parent.name}/{path.name}": path.read_bytes
    for folder in ("samples", "templates")
    for path in sorted((ROOT / folder).glob("*.xlsx"))
}
"""Each by its name; called, it gives the bytes."""
USUAL = {"samples/offers-mistakes.xlsx"}
SIMILAR = {name for name in BOOKS if name.startswith(("templates/", "samples/"))} - USUAL
"""Templates and samples that are written as that is, in other words and for other columns."""


def parameters(names: Iterable[str]) -> list[Any]:
    """The books for the tests; most of those that feedtool has made are for the long run."""
    return [
        pytest.param(name, marks=pytest.mark.long) if name in SIMILAR else name for name in names
    ]
