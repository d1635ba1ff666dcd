import pytest

from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source
from feedtool.sheets.read.workbook import resolve
from tests.corpus.made import MAIN, RELS, TYPES, data
from tests.corpus.made import relationships as rels
from tests.sheets.conftest import Content
from tests.sheets.conftest import Make as MakePackage

SHEET = data('<row r="1"><c r="A1"><v>1</v></c></row>')


@pytest.mark.parametrize(
    ("base", "target", "part"),
    [
        ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
        ("xl", "/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
        ("xl", "..\\xl\\worksheets\\sheet1.xml", "xl/worksheets/sheet1.xml"),
        ("xl", "./worksheets/../sheet1.xml", "xl/sheet1.xml"),
        ("xl", "sheet%201.xml", "xl/sheet 1.xml"),
        ("", "xl/workbook.xml", "xl/workbook.xml"),
        ("xl", "../../../etc/passwd", "etc/passwd"),
    ],
)
def test_targets(base: str, target: str, part: str) -> None:
    assert resolve(base, target) == part


def test_worksheets_in_order_with_their_states(make_package: MakePackage) -> None:
    path = make_package(
        {
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELS}"><sheets>'
            '<sheet name="Offers &amp; more" sheetId="9" r:id="rId3"/>'
            '<sheet name="Chart" sheetId="2" r:id="rId2"/>'
            '<sheet name="_lists" sheetId="1" r:id="rId1" state="hidden"/>'
            '<sheet name="deep" sheetId="4" r:id="rId4" state="veryHidden"/>'
            '<sheet name="Module1" sheetId="5" state="veryHidden" r:id=""/>'
            '<sheet name="Dialog1" sheetId="6"/>'
            '<sheet name="Lost chart" sheetId="7" r:id="rId5"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": rels(
                ("rId1", "worksheet", "worksheets/a.xml"),
                ("rId2", "chartsheet", "chartsheets/b.xml"),
                ("rId3", "worksheet", "worksheets/c.xml"),
                ("rId4", "worksheet", "worksheets/d.xml"),
                ("rId5", "chartsheet", "chartsheets/no.xml"),
            ),
            **{f"xl/worksheets/{name}.xml": SHEET for name in "acd"},
            "xl/chartsheets/b.xml": "<chartsheet/>",
        }
    )
    with open_source(path) as source:
        assert [(entry.name, entry.state, entry.hidden) for entry in source.sheets] == [
            ("Offers & more", "visible", False),
            ("_lists", "hidden", True),
            ("deep", "veryHidden", True),
        ]


def test_custom_properties(make_package: MakePackage) -> None:
    types = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
    path = make_package(
        {
            "_rels/.rels": rels(
                ("rId1", "officeDocument", "xl/workbook.xml"),
                ("rId2", "custom-properties", "docProps/custom.xml"),
            ),
            "docProps/custom.xml": f'<Properties xmlns:vt="{types}">'
            '<property name="feedtool.template"><vt:lpwstr>offers-upsert</vt:lpwstr></property>'
            '<property name="feedtool.version"><vt:i4>1</vt:i4></property>'
            '<property name="empty"><vt:lpwstr/></property></Properties>',
            "xl/worksheets/sheet1.xml": SHEET,
        }
    )
    with open_source(path) as source:
        assert source.properties == {
            "feedtool.template": "offers-upsert",
            "feedtool.version": "1",
            "empty": "",
        }


def types(content_type: str, part: str = "/a", **defaults: str) -> str:
    kinds = "".join(
        f'<Default Extension="{extension}" ContentType="{kind}"/>'
        for extension, kind in defaults.items()
    )
    own = f'<Override PartName="{part}" ContentType="{content_type}"/>'
    return f'<Types xmlns="{TYPES}">{kinds}{own}</Types>'


BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
INNER = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
BINARY = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"


def many_sheets(count: int) -> str:
    """A workbook of so many sheets, which are all one part."""
    sheets = (
        f'<sheet name="S{number}" sheetId="{number}" r:id="rId1"/>'
        for number in range(1, count + 1)
    )
    return (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELS}"><sheets>{"".join(sheets)}</sheets></workbook>'
    )


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"[Content_Types].xml": types(BINARY, "/xl/workbook.xml", bin=BOOK)}, "corrupt-zip"),
        ({"[Content_Types].xml": types(WORD, "/xl/workbook.xml", xlsx=INNER)}, "not-a-workbook"),
        ({"[Content_Types].xml": types("text/xml")}, "not-a-workbook"),
        ({"[Content_Types].xml": "<Types"}, "corrupt-xml"),
        ({"xl/workbook.xml": None}, "not-a-workbook"),
        ({"xl/workbook.xml": "<worksheet/>"}, "corrupt-xml"),
        ({"xl/workbook.xml": ""}, "corrupt-xml"),
        ({"xl/_rels/workbook.xml.rels": None}, "corrupt-xml"),
        ({"xl/_rels/workbook.xml.rels": rels()}, "corrupt-xml"),
        ({"xl/_rels/workbook.xml.rels": rels(("rId1", "worksheet", "no"))}, "corrupt-xml"),
        ({"_rels/.rels": "<Relationships>&x;</Relationships>"}, "corrupt-xml"),
        ({"xl/workbook.xml": many_sheets(2)}, "corrupt-xml"),
        ({"xl/workbook.xml": many_sheets(20_000)}, "corrupt-xml"),
    ],
)
def test_packages_that_are_no_workbooks(
    make_package: MakePackage, parts: dict[str, Content], code: str
) -> None:
    path = make_package({"xl/worksheets/sheet1.xml": SHEET, **parts})
    with pytest.raises(FileProblem) as caught, open_source(path):
        pass
    assert caught.value.code == code


def test_the_workbook_is_found_without_relationships(make_package: MakePackage) -> None:
    path = make_package({"_rels/.rels": None, "xl/worksheets/sheet1.xml": SHEET})
    with open_source(path) as source:
        assert [entry.name for entry in source.sheets] == ["Offers"]


@pytest.mark.parametrize(
    "content_types",
    [
        types(BOOK, "/xl/workbook.xml", bin=BINARY),
        types(BOOK, "/XL/Workbook.xml", docx=WORD),
        types("image/png", "/a.png", xml=BOOK, bin=BINARY),
    ],
    ids=["SheetJS", "with a document in it", "by its extension"],
)
def test_the_type_of_the_workbook_itself_counts(
    make_package: MakePackage, content_types: str
) -> None:
    parts: dict[str, Content] = {
        "[Content_Types].xml": content_types,
        "xl/worksheets/sheet1.xml": SHEET,
    }
    with open_source(make_package(parts)) as source:
        assert len(source.sheet("Offers").head(1)) == 1
