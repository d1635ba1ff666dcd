"""Files made to exhaust memory or time, besides those of `tests/corpus`, which measures both."""

import struct
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem
from feedtool.sheets import ReadingLimits, open_source
from tests.sheets.conftest import Make, Read

SMALL = ReadingLimits(text=1 << 20)


def read_all(path: Path) -> None:
    with open_source(path, limits=SMALL) as source:
        for block in source.sheet(source.sheets[0].name).blocks():
            for index in range(block.width):
                list(map(block.decode, block.column(index)))


def code_of(path: Path) -> str:
    with pytest.raises(FileProblem) as caught:
        read_all(path)
    return caught.value.code


@pytest.mark.parametrize("value", ["9" * 5000, "1e400", "-1e400", "٣"])
@pytest.mark.parametrize("kind", ["n", "s"])
def test_absurd_numbers(make_sheet: Make, read: Read, value: str, kind: str) -> None:
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    row = f'<row r="1"><c r="A1" s="1" t="{kind}"><v>{value}</v></c></row>'
    path = make_sheet(row, styles=styles, strings="<si><t>a</t></si>")
    if kind == "n":
        assert read(path)[1][0].text == value
    else:
        assert code_of(path) == "corrupt-xml"


@pytest.mark.parametrize("style", ["9" * 5000, "-1", "x", ""])
def test_absurd_styles(make_sheet: Make, read: Read, style: str) -> None:
    row = f'<row r="1"><c r="A1" s="{style}"><v>7</v></c></row>'
    assert read(make_sheet(row))[1][0].text == "7"


def test_a_directory_without_end_in_zip64(tmp_path: Path) -> None:
    path = tmp_path / "made.xlsx"
    record = b"PK\x06\x06" + struct.pack("<QHHLLQQQQ", 44, 45, 45, 0, 0, 9, 9, 1 << 40, 0)
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, 4, 1)
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 9, 9, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\x03\x04" + record + locator + end)
    assert code_of(path) == "zip-bomb"


def test_comments_that_could_be_read_in_many_ways(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_bytes(b"<!---->" * 500 + b"\n")
    assert code_of(path) == "not-a-workbook"


def test_a_text_without_blanks_before_the_first_odd_letter(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_bytes(b"a,b\n" + b"x" * 250_000 + b"\xe9,1\n")
    with open_source(path) as source:
        (text,) = source.sheet("").notices["encoding-guessed"]
    assert "line 2 " in text
    assert "“xxxxxxxxxxxxxxxxxxxxé”" in text


def test_surplus_fields(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_bytes(b"a,b\n" + b"1,2" + b"," * 2_000_000 + b"\n" + b"3,4\n" * 2000)
    with open_source(path) as source:
        sheet = source.sheet("")
        assert {block.width for block in sheet.blocks()} == {2}
    path.write_bytes(b"a,b\n" + b"," * 20_000 + b"1\n")
    assert code_of(path) == "grid-out-of-range"
