"""Around the rows: the dimension, the widths, the ranges."""

import re
from collections.abc import Iterable

import pytest

from feedtool.sheets.annotate.cell_formats import FormatIndexes, Severity
from feedtool.sheets.annotate.notes import HighlightedCells
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.read.source import CellRange, cell_range
from tests.corpus.made import MAIN


def frame(before: str = "", after: str = "", prefix: str = "") -> SheetEnvelope:
    name = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    head = f'<{prefix}worksheet {name}="{MAIN}">{before}<{prefix}sheetData>'
    tail = f"</{prefix}sheetData>{after}</{prefix}worksheet>"
    return SheetEnvelope(head.encode(), tail.encode(), "sheet1.xml")


def inner(head: bytes) -> str:
    return head.decode().partition(">")[2].rpartition("<")[0]


OURS = (
    '<col min="3" max="3" width="17" customWidth="1"/>',
    '<col min="4" max="4" width="90" customWidth="1"/>',
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
        ["3", "90"],
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
def test_the_dimension_includes_our_cells(before: str, after: str) -> None:
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
    assert found is None or str(found) == text.replace("$", "")


STYLES = FormatIndexes({}, {"error": 6, "warning": 7, "fixed": 8})
THEIRS = (
    '<conditionalFormatting sqref="A1"><cfRule type="cellIs" dxfId="0" priority="{}" '
    'operator="equal"><formula>1</formula></cfRule></conditionalFormatting>'
)
VALIDATION = '<dataValidations count="1"><dataValidation sqref="A1"/></dataValidations>'


def guilty(cells: Iterable[tuple[int, int, Severity]]) -> HighlightedCells:
    found = HighlightedCells()
    for row, column, severity in cells:
        found.add(row, column, severity)
    return found


def coloured(after: str, cells: Iterable[tuple[int, int, Severity]]) -> str:
    head = f'<worksheet xmlns="{MAIN}"><sheetData>'.encode()
    frame = SheetEnvelope(head, f"</sheetData>{after}</worksheet>".encode(), "sheet1.xml")
    tail = frame.tail(frame.recolour(guilty(cells), STYLES)).decode()
    return tail.removeprefix("</sheetData>").removesuffix("</worksheet>")


def our_rule(sqref: str, priority: int, dxf: int = 6) -> str:
    return (
        f'<conditionalFormatting sqref="{sqref}"><cfRule type="expression" dxfId="{dxf}" '
        f'priority="{priority}"><formula>LEN("feedtool")&gt;0</formula></cfRule>'
        "</conditionalFormatting>"
    )


ONE: list[tuple[int, int, Severity]] = [(2, 1, "error")]

OURS_REWRITTEN = (
    '<cfRule type="expression" dxfId="9" priority="1"><formula>LEN(&quot;feedtool&quot;)&gt;0'
    "</formula></cfRule>"
)
JOINED = (
    '<conditionalFormatting sqref="B2">{}<cfRule type=\'top10\' priority="4"/>'
    "</conditionalFormatting>"
)
EXTENSION = (
    '<extLst><ext uri="u"><x:conditionalFormattings xmlns:x="x"><x:conditionalFormatting>'
    '<x:cfRule priority="1"/></x:conditionalFormatting></x:conditionalFormattings></ext></extLst>'
)

PLACES = {
    "nothing else": ("", our_rule("B2", 1)),
    "behind merges": (
        "<mergeCells><mergeCell ref='A1:B1'/></mergeCells><pageMargins left='1'/>",
        "<mergeCells><mergeCell ref='A1:B1'/></mergeCells>"
        + our_rule("B2", 1)
        + "<pageMargins left='1'/>",
    ),
    "behind the filter, before validations": (
        '<autoFilter ref="A1:B2"/>' + VALIDATION,
        '<autoFilter ref="A1:B2"/>' + our_rule("B2", 1) + VALIDATION,
    ),
    "behind theirs": (
        THEIRS.format(1) + VALIDATION,
        THEIRS.format(1) + our_rule("B2", 2) + VALIDATION,
    ),
    "before what nobody knows": (
        '<y:new xmlns:y="y"/><legacyDrawing/>',
        our_rule("B2", 1) + '<y:new xmlns:y="y"/><legacyDrawing/>',
    ),
    "instead of an earlier one": (
        our_rule("C3:C9", 1) + VALIDATION,
        our_rule("B2", 1) + VALIDATION,
    ),
    "out of an element that another program joined with theirs": (
        JOINED.format(OURS_REWRITTEN),
        JOINED.format("") + our_rule("B2", 1),
    ),
    "theirs of an extension counts": (EXTENSION, our_rule("B2", 2) + EXTENSION),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_the_place_of_our_rules(before: str, after: str) -> None:
    assert coloured(before, ONE) == after
    assert coloured(after, ONE) == after


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_the_rules_are_taken_back(before: str, after: str) -> None:
    without = coloured(before, [])
    assert "LEN(" not in without
    assert coloured(after, []) == without


@pytest.mark.parametrize(("taken", "first"), [(1, 2), (2, 3), (3, 1), (9, 1)])
def test_our_rules_take_free_priorities_before_theirs(taken: int, first: int) -> None:
    both: list[tuple[int, int, Severity]] = [(2, 1, "error"), (2, 2, "warning")]
    written = coloured(THEIRS.format(taken), both)
    assert written == THEIRS.format(taken) + our_rule("B2", first) + our_rule("C2", first + 1, 7)


def test_runs_of_rows_become_areas_by_column() -> None:
    rows = [3, 4, 5, 7, 9, 10]
    cells: list[tuple[int, int, Severity]] = [
        (row, column, "error") for row in rows for column in (0, 27)
    ]
    cells += [(11, 0, "warning"), (12, 0, "warning"), (12, 0, "warning")]
    assert coloured("", cells) == our_rule("A3:A5 A7 A9:A10 AB3:AB5 AB7 AB9:AB10", 1) + our_rule(
        "A11:A12", 2, 7
    )


def test_many_areas_are_divided_over_rules_with_priorities_of_their_own() -> None:
    cells: list[tuple[int, int, Severity]] = [(row, 0, "error") for row in range(1, 2001, 2)]
    written = coloured("", cells)
    lists = re.findall('sqref="([^"]*)"', written)
    assert [len(areas.split()) for areas in lists] == [400, 400, 200]
    assert re.findall('priority="([0-9]+)"', written) == ["1", "2", "3"]
    assert coloured(written, cells) == written
