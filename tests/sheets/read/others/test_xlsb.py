"""Records as [MS-XLSB] has them, of which SheetJS, whose samples are read elsewhere, knows few."""

import struct
from collections.abc import Iterable

import pytest

from feedtool.model.cells import Cell, Kind
from feedtool.model.errors import FileProblem
from tests.corpus.made import TYPES, Content, package, relationships
from tests.sheets.read.others.conftest import ReadBytes

BINARY = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
CONTENT = (
    f'<Types xmlns="{TYPES}"><Override PartName="/xl/workbook.bin" ContentType="{BINARY}"/></Types>'
)
Record = tuple[int, bytes]


def records(several: Iterable[Record]) -> bytes:
    """Records with their kinds and sizes, each in groups of seven bits."""
    return b"".join(_groups(kind) + _groups(len(data)) + data for kind, data in several)


def _groups(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes((low | 0x80,)) + _groups(rest) if rest else bytes((low,))


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def row(number: int, *, hidden: bool = False) -> Record:
    return 0, struct.pack("<IIHBB", number - 1, 0, 300, 0, 0x10 * hidden)


def at(column: int, kind: int, data: bytes, style: int = 0) -> Record:
    return kind, struct.pack("<II", column, style) + data


def book(*sheet: Record, workbook: tuple[Record, ...] = (), **parts: bytes) -> bytes:
    listed = struct.pack("<II", 1, 1) + wide("rId1") + wide("Offers")
    styles = (
        (44, struct.pack("<H", 164) + wide("00000")),
        (617, b""),
        *((47, struct.pack("<HH", 0, number)) for number in (0, 14, 164, 9)),
        (618, b""),
    )
    everything: dict[str, Content] = {
        "[Content_Types].xml": CONTENT,
        "xl/_rels/workbook.bin.rels": relationships(("rId1", "worksheet", "worksheets/a.bin")),
        "xl/workbook.bin": records([*workbook, (156, listed)]),
        "xl/styles.bin": records(styles),
        "xl/worksheets/a.bin": records([*sheet, (146, b"")]),
    }
    return package(everything | {f"xl/{name}.bin": part for name, part in parts.items()})


def number(value: str, *, zeros: int = 0, percent: bool = False) -> Cell:
    return Cell(Kind.NUMBER, value, percent, zeros)


REAL = struct.pack("<d", 46053)


@pytest.mark.parametrize(
    ("record", "cell"),
    [
        (at(0, 2, struct.pack("<i", 7 << 2 | 2)), number("7")),
        (at(0, 2, struct.pack("<i", -1999 << 2 | 3)), number("-19.99")),
        (at(0, 2, struct.pack("<d", 1.5)[4:]), number("1.5")),
        (at(0, 2, struct.pack("<i", 7 << 2 | 2), style=2), number("7", zeros=5)),
        (at(0, 5, struct.pack("<d", 0.2), style=3), number("0.2", percent=True)),
        (at(0, 5, struct.pack("<d", 3760123456789)), number("3760123456789")),
        (at(0, 5, REAL, style=1), Cell(Kind.DATE, "2026-01-31")),
        (at(0, 9, REAL + b"\0\0", style=1), Cell(Kind.DATE, "2026-01-31")),
        (at(0, 3, b"\x2a"), Cell(Kind.ERROR, "#N/A")),
        (at(0, 11, b"\x07\0\0"), Cell(Kind.ERROR, "#DIV/0!")),
        (at(0, 4, b"\1"), Cell(Kind.BOOLEAN, "TRUE")),
        (at(0, 10, b"\0\0\0"), Cell(Kind.BOOLEAN, "FALSE")),
        (at(0, 6, wide("é")), Cell(Kind.TEXT, "é")),
        (at(0, 8, wide("of a formula")), Cell(Kind.TEXT, "of a formula")),
        (at(0, 62, b"\1" + wide("rich")), Cell(Kind.TEXT, "rich")),
        (at(0, 7, struct.pack("<I", 1)), Cell(Kind.TEXT, "shared")),
    ],
)
def test_cells(read_bytes: ReadBytes, record: Record, cell: Cell) -> None:
    texts = records([(19, b"\0" + wide("other")), (19, b"\0" + wide("shared"))])
    assert read_bytes(book(row(1), record, sharedStrings=texts)) == {
        ("Offers", True): {1: {0: cell}}
    }


def test_dates_from_1904(read_bytes: ReadBytes) -> None:
    made = book(row(1), at(0, 5, REAL, style=1), workbook=((153, b"\1"),))
    assert read_bytes(made) == {("Offers", True): {1: {0: Cell(Kind.DATE, "2030-02-01")}}}


def test_cells_without_a_column_follow_the_one_before(read_bytes: ReadBytes) -> None:
    style, seven = struct.pack("<I", 2), struct.pack("<i", 7 << 2 | 2)
    made = book(row(3), at(1, 2, seven), (12, style), (13, style + seven), row(5))
    assert read_bytes(made) == {("Offers", True): {3: {1: number("7"), 3: number("7", zeros=5)}}}


@pytest.mark.parametrize(
    "sheet",
    [
        [row(1), at(20_000, 4, b"\1")],
        [row(1), at(3, 4, b"\1"), at(2, 4, b"\1")],
        [row(5), row(2)],
        [row(1), at(0, 7, struct.pack("<I", 9))],
        [row(1), at(0, 5, b"\0")],
        [row(1), at(0, 6, struct.pack("<I", 99))],
        [row(1), (6, bytes(9 << 20))],
    ],
    ids=["outside", "backwards", "rows backwards", "no text", "cut off", "no end", "too large"],
)
def test_wrong_records_are_refused(read_bytes: ReadBytes, sheet: list[Record]) -> None:
    with pytest.raises(FileProblem) as caught:
        read_bytes(book(*sheet))
    assert caught.value.code == "xlsb-unsupported"
    assert caught.value.hint
