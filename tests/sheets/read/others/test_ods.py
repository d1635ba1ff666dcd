from pathlib import Path

import pytest

from feedtool.check.sheet_selection import SheetMissing, sheet_names
from feedtool.model.cells import Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from tests.corpus.made import package
from tests.sheets.read.others.conftest import ReadBytes

NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in {"office": "office", "table": "table", "text": "text", "s": "style"}.items()
)
CALC = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'


def content(body: str, kind: str = "spreadsheet", root: str = "document-content") -> str:
    inner = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    hidden = '<s:style s:name="ta2"><s:properties table:display="false"/></s:style>'
    return f"<office:{root} {NAMES} {CALC}>{hidden}{inner}</office:{root}>"


def ods(rows: str, **parts: str) -> bytes:
    table = f'<table:table table:name="A">{rows}</table:table>'
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    return package({"mimetype": mimetype, "content.xml": content(table), **parts})


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def cell(text: str = "", **attributes: str) -> str:
    names = {"type": "office:value-type", "error": "calcext:value-type", "f": "table:formula"}
    names |= {"columns": "table:number-columns-repeated"}
    written = "".join(
        f' {names.get(name, "office:" + name.replace("_", "-"))}="{value}"'
        for name, value in attributes.items()
    )
    return f"<table:table-cell{written}>{text and f'<text:p>{text}</text:p>'}</table:table-cell>"


TEXT = cell("x", type="string")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (cell("19.99", type="float", value="19.99"), Cell(Kind.NUMBER, "19.99")),
        (cell("3,00 €", type="currency", value="3"), Cell(Kind.NUMBER, "3")),
        (cell("20%", type="percentage", value="0.2"), Cell(Kind.NUMBER, "0.2", percent=True)),
        (cell("007", type="float", value="7"), Cell(Kind.NUMBER, "7", zeros=3)),
        (
            cell("3.76E+12", type="float", value="3760123456789"),
            Cell(Kind.NUMBER, "3760123456789"),
        ),
        (
            cell("31/01", type="date", date_value="2026-01-31T00:00:00"),
            Cell(Kind.DATE, "2026-01-31"),
        ),
        (cell("13:45", type="time", time_value="PT13H45M00S"), Cell(Kind.DATE, "13:45:00")),
        (cell("36:00", type="time", time_value="PT36H00M00S"), Cell(Kind.DATE, "PT36H00M00S")),
        (cell("?", type="date", date_value="2026-13-45"), Cell(Kind.TEXT, "2026-13-45")),
        (cell("VRAI", type="boolean", boolean_value="true"), Cell(Kind.BOOLEAN, "TRUE")),
        (cell("#N/A", type="string", error="error"), Cell(Kind.ERROR, "#N/A")),
        (cell("#DIV/0!", type="string", f="of:=1/0"), Cell(Kind.ERROR, "#DIV/0!")),
        (cell("#12", type="string"), Cell(Kind.TEXT, "#12")),
        (cell(f="of:=A1"), Cell(Kind.NO_RESULT, "of:=A1")),
        (cell(type="string", string_value="x"), Cell(Kind.TEXT, "x")),
        (
            cell('a<text:s text:c="2"/>b<text:tab/><text:span>c</text:span>', type="string"),
            Cell(Kind.TEXT, "a  b\tc"),
        ),
        (cell("a</text:p><text:p>b", type="string"), Cell(Kind.TEXT, "a\nb")),
    ],
)
def test_cells(read_bytes: ReadBytes, made: str, expected: Cell) -> None:
    assert read_bytes(ods(row(made))) == {("A", False): {1: {0: expected}}}


X = Cell(Kind.TEXT, "x")
COVERED = "<table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>"
REPEATED = 'table:number-rows-repeated="3"'


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (row(cell(columns="2"), TEXT), {1: {2: X}}),
        (row(cell("x", type="string", columns="2"), TEXT), {1: {0: X, 1: X, 2: X}}),
        (row(TEXT, more=REPEATED) + row(TEXT), {number: {0: X} for number in range(1, 5)}),
        (row(cell(), more=REPEATED) + row(TEXT), {4: {0: X}}),
        (row(TEXT, COVERED, TEXT), {1: {0: X, 2: X}}),
        (row(TEXT) + row(cell(columns="16384"), more=REPEATED), {1: {0: X}}),
        (f"<table:table-header-rows>{row(TEXT)}</table:table-header-rows>{row(TEXT)}", 2),
    ],
)
def test_rows(read_bytes: ReadBytes, rows: str, expected: dict[int, dict[int, Cell]] | int) -> None:
    (read,) = read_bytes(ods(rows)).values()
    assert (len(read) if isinstance(expected, int) else read) == expected


