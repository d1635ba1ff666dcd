"""Workbooks of every program yield the same rows."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from feedtool.model.cells import letters
from tests.corpus.made import (
    KEYS,
    MAIN,
    PACKAGE_RELS,
    REFERENCE,
    RELS,
    Case,
    Content,
    book,
    cell,
    data,
    header,
    judge,
    number,
    offers,
    package,
    parts,
    relationships,
    row,
    sent,
    several,
    strings,
    values,
    workbook,
)

LAST_ROW = 1_048_576


def all_shared() -> bytes:
    """Every text shared, as Excel writes it, with a blank between tags here and there."""
    texts = [*KEYS, *values()]
    first, second = (
        "".join(f'<c r="{letters(i)}{at}" t="s"><v>{i + offset}</v></c>' for i in range(len(KEYS)))
        for at, offset in ((1, 0), (2, len(KEYS)))
    )
    sheet = data(f'<row r="1" spans="1:9">{first}</row>\n <row r="2" spans="1:9">{second}</row>')
    return book(sheet, {"xl/sharedStrings.xml": strings(*(f"<t>{text}</t>" for text in texts))})


def prefixed(sheet: str) -> str:
    """The sheet with a prefix before every tag."""
    sheet = sheet.replace(f' xmlns="{MAIN}"', f' xmlns:x="{MAIN}"')
    return re.sub(r"<(/?)(?=[a-zA-Z])", r"<\1x:", sheet)


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


def phantoms() -> str:
    """Rows that are formatted and empty, here and there down to the grid's end."""
    return "".join(
        f'<row r="{at}" s="3" customFormat="1"><c r="A{at}" s="3"/><c r="I{at}" s="3"/></row>'
        for at in range(3, LAST_ROW + 1, 4800)
    )


CASES: dict[str, Case] = {
    # Texts
    "a workbook": Case(lambda: book(offers()), {2: sent()}),
    "shared strings": Case(all_shared, {2: sent()}),
    # Where cells stand
    "rows and cells without references": Case(
        lambda: book(re.sub(r'<(row|c) r="[A-Z]*\d+"', r"<\1", offers())), {2: sent()}
    ),
    "a row without a number counts on": Case(
        lambda: book(data(row(4, KEYS) + row(5, values()).replace('<row r="5"', "<row"))),
        {5: sent()},
    ),
    "a wrong dimension": Case(
        lambda: book(offers().replace("<sheetData>", '<dimension ref="A1"/><sheetData>')),
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
    # Headers
    "labels above keys": Case(
        lambda: book(data(row(1, LABELS) + row(2, KEYS) + row(3, values()))), {3: sent()}
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
    "only hidden sheets": Case(
        lambda: several({'Old" state="hidden': offers()}), error="header-not-found"
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
    "formatted rows down to the grid's end": Case(
        lambda: book(data(header() + row(2, values()) + phantoms())),
        {2: sent()},
    ),
    "rows far apart": Case(
        lambda: book(data(header() + row(70_000, values()) + row(LAST_ROW, values(2)))),
        {70_000: sent(), LAST_ROW: sent(2)},
    ),
    "a lone cell in the last corner": Case(
        lambda: book(
            data(
                header()
                + row(2, values())
                + f'<row r="{LAST_ROW}">{cell(f"XFD{LAST_ROW}", "x")}</row>'
            )
        ),
        {2: sent()},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_workbooks_are_read(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)
