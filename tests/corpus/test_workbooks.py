"""Workbooks of every make: whoever wrote them, the same rows come out."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from feedtool.model.cells import letters
from tests.conftest import offer
from tests.corpus.made import (
    CONDITION,
    COST,
    KEYS,
    MAIN,
    PACKAGE_RELS,
    PRICE,
    REFERENCE,
    RELS,
    STOCK,
    VAT,
    Case,
    Content,
    Xml,
    book,
    cell,
    data,
    header,
    judge,
    number,
    offers,
    one,
    package,
    parts,
    relationships,
    row,
    sent,
    several,
    strings,
    styles,
    values,
    workbook,
)

LAST_ROW = 1_048_576


def shared(*items: str) -> bytes:
    """An offer whose reference is the first of these shared strings."""
    return one({REFERENCE: Xml(' t="s"><v>0</v>')}, {"xl/sharedStrings.xml": strings(*items)})


def all_shared() -> bytes:
    """Every text shared, as Excel writes it, with a blank between tags here and there."""
    texts = [*KEYS, *values()]
    first, second = (
        "".join(f'<c r="{letters(i)}{at}" t="s"><v>{i + offset}</v></c>' for i in range(len(KEYS)))
        for at, offset in ((1, 0), (2, len(KEYS)))
    )
    sheet = data(f'<row r="1" spans="1:9">{first}</row>\n <row r="2" spans="1:9">{second}</row>')
    return book(sheet, {"xl/sharedStrings.xml": strings(*(f"<t>{text}</t>" for text in texts))})


def unreferenced(*, rows: bool = True) -> str:
    """Cells, and rows too, that do not say where they stand."""
    sheet = re.sub(r'<c r="[A-Z]+\d+"', "<c", offers())
    return re.sub(r'<row r="\d+"', "<row", sheet) if rows else sheet


def prefixed(sheet: str, prefix: str = "x") -> str:
    """The same with a prefix before every tag."""
    sheet = sheet.replace(f' xmlns="{MAIN}"', f' xmlns:{prefix}="{MAIN}"')
    return re.sub(r"<(/?)(?=[a-zA-Z])", rf"<\1{prefix}:", sheet)


def utf_16(order: str = "utf-16") -> bytes:
    """All parts in UTF-16, as the format allows."""
    mark = "" if order == "utf-16" else "\ufeff"
    return package(
        {
            name: f'{mark}<?xml version="1.0" encoding="UTF-16"?>{content!s}'.encode(order)
            for name, content in parts({"Offers": offers({REFERENCE: "Été-€"})}).items()
        }
    )


def renamed(names: Mapping[str, str], target: str, root: str = "xl/workbook.xml") -> bytes:
    """Parts under other names, the sheet found by this target."""
    made: dict[str, Content] = {}
    for name, content in parts({"Offers": offers()}).items():
        made[names.get(name, name)] = content
    rels = relationships(("rId1", "worksheet", target))
    made[names.get("xl/_rels/workbook.xml.rels", "xl/_rels/workbook.xml.rels")] = rels
    made["_rels/.rels"] = relationships(("rId1", "officeDocument", root))
    return package(made)


def backslashes() -> bytes:
    """A program on Windows that joined paths the wrong way."""
    made = {name.replace("/", "\\"): content for name, content in parts({"O": offers()}).items()}
    made["xl\\_rels\\workbook.xml.rels"] = relationships(
        ("rId1", "worksheet", "worksheets\\sheet1.xml")
    )
    made["_rels\\.rels"] = relationships(("rId1", "officeDocument", "xl\\workbook.xml"))
    return package(made)


def dated(epoch: str) -> bytes:
    """A reference and a price that are dates, counted from 1900 or 1904."""
    sheet = offers({REFERENCE: number("43860", 1), PRICE: number("0.5", 1)})
    made = parts({"Offers": sheet}, before=f"<workbookPr{epoch}/>")
    return package({**made, "xl/styles.xml": styles("dd/mm/yyyy")})


def dimensioned(ref: str, sheet: str = "") -> bytes:
    """A sheet that announces this extent of itself."""
    return book((sheet or offers()).replace("<sheetData>", f'<dimension ref="{ref}"/><sheetData>'))


def under_titles() -> str:
    """Title lines, one of them merged over all columns, and a blank row above the header."""
    rows = (
        row(1, ["Our offers of March, please check the price and the stock"])
        + row(2, [None, "Export of", "2024-03-01"])
        + row(5, KEYS)
        + row(6, values())
    )
    return data(rows).replace(
        "</worksheet>", '<mergeCells count="1"><mergeCell ref="A1:I1"/></mergeCells></worksheet>'
    )


LABELS = (
    "Seller reference",
    "GTIN (EAN)",
    "Condition",
    "Price (VAT included)",
    "VAT (%)",
    "Tracked: cost",
    "Tracked: additional cost",
    "Preparation time (days)",
    "Stock",
)


def two_headers(far: int = 2) -> str:
    """What people read above what programs read."""
    return data(row(1, LABELS) + row(far, KEYS) + row(far + 1, values()))


def shuffled() -> str:
    """Columns in another order, blank and unknown ones in between."""
    keys = [STOCK, None, "our notes", *reversed(KEYS[1:8]), None, REFERENCE]
    taken = offer()
    cells = [taken.get(key, "x" if key else None) if key else None for key in keys]
    return data(row(1, keys) + row(2, cells))


def formulas() -> str:
    """Shared, array and plain formulas, each with what it came to."""
    return offers(
        {
            REFERENCE: Xml(
                ' t="str"><f t="shared" ref="A2:A9" si="0">"SKU-"&amp;ROW()</f><v>SKU-1</v>'
            ),
            PRICE: Xml('><f t="array" ref="D2">SUM(K2:K9*L2:L9)</f><v>19.99</v>'),
            VAT: Xml('><f t="shared" si="1"/><v>20</v>'),
            COST: Xml('><f ca="1">NOW()*0+4.9</f><v>4.9000000000000004</v>'),
            STOCK: Xml('><f t="dataTable" ref="I2" dt2D="1" dtr="1" r1="A1" r2="A2"/><v>7</v>'),
        }
    )


def phantoms(first: int, last: int, step: int) -> str:
    """Rows that are formatted and empty."""
    return "".join(
        f'<row r="{at}" s="3" customFormat="1"><c r="A{at}" s="3"/><c r="I{at}" s="3"/></row>'
        for at in range(first, last + 1, step)
    )


def lone(value: str | None) -> str:
    """A cell in the grid's last corner."""
    last = f'<row r="{LAST_ROW}">{cell("XFD1048576", value)}</row>'
    return data(header() + row(2, values()) + last)


