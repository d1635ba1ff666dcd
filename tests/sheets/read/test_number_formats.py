import pytest

from feedtool.model.cells import Cell, Kind
from feedtool.sheets import CorruptXml
from feedtool.sheets.read.cell_decoder import GENERAL, DateKind, NumberStyle, iso, style_of_code
from tests.sheets.conftest import Make, Read

DATE = NumberStyle(DateKind.DATE)
ELAPSED = NumberStyle(DateKind.ELAPSED)


@pytest.mark.parametrize(
    ("code", "style"),
    [
        ("General", GENERAL),
        ("", GENERAL),
        ("0.00", GENERAL),
        ("0", NumberStyle(zeros=1)),
        ("0000000000000", NumberStyle(zeros=13)),
        ("##00", NumberStyle(zeros=2)),
        ("0000-0000", GENERAL),
        ("0%", NumberStyle(percent=True)),
        ("0.00\\ %", NumberStyle(percent=True)),
        ('0" %"', NumberStyle(zeros=1)),
        ("[Red]0.0%;[Blue]-0.0%", NumberStyle(percent=True)),
        ("0;-0%", NumberStyle(zeros=1)),
        ("yyyy-mm-dd", DATE),
        ("[$-40C]d mmmm yyyy;@", DATE),
        ("h:mm AM/PM", DATE),
        ("[$-F400]h:mm:ss", DATE),
        ("[h]:mm:ss", ELAPSED),
        ("[mm]:ss", ELAPSED),
        ('0.00" days"', GENERAL),
        ("#,##0.00 [$€-40C]", GENERAL),
        ("0.00E+00", GENERAL),
        ("[DBNum1]General", GENERAL),
        ('"Ref "0000', NumberStyle(zeros=4)),
        ("@", GENERAL),
        ("ggge", DATE),
        ('[<1]0.0;"many days"', GENERAL),
    ],
)
def test_format_codes(code: str, style: NumberStyle) -> None:
    assert style_of_code(code) == style


@pytest.mark.parametrize(
    ("serial", "moment", "text"),
    [
        (1, DateKind.DATE, "1900-01-01"),
        (59, DateKind.DATE, "1900-02-28"),
        (60, DateKind.DATE, "1900-02-29"),
        (61, DateKind.DATE, "1900-03-01"),
        (45322, DateKind.DATE, "2024-01-31"),
        (45322.5, DateKind.DATE, "2024-01-31T12:00:00"),
        (45322.000011574074, DateKind.DATE, "2024-01-31T00:00:01"),
        (45321.99999999999, DateKind.DATE, "2024-01-31"),
        (0.25, DateKind.DATE, "06:00:00"),
        (0.0000014467592, DateKind.DATE, "00:00:00.125"),
        (2958465, DateKind.DATE, "9999-12-31"),
        (2958465.9999999999, DateKind.DATE, None),
        (2958466, DateKind.DATE, None),
        (-1, DateKind.DATE, None),
        (float("inf"), DateKind.DATE, None),
        (1.5, DateKind.ELAPSED, "PT36H0M0S"),
        (0.5000014467592, DateKind.ELAPSED, "PT12H0M0.125S"),
        (0, None, "1904-01-01"),
        (43860, None, "2024-01-31"),
        (43860.5, None, "2024-01-31T12:00:00"),
        (2957003, None, "9999-12-31"),
        (2957004, None, None),
    ],
)
def test_serials(serial: float, moment: DateKind | None, text: str | None) -> None:
    """Serials without a kind are dates counted from 1904."""
    assert iso(serial, moment or DateKind.DATE, date1904=moment is None) == text


STYLES = (
    '<numFmts count="2"><numFmt numFmtId="164" formatCode="0000000000000"/>'
    '<numFmt numFmtId="165" formatCode="dd/mm/yyyy"/>'
    '<numFmt numFmtId="none" formatCode="dd/mm/yyyy"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="9"/>'
    '<xf numFmtId="14"/><xf numFmtId="46"/><xf/></cellXfs>'
)


@pytest.mark.parametrize(
    ("style", "value", "cell"),
    [
        (0, "1.5", Cell(Kind.NUMBER, "1.5")),
        (1, "36000291452", Cell(Kind.NUMBER, "36000291452", zeros=13)),
        (2, "45322", Cell(Kind.DATE, "2024-01-31")),
        (2, "-3", Cell(Kind.DATE, "-3")),
        (3, "0.2", Cell(Kind.NUMBER, "0.2", percent=True)),
        (4, "45322", Cell(Kind.DATE, "2024-01-31")),
        (5, "1.5", Cell(Kind.DATE, "PT36H0M0S")),
        (6, "7", Cell(Kind.NUMBER, "7")),
        (99, "7", Cell(Kind.NUMBER, "7")),
    ],
)
def test_cells_by_style(make_sheet: Make, read: Read, style: int, value: str, cell: Cell) -> None:
    row = f'<row r="1"><c r="A1" s="{style}"><v>{value}</v></c></row>'
    assert read(make_sheet(row, styles=STYLES)) == {1: {0: cell}}


@pytest.mark.parametrize("value", ["9" * 5000, "1e400", "-1e400", "٣"])
@pytest.mark.parametrize("kind", ["n", "s"])
def test_absurd_numbers(make_sheet: Make, read: Read, value: str, kind: str) -> None:
    row = f'<row r="1"><c r="A1" s="2" t="{kind}"><v>{value}</v></c></row>'
    path = make_sheet(row, styles=STYLES, strings="<si><t>a</t></si>")
    if kind == "n":
        assert read(path)[1][0].text == value
    else:
        with pytest.raises(CorruptXml):
            read(path)


@pytest.mark.parametrize("style", ["9" * 5000, "-1", "x", ""])
def test_absurd_styles(make_sheet: Make, read: Read, style: str) -> None:
    row = f'<row r="1"><c r="A1" s="{style}"><v>7</v></c></row>'
    assert read(make_sheet(row))[1][0].text == "7"
