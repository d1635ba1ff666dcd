"""Around the rows: the dimension, the widths, the ranges."""

import pytest

from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.read.source import CellRange, cell_range

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def frame(before: str = "", after: str = "", prefix: str = "") -> SheetEnvelope:
    name = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    head = f'<{prefix}worksheet {name}="{MAIN}">{before}<{prefix}sheetData>'
    tail = f"</{prefix}sheetData>{after}</{prefix}worksheet>"
    return SheetEnvelope(head.encode(), tail.encode(), "sheet1.xml")


def inner(head: bytes) -> str:
    return head.decode().partition(">")[2].rpartition("<")[0]


OURS = (
    '<col min="3" max="3" width="17" customWidth="1"/>',
    '<col min="4" max="4" width="60" customWidth="1"/>',
    '<col min="5" max="5" width="26" customWidth="1"/>',
)
STATUS, MESSAGE, CODE = OURS
HIDDEN = '<col min="{}" max="{}" width="9" hidden="1" style="4"/>'
COLUMNS = {
    "none": ("", "".join(OURS)),
    "before ours": (
        '<col min="1" max="2" width="9"/>',
        f'<col min="1" max="2" width="9"/>{"".join(OURS)}',
    ),
    "behind ours": (
        '<col min="7" max="7" width="9"/>',
        f'{"".join(OURS)}<col min="7" max="7" width="9"/>',
    ),
    "hidden to the end": (
        HIDDEN.format(2, 16384),
        HIDDEN.format(2, 2) + "".join(OURS) + HIDDEN.format(6, 16384),
    ),
    "two of ours": (
        '<col width="9" min="4" max="5"/>',
        "".join(OURS),
    ),
    "one of ours, with odd quotes": (
        "<col min='4'\n max='4' width='9'/>",
        "".join(OURS),
    ),
    "between ours": (
        '<col min="1" max="3" width="8"/><col min="5" max="9" width="9"/>',
        f'<col min="1" max="2" width="8"/>{"".join(OURS)}<col min="6" max="9" width="9"/>',
    ),
    "one that does not say which": (
        '<col min="" max="x"/><col/>',
        f'<col min="" max="x"/><col/>{"".join(OURS)}',
    ),
    "a number that nobody can count to": (
        f'<col min="{"9" * 5000}" max="{"9" * 5000}"/>',
        f'<col min="{"9" * 5000}" max="{"9" * 5000}"/>{"".join(OURS)}',
    ),
    "a collapsed group in front": (
        '<col min="2" max="2" hidden="1" outlineLevel="1"/><col min="3" max="3" collapsed="1"/>',
        '<col min="2" max="2" hidden="1" outlineLevel="1"/>'
        + STATUS.replace("/>", ' collapsed="1"/>')
        + MESSAGE
        + CODE,
    ),
}


@pytest.mark.parametrize(("before", "after"), COLUMNS.values(), ids=COLUMNS)
def test_our_columns_are_visible_and_readable(before: str, after: str) -> None:
    found = frame(before and f"<cols>{before}</cols>")
    head = found.head(found.widen((2, 3, 4), earlier=False))
    assert inner(head) == f"<cols>{after}</cols>"
    again = SheetEnvelope(head, b"</sheetData></worksheet>", "sheet1.xml")
    assert again.head(again.widen((2, 3, 4), earlier=True)) == head


def test_columns_in_another_order() -> None:
    found = frame()
    head = inner(found.head(found.widen((4, 2, 3), earlier=False)))
    assert [part.split('"')[1::2][1:3] for part in head.split("<col ")[1:]] == [
        ["3", "60"],
        ["4", "26"],
        ["5", "17"],
    ]


def test_an_earlier_column_keeps_the_width_that_the_user_gave_it() -> None:
    cols = (
        '<cols><col min="3" max="4" width="33"/><col min="5" max="5" width="9" hidden="1"/></cols>'
    )
    found = frame(cols)
    head = inner(found.head(found.widen((2, 3, 4), earlier=True)))
    assert head == f'<cols><col min="3" max="4" width="33"/>{CODE}</cols>'


def test_the_prefix_is_taken() -> None:
    found = frame(prefix="x:")
    head = inner(found.head(found.widen((2, 3, 4), earlier=False)))
    assert head.startswith('<x:cols><x:col min="3"')
    assert head.endswith("</x:cols>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A1:B9", "A1:E9"),
        ("A1", "A1:E9"),
        ("B3:XFD4", "B2:XFD9"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_dimension_includes_ours(before: str, after: str) -> None:
    found = frame(f"<dimension ref='{before}'/>")
    head = inner(found.head(found.resize(CellRange(2, 2, 9, 4))))
    assert head.replace('"', "'") == f"<dimension ref='{after}'/>"


def test_a_sheet_without_a_dimension_gets_none() -> None:
    assert frame().resize(CellRange(2, 2, 9, 4)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A1", CellRange(1, 0, 1, 0)),
        ("$B$2:D10", CellRange(2, 1, 10, 3)),
        ("A:B", None),
        ("1:2", None),
        ("A1:B2:C3", None),
        (f"A{'9' * 5000}", None),
        ("", None),
    ],
)
def test_areas(text: str, found: CellRange | None) -> None:
    assert cell_range(text) == found


def test_an_area_is_written_as_it_is_read() -> None:
    assert [str(CellRange(1, 0, 1, 0)), str(CellRange(2, 1, 10, 3))] == ["A1", "B2:D10"]
