"""Workbooks of every make, small and made of raw XML, so that a test knows every byte of them.

Each holds a table that is read as offers, and what the corpus's own cases have not. The tests of
this folder compare how they are read and annotated; the fuzz tests mutate them.
"""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, time, timedelta
from itertools import cycle
from pathlib import Path

import openpyxl
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from feedtool.model.cells import letters

ROOT = Path(__file__).resolve().parents[2]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_RELS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

Parts = dict[str, str | bytes]

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"

STYLE_SHEET = (
    f'{DECLARATION}<styleSheet xmlns="{MAIN}"><numFmts count="4">'
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


def package(parts: Mapping[str, str | bytes | None], comment: bytes = b"") -> bytes:
    """A zip of parts, in their order; None leaves one out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            if content is not None:
                archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), content)
        archive.comment = comment
    return out.getvalue()


def around(sheets: Mapping[str, str] | None = None, more: str = "", attributes: str = "") -> Parts:
    """The parts around the sheets: of each sheet its name and the further attributes it has."""
    sheets = sheets or {"Offers": ""}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}"{state} r:id="rId{number}"/>'
        for number, (name, state) in enumerate(sheets.items(), 1)
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{RELS}/worksheet"'
        f' Target="worksheets/sheet{number}.xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    declared = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml"'
        f' ContentType="{KIND}.worksheet+xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    return {
        "[Content_Types].xml": f'{DECLARATION}<Types xmlns="{TYPES}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>{declared}'
        f'<Override PartName="/{STYLES}" ContentType="{KIND}.styles+xml"/>'
        f'<Override PartName="/{STRINGS}" ContentType="{KIND}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'{DECLARATION}<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="rId1"'
        f' Type="{RELS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{RELS}">'
        f"<workbookPr{attributes}/><sheets>{listed}</sheets>{more}</workbook>",
        "xl/_rels/workbook.xml.rels": f'{DECLARATION}<Relationships xmlns="{PACKAGE_RELS}">'
        f'{related}<Relationship Id="rId90" Type="{RELS}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId91" Type="{RELS}/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>",
        STYLES: STYLE_SHEET,
        STRINGS: texts(),
    }


def worksheet(rows: str, *, before: str = "", after: str = "") -> str:
    """A sheet's XML around its rows."""
    return (
        f'{DECLARATION}<worksheet xmlns="{MAIN}" xmlns:r="{RELS}">{before}'
        f"<sheetData>{rows}</sheetData>{after}</worksheet>"
    )


def texts(*strings: str) -> str:
    """The shared strings, given as the inside of each `<si>`."""
    inner = "".join(f"<si>{string}</si>" for string in strings)
    return f'{DECLARATION}<sst xmlns="{MAIN}" count="{len(strings)}">{inner}</sst>'


def inline(place: str, text: str) -> str:
    """A cell with a text in it."""
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def number(place: str, value: object, style: int = 0) -> str:
    """A cell with a number in it."""
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def row(place: int, cells: str, attributes: str = "") -> str:
    """A row."""
    return f'<row r="{place}"{attributes}>{cells}</row>'


def header(place: int = 1, names: tuple[str, ...] = HEADER) -> str:
    """The row of the headings."""
    return row(
        place, "".join(inline(f"{letters(at)}{place}", name) for at, name in enumerate(names))
    )


def offers(first: int = 2, count: int = 3, more: Callable[[int], str] = lambda _: "") -> str:
    """Rows of offers, and what stands in them from column D on."""
    return "".join(
        row(
            place,
            inline(f"A{place}", f"SKU-{place}")
            + number(f"B{place}", f"{place}.5")
            + number(f"C{place}", place * 3)
            + more(place),
        )
        for place in range(first, first + count)
    )


def table(cells: Iterable[str]) -> bytes:
    """A workbook with a row for each cell of column D, its place written `{}`."""
    rows = "".join(
        row(at, inline(f"A{at}", f"SKU-{at}") + number(f"B{at}", at) + cell.format(f"D{at}"))
        for at, cell in enumerate(cells, 2)
    )
    strings = texts("<t>=1+1</t>", "<t>shared</t>")
    return package(around() | {SHEET: worksheet(header() + rows), STRINGS: strings})


def plain() -> bytes:
    return package(around() | {SHEET: worksheet(header() + offers())})


def shared_strings() -> bytes:
    rows = row(1, "".join(f'<c r="{letters(at)}1" t="s"><v>{at}</v></c>' for at in range(4)))
    rows += "".join(
        row(at, f'<c r="A{at}" t="s"><v>{at + 2}</v></c>{number(f"B{at}", at)}')
        for at in range(2, 6)
    )
    strings = texts(
        *(f"<t>{name}</t>" for name in HEADER),
        '<t xml:space="preserve"> blank at both ends </t>',
        "<r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r>",
        '<t>課長</t><rPh sb="0" eb="2"><t>カチョウ</t></rPh><phoneticPr fontId="1"/>',
        "<t>a &amp; b &lt;c&gt; &#xE9;</t>",
    )
    return package(around() | {SHEET: worksheet(rows), STRINGS: strings})


def escapes() -> bytes:
    whole = ("_x000D_", "a_x0041_b", "_x005F_x000D_", "_x00e9_", "_xD83D__xDE00_")
    return table(inline("{}", text) for text in (*whole, "_X0041_", "_x004_"))


def escaped_underscores() -> bytes:
    rows = row(2, '<c r="A2" t="s"><v>0</v></c>' + number("B2", 1))
    strings = texts("<t>_x005F_x0041_ and x005F_</t>")
    return package(around() | {SHEET: worksheet(header() + rows), STRINGS: strings})


def lenient() -> bytes:
    """What no program should write, and what is read nevertheless."""
    return table(
        (
            '<c r="{}" t="inlineStr"><v>no inline string</v></c>',
            '<c r="{}"><v>1_000</v></c>',
            '<c r="{}"><v>٣</v></c>',
            '<c r="{}" t="s"><v> 1 </v></c>',
            '<c r="{}"><v> 7 </v></c>',
        )
    )


def strict() -> bytes:
    parts = around() | {SHEET: worksheet(header() + offers())}
    return package(
        {
            name: str(content).replace(MAIN, STRICT).replace(RELS, STRICT_RELS)
            for name, content in parts.items()
        }
    )


def latin_1() -> bytes:
    sheet = worksheet(header() + offers(more=lambda at: inline(f"D{at}", "é ø")))
    declared = sheet.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"')
    return package(around() | {SHEET: declared.encode("latin-1")})


def absolute_names() -> bytes:
    parts = around() | {SHEET: worksheet(header() + offers())}
    rels = str(parts["xl/_rels/workbook.xml.rels"])
    parts["xl/_rels/workbook.xml.rels"] = rels.replace('Target="', 'Target="/xl/')
    return package(parts, comment=b"a comment of the archive")


def other_names() -> bytes:
    """Parts in folders of their own, in other cases than the relationships say, in odd order."""
    parts = around() | {SHEET: worksheet(header() + offers())}
    rels = str(parts["xl/_rels/workbook.xml.rels"]).replace("worksheets/sheet1", "Tabelle%201/S")
    parts["xl/_rels/workbook.xml.rels"] = rels
    types = str(parts["[Content_Types].xml"]).replace("worksheets/sheet1", "tabelle 1/s")
    parts["[Content_Types].xml"] = types
    parts["xl/tabelle 1/s.xml"] = parts.pop(SHEET)
    return package(dict(reversed(parts.items())))


def dates() -> bytes:
    values = ((44927, 1), (44927.75, 2), (0.5, 9), (1.5, 5), (44927.123456789, 6), (60, 1), (61, 1))
    return table(number("{}", value, style) for value, style in values)


def first_days_of_1904() -> bytes:
    values = ((0.5, 1), (1, 1), (1.25, 2))
    rows = "".join(
        row(at, inline(f"A{at}", f"SKU-{at}") + number(f"B{at}", at) + number(f"D{at}", *value))
        for at, value in enumerate(values, 2)
    )
    return package(around(attributes=' date1904="1"') | {SHEET: worksheet(header() + rows)})


def written_dates() -> bytes:
    values = ("2024-01-31", "2024-01-31T12:30:00", "12:30:00")
    return table(f'<c r="{{}}" s="2" t="d"><v>{value}</v></c>' for value in values)


def absurd_dates() -> bytes:
    return table(number("{}", value, 1) for value in (-1, 2958466, 1e10))


def numbers() -> bytes:
    noise = ("19.989999999999998", "0.1", "1.7976931348623157E308", "123456789012345678")
    written = ("1E3", "1e-7", "-0", "8.8E+12", "4006381333931", "5.0", "+7", ".5", "3.")
    styles = cycle((0, 3, 4, 7, 8))
    return table(number("{}", value, next(styles)) for value in (*noise, *written))


def kinds() -> bytes:
    cells = (
        '<c r="{}" t="b"><v>1</v></c>',
        '<c r="{}" t="b"><v>0</v></c>',
        '<c r="{}" t="e"><v>#N/A</v></c>',
        '<c r="{}" t="e"><v>#REF!</v></c>',
        '<c r="{}" t="str"><v>text</v></c>',
        '<c r="{}" t="str"><v></v></c>',
        '<c r="{}" t="n"/>',
        '<c r="{}" s="3"><v>0.2</v></c>',
        '<c r="{}" s="4"><v>36000291452</v></c>',
        '<c r="{}" s="8" t="s"><v>0</v></c>',
        '<c r="{}" t="inlineStr"><is><r><t>two </t></r><r><t>runs</t></r></is></c>',
        '<c r="{}" s="7"><v>12</v></c>',
        '<c r="{}" t="inlineStr"><is><t/></is></c>',
    )
    return table(cells)


def formulas() -> bytes:
    cells = (
        '<c r="{}"><f>B2*2</f><v>5</v></c>',
        '<c r="{}" t="str"><f>A3&amp;"x"</f><v>SKU-3x</v></c>',
        '<c r="{}" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
        '<c r="{}" t="b"><f>TRUE()</f><v>1</v></c>',
        '<c r="{}"><f t="shared" ref="D6:D7" si="0">B6+1</f><v>7.5</v></c>',
        '<c r="{}"><f t="shared" si="0"/><v>8.5</v></c>',
        '<c r="{}"><f t="array" ref="D8">SUM(B2:B7*2)</f><v>54</v></c>',
        '<c r="{}"><f>B9</f></c>',
        '<c r="{}" t="str"><f>""</f><v></v></c>',
        '<c r="{}" s="1"><f>TODAY()</f><v>45000</v></c>',
    )
    return table(cells)


def titles_and_merges() -> bytes:
    title = row(1, inline("A1", "Spring offers")) + row(3, inline("A3", "Please fill"))
    merges = '<mergeCells count="2"><mergeCell ref="A1:D2"/><mergeCell ref="D6:D7"/></mergeCells>'
    rows = title + header(4) + offers(5, 4, lambda at: inline(f"D{at}", f"note {at}"))
    return package(around() | {SHEET: worksheet(rows, after=merges)})


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
    return package(around() | {SHEET: sheet})


def many_parts() -> bytes:
    """Macros, custom XML, a calculation chain, printer settings, document properties."""
    app = (
        f'{DECLARATION}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/'
        'extended-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/'
        'docPropsVTypes"><HeadingPairs><vt:vector size="2" baseType="variant"><vt:variant>'
        "<vt:lpstr>Worksheets</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant>"
        '</vt:vector></HeadingPairs><TitlesOfParts><vt:vector size="1" baseType="lpstr">'
        "<vt:lpstr>Offers</vt:lpstr></vt:vector></TitlesOfParts></Properties>"
    )
    names = '<definedNames><definedName name="Prices">Offers!$B$2:$B$4</definedName></definedNames>'
    parts = around(more=names)
    parts["_rels/.rels"] = str(parts["_rels/.rels"]).replace(
        "</Relationships>",
        f'<Relationship Id="rId2" Type="{RELS}/extended-properties" Target="docProps/app.xml"/>'
        "</Relationships>",
    )
    rules = (
        '<autoFilter ref="A1:D4"/><conditionalFormatting sqref="B2:B4"><cfRule type="cellIs" '
        'dxfId="0" priority="1" operator="lessThan"><formula>1</formula></cfRule>'
        '</conditionalFormatting><dataValidations count="1"><dataValidation type="list" '
        'sqref="D2:D9"><formula1>"a,b"</formula1></dataValidation></dataValidations>'
        '<hyperlinks><hyperlink ref="A2" location="Offers!A1"/></hyperlinks>'
        '<pageMargins left="1" right="1" top="1" bottom="1" header="1" footer="1"/>'
    )
    return package(
        parts
        | {
            "docProps/app.xml": app,
            "xl/calcChain.xml": f'<calcChain xmlns="{MAIN}"><c r="D2" i="1"/></calcChain>',
            "xl/vbaProject.bin": bytes(range(256)) * 9,
            "customXml/item1.xml": "<mine>\r\n<kept/></mine>",
            "xl/printerSettings/printerSettings1.bin": b"\0\1\2" * 50,
            SHEET: worksheet(header() + offers(), after=rules),
        }
    )


def openpyxl_writes_all() -> bytes:
    """What openpyxl can write around cells: a chart, comments, a table, styles, names."""
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
    other = book.create_sheet("Other")
    other.append(["a", "b"])
    other.append([1, 2])
    other.add_table(Table(displayName="T", ref="A1:B2"))
    book.defined_names["Prices"] = DefinedName("Prices", attr_text="Offers!$B$2:$B$8")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def openpyxl_writes_rows() -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Offers")
    sheet.append([*HEADER, *(f"column {at}" for at in range(20))])
    for at in range(2, 60):
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
        openpyxl_writes_all,
        openpyxl_writes_rows,
    )
} | {
    f"{path.parent.name}/{path.name}": path.read_bytes
    for folder in ("samples", "templates")
    for path in sorted((ROOT / folder).glob("*.xlsx"))
}
"""Each by its name; called, it gives the bytes."""
