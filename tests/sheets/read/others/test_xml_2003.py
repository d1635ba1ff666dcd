import pytest

from feedtool.model.cells import Cell, Kind
from feedtool.model.errors import FileProblem
from tests.sheets.read.others.conftest import ReadBytes

STYLES = "".join(
    f'<Style ss:ID="{name}" {more}>{code and f"<NumberFormat ss:Format={code!r}/>"}</Style>'
    for name, code, more in (
        ("pct", "Percent", ""),
        ("zip", "00000", ""),
        ("day", "Short Date", ""),
        ("own", "", 'ss:Parent="zip"'),
    )
)


def book(rows: str, *, hidden: str = "", before: str = "") -> bytes:
    office = "urn:schemas-microsoft-com:office"
    options = f'<WorksheetOptions xmlns="{office}:excel">{hidden}</WorksheetOptions>'
    return (
        f'<?xml version="1.0"?>{before}<Workbook xmlns="{office}:spreadsheet" '
        f'xmlns:ss="{office}:spreadsheet"><Styles>{STYLES}</Styles>'
        f'<Worksheet ss:Name="A"><Table>{rows}</Table>{options}</Worksheet></Workbook>'
    ).encode()


def data(kind: str, content: str = "x", more: str = "") -> str:
    return f'<Cell {more}><Data ss:Type="{kind}">{content}</Data></Cell>'


X = Cell(Kind.TEXT, "x")
TEXT = data("String")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (data("String", "a<B xmlns='urn:html'>b</B>&#10;c"), Cell(Kind.TEXT, "ab\nc")),
        (data("Number", "3760123456789"), Cell(Kind.NUMBER, "3760123456789")),
        (data("Number", "3.760123456789E+12"), Cell(Kind.NUMBER, "3760123456789")),
        (data("Number", "0.2", 'ss:StyleID="pct"'), Cell(Kind.NUMBER, "0.2", percent=True)),
        (data("Number", "7", 'ss:StyleID="zip"'), Cell(Kind.NUMBER, "7", zeros=5)),
        (data("Number", "7", 'ss:StyleID="own"'), Cell(Kind.NUMBER, "7", zeros=5)),
        (data("Number", "46053", 'ss:StyleID="day"'), Cell(Kind.DATE, "2026-01-31")),
        (data("Number", "INF"), Cell(Kind.ERROR, "#NUM!")),
        (data("DateTime", "2026-01-31T00:00:00.000"), Cell(Kind.DATE, "2026-01-31")),
        (data("DateTime", "1899-12-31T13:45:00.000"), Cell(Kind.DATE, "13:45:00")),
        (data("DateTime", "2026-13-45T00:00:00.000"), Cell(Kind.TEXT, "2026-13-45T00:00:00")),
        (data("Boolean", "1"), Cell(Kind.BOOLEAN, "TRUE")),
        (data("Error", "#N/A"), Cell(Kind.ERROR, "#N/A")),
        ('<Cell ss:Formula="=R1C1"/>', Cell(Kind.NO_RESULT, "=R1C1")),
    ],
)
def test_cells(read_bytes: ReadBytes, cell: str, expected: Cell) -> None:
    assert read_bytes(book(f"<Row>{cell}</Row>")) == {("A", False): {1: {0: expected}}}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (f"<Row>{TEXT}<Cell/>{TEXT}</Row>", {1: {0: X, 2: X}}),
        (
            '<Row><Cell ss:Index="3"><Data>x</Data></Cell><Cell><Data>x</Data></Cell></Row>',
            {1: {2: X, 3: X}},
        ),
        (f'<Row><Cell ss:MergeAcross="2"><Data>x</Data></Cell>{TEXT}</Row>', {1: {0: X, 3: X}}),
        (f'<Row ss:Index="5">{TEXT}</Row><Row>{TEXT}</Row>', {5: {0: X}, 6: {0: X}}),
        (f'<Row ss:Span="2"/><Row>{TEXT}</Row>', {4: {0: X}}),
    ],
)
def test_places(read_bytes: ReadBytes, rows: str, expected: dict[int, dict[int, Cell]]) -> None:
    assert read_bytes(book(rows)) == {("A", False): expected}


def test_a_hidden_sheet(read_bytes: ReadBytes) -> None:
    sheets = read_bytes(book("", hidden="<Visible>SheetHidden</Visible>"))
    assert list(sheets) == [("A", True)]


@pytest.mark.parametrize(
    ("rows", "before", "code"),
    [
        ("<Row>", "", "xml2003-as-xls"),
        ("<Row><Cell><Data>Müller & Sohn</Data></Cell></Row>", "", "xml2003-as-xls"),
        (f'<Row ss:Index="2000000">{TEXT}</Row>', "", "xml2003-as-xls"),
        (f'<Row ss:Index="2"/><Row ss:Index="1">{TEXT}</Row>', "", "xml2003-as-xls"),
        ('<Row><Cell ss:Index="20000"><Data>x</Data></Cell></Row>', "", "xml2003-as-xls"),
        (f"<Row>{data('Number', 'seven')}</Row>", "", "xml2003-as-xls"),
        (f"<Row>{TEXT}</Row>", "<!DOCTYPE Workbook>", "xml-doctype"),
    ],
)
def test_wrong_files_are_refused(read_bytes: ReadBytes, rows: str, before: str, code: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read_bytes(book(rows, before=before))
    assert caught.value.code == code
    assert caught.value.hint