CASES: dict[str, Case] = {
    # Texts
    "a workbook": Case(lambda: book(offers()), {2: sent()}),
    "shared strings": Case(all_shared, {2: sent()}),
    "an escaped line feed": Case(
        lambda: one({REFERENCE: "A_x000A_B"}), problems=[(2, "A", "reference-format", "A\nB")]
    ),
    "a text is kept character for character": Case(
        lambda: one({REFERENCE: "e\u0301\u00e9 \ufb01 \u212b"}),
        {2: sent(reference="e\u0301\u00e9 \ufb01 \u212b")},
    ),
    # Where cells stand
    "rows and cells without references": Case(lambda: book(unreferenced()), {2: sent()}),
    "a row without a number counts on": Case(
        lambda: book(data(row(4, KEYS) + row(5, values()).replace('<row r="5"', "<row"))),
        {5: sent()},
    ),
    "a wrong dimension": Case(
        lambda: dimensioned("A1"),
        {2: sent()},
        [(None, None, "dimension-wrong", None)],
        says=["ends at A1"],
    ),
    # Packages
    "every part prefixed": Case(
        lambda: package(
            {
                **parts({"Offers": prefixed(offers())}),
                "xl/workbook.xml": prefixed(workbook("Offers")),
                "xl/_rels/workbook.xml.rels": f'<p:Relationships xmlns:p="{PACKAGE_RELS}">'
                f'<p:Relationship Id="rId1" Type="{RELS}/worksheet" '
                'Target="worksheets/sheet1.xml"/></p:Relationships>',
            }
        ),
        {2: sent()},
    ),
    "UTF-16": Case(utf_16, {2: sent(reference="Été-€")}),
    "UTF-16, most significant byte first": Case(
        lambda: utf_16("utf-16-be"), {2: sent(reference="Été-€")}
    ),
    "a byte order mark before the XML": Case(
        lambda: book(b"\xef\xbb\xbf" + offers({REFERENCE: "Été"}).encode()),
        {2: sent(reference="Été")},
    ),
    "part names with backslashes": Case(backslashes, {2: sent()}),
    "an absolute part name": Case(
        lambda: renamed(
            {"xl/worksheets/sheet1.xml": "/xl/worksheets/sheet1.xml"}, "worksheets/sheet1.xml"
        ),
        {2: sent()},
    ),
    "a workbook in another folder": Case(
        lambda: renamed(
            {
                "xl/workbook.xml": "book/main.xml",
                "xl/_rels/workbook.xml.rels": "book/_rels/main.xml.rels",
            },
            "/xl/worksheets/sheet1.xml",
            "book/main.xml",
        ),
        {2: sent()},
    ),
    # Dates
    "dates counted from 1904": Case(
        lambda: dated(' date1904="1"'),
        problems=[
            (2, "A", "date-in-number-cell", "2024-01-31"),
            (2, "D", "date-in-number-cell", "1904-01-01T12:00:00"),
        ],
    ),
    # Headers
    "title lines above the header": Case(lambda: book(under_titles()), {6: sent()}),
    "labels above keys": Case(lambda: book(two_headers()), {3: sent()}),
    "columns in any order": Case(
        lambda: book(shuffled()), {2: sent()}, [(None, None, "unknown-column", "our notes")]
    ),
    "a header that shows an error is no header": Case(
        lambda: book(
            data(row(1, [Xml(' t="e"><v>#REF!</v>'), *KEYS]) + row(2, ["left alone", *values()]))
        ),
        {2: sent()},
    ),
    "a value beyond the last header": Case(
        lambda: book(data(header() + row(2, [*values(), None, "lost"]))),
        problems=[(2, "K", "too-many-columns", "lost")],
    ),
    "headers as numbers stand beside known ones": Case(
        lambda: book(data(row(1, [*KEYS, number("2024")]) + row(2, [*values(), "x"]))),
        {2: sent()},
        [(None, None, "unknown-column", "2024")],
    ),
    # Sheets
    "a hidden sheet first": Case(
        lambda: several(
            {
                'Old" state="hidden': offers({REFERENCE: "OLD"}),
                '_l" state="veryHidden': data(""),
                "New": offers(),
            }
        ),
        {2: sent()},
    ),
    "several sheets, one of them offers": Case(
        lambda: several(
            {
                "Read me": data(row(1, ["How to fill in the price and the stock"])),
                "Prices": data(row(1, ["code", "price"]) + row(2, ["X", "1"])),
                "Feuil1": offers(),
                "Empty": data(""),
            }
        ),
        {2: sent()},
    ),
    "two sheets of offers": Case(
        lambda: several({"March": offers(), "April": offers()}),
        error="sheet-ambiguous",
        says=["March, April", "--sheet"],
    ),
    "only hidden sheets": Case(
        lambda: several({'Old" state="hidden': offers()}), error="header-not-found"
    ),
    "a hidden sheet, named": Case(
        lambda: several({'Old" state="hidden': offers()}), {2: sent()}, sheet="Old"
    ),
    "a sheet's name of odd characters": Case(
        lambda: several({"Q1 &amp; 'été' &lt;50%&gt; $#|{{x}} 東京 😀": offers()}), {2: sent()}
    ),
    "a sheet's name like a formula": Case(
        lambda: several({"=HYPERLINK(&quot;http://x&quot;)": offers()}), {2: sent()}
    ),
    "a chart between the sheets": Case(
        lambda: package(
            {
                **parts({"Offers": offers(), "Chart": "<chartsheet/>"}),
                "xl/_rels/workbook.xml.rels": relationships(
                    ("rId1", "worksheet", "worksheets/sheet1.xml"),
                    ("rId2", "chartsheet", "worksheets/sheet2.xml"),
                ),
            }
        ),
        {2: sent()},
    ),
    # Rows
    "a row that is hidden": Case(
        lambda: book(data(header() + row(2, values(), ' hidden="1"') + row(3, values(2)))),
        {2: sent(), 3: sent(2)},
        [(None, None, "hidden-rows", None)],
        says=["1 hidden row"],
    ),
    "blank rows and cells of blanks": Case(
        lambda: book(
            data(header() + row(3, [" "] * 9) + row(4, values()) + row(9, [None, "\u00a0\u200b"]))
        ),
        {4: sent()},
    ),
    "formatted rows down to the grid's end": Case(
        lambda: book(data(header() + row(2, values()) + phantoms(3, LAST_ROW, 24))),
        {2: sent()},
    ),
    "rows far apart": Case(
        lambda: book(data(header() + row(70_000, values()) + row(LAST_ROW, values(2)))),
        {70_000: sent(), LAST_ROW: sent(2)},
    ),
    "a lone cell in the last corner": Case(lambda: book(lone("x")), {2: sent()}),
    "merged cells fill nothing down": Case(
        lambda: book(
            data(header() + row(2, values()) + row(3, values(2, {CONDITION: None}))).replace(
                "</worksheet>", '<mergeCells><mergeCell ref="C2:C3"/></mergeCells></worksheet>'
            )
        ),
        {2: sent()},
        [(3, "C", "required-missing", None)],
    ),
    # Formulas
    "formulas with their results": Case(lambda: book(formulas()), {2: sent()}),
    "a formula without a result": Case(
        lambda: one({PRICE: Xml("><f>E2*1.2</f>")}),
        problems=[(2, "D", "formula-no-cache", "=E2*1.2")],
    ),
    "a formula that shows an error": Case(
        lambda: one({PRICE: Xml(' t="e"><f>1/0</f><v>#DIV/0!</v>')}),
        problems=[(2, "D", "formula-error", "#DIV/0!")],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_comes_out(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)