def test_merged_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.ods"
    wide = TEXT.replace("<table:table-cell", '<table:table-cell table:number-columns-spanned="2"')
    high = TEXT.replace("<table:table-cell", '<table:table-cell table:number-rows-spanned="3"')
    path.write_bytes(ods(row(TEXT) + row(TEXT, wide, COVERED, TEXT, high)))
    with open_source(path) as source:
        sheet = source.sheet("A")
        assert [*sheet.blocks()]
        assert list(map(str, sheet.merged)) == ["B2:C2", "E2:E4"]


def test_sheets_of_a_flat_file(read_bytes: ReadBytes) -> None:
    long = "Prices [spring] of more than 31 letters"
    tables = "".join(
        f'<table:table table:name="{name}" table:style-name="{style}">{row(TEXT)}</table:table>'
        for name, style in ((long, "ta1"), (long, "ta1"), ("Lists", "ta2"))
    )
    sheets = read_bytes(content(tables, root="document").encode())
    assert list(sheets) == [
        ("Prices _spring_ of more than 31", False),
        ("Prices _spring_ of more than  2", False),
        ("Lists", True),
    ]
    assert all(rows == {1: {0: X}} for rows in sheets.values())


@pytest.mark.parametrize(
    ("called", "names"),
    [
        ("Catalogue of autumn and winter, 2026", ("Catalogue of autumn and winter,",)),
        ("catalogue of AUTUMN and winter, 2026", ("Catalogue of autumn and winter,",)),
        ("Catalogue of autumn and winter, 2027", ("Catalogue of autumn and winte 2",)),
        ("Catalogue of autumn and winter,", ("Catalogue of autumn and winter,",)),
        ("Prices [spring]", ("Prices _spring_",)),
        ("", ()),
        ("Catalogue", ()),
    ],
)
def test_a_sheet_is_chosen_by_the_name_that_the_file_has(
    tmp_path: Path, called: str, names: tuple[str, ...]
) -> None:
    tables = ("Catalogue of autumn and winter, 2026", "Catalogue of autumn and winter, 2027")
    body = "".join(
        f'<table:table table:name="{name}">{row(TEXT)}</table:table>'
        for name in (*tables, "Prices [spring]")
    )
    path = tmp_path / "offers.fods"
    path.write_text(content(body, root="document"))
    with open_source(path) as source:
        if names:
            assert sheet_names(source, [called]) == [*names]
        else:
            with pytest.raises(SheetMissing):
                sheet_names(source, [called])


MANY = 'table:number-rows-repeated="1048576"'
REFUSED = {
    "a bomb of rows": (ods(row(cell("x", columns="1000"), more=MANY)), "zip-bomb"),
    "more rows than a sheet has": (ods(row(more=MANY) + row(TEXT)), "ods-unsupported"),
    "a place outside the grid": (ods(row(cell(columns="16384"), TEXT)), "ods-unsupported"),
    "a password": (
        ods(row(TEXT), **{"META-INF/manifest.xml": "<manifest:encryption-data/>"}),
        "encrypted",
    ),
    "no XML": (ods("<table:table-row>"), "ods-unsupported"),
    "very many sheets": (
        content('<table:table table:name="A"/>' * 5000, root="document").encode(),
        "ods-unsupported",
    ),
    "no content": (ods("", **{"content.xml": ""}), "ods-unsupported"),
    "a document type": (
        ods("", **{"content.xml": "<!DOCTYPE x [<!ENTITY y 'z'>]>" + content("")}),
        "xml-doctype",
    ),
    "a document type of another root": (
        ods("", **{"content.xml": "<!DOCTYPE x>" + content("", root="other")}),
        "xml-doctype",
    ),
    "a text": (content("", "text", root="document").encode(), "ods-unsupported"),
    "a number that is none": (ods(row(cell("x", type="float", value="x"))), "ods-unsupported"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_files_are_refused(read_bytes: ReadBytes, case: str) -> None:
    made, code = REFUSED[case]
    with pytest.raises(FileProblem) as caught:
        read_bytes(made)
    assert caught.value.code == code
    assert caught.value.hint
