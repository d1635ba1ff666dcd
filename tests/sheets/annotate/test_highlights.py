"""Our conditional formats: into their place, and out again."""

import re
from collections.abc import Iterable

import pytest

from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.notes import HighlightedCells, Severity
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STYLES = FormatIndexes(text=1, heading=2, prose=3, number=4, link=5, error=6, warning=7)
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


def ours(sqref: str, priority: int, dxf: int = 6) -> str:
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
    "nothing else": ("", ours("B2", 1)),
    "behind merges": (
        "<mergeCells><mergeCell ref='A1:B1'/></mergeCells><pageMargins left='1'/>",
        "<mergeCells><mergeCell ref='A1:B1'/></mergeCells>"
        + ours("B2", 1)
        + "<pageMargins left='1'/>",
    ),
    "behind the filter, before validations": (
        '<autoFilter ref="A1:B2"/>' + VALIDATION,
        '<autoFilter ref="A1:B2"/>' + ours("B2", 1) + VALIDATION,
    ),
    "behind theirs": (THEIRS.format(1) + VALIDATION, THEIRS.format(1) + ours("B2", 2) + VALIDATION),
    "before what nobody knows": (
        '<y:new xmlns:y="y"/><legacyDrawing/>',
        ours("B2", 1) + '<y:new xmlns:y="y"/><legacyDrawing/>',
    ),
    "instead of an earlier one": (ours("C3:C9", 1) + VALIDATION, ours("B2", 1) + VALIDATION),
    "out of an element that another program joined with theirs": (
        JOINED.format(OURS_REWRITTEN),
        JOINED.format("") + ours("B2", 1),
    ),
    "theirs of an extension counts": (EXTENSION, ours("B2", 2) + EXTENSION),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_where_the_rules_go(before: str, after: str) -> None:
    assert coloured(before, ONE) == after
    assert coloured(after, ONE) == after


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_the_rules_are_taken_back(before: str, after: str) -> None:
    without = coloured(before, [])
    assert "LEN(" not in without
    assert coloured(after, []) == without


@pytest.mark.parametrize(("taken", "first"), [(1, 2), (2, 3), (3, 1), (9, 1)])
def test_priorities_are_free_ones_before_theirs_if_there_is_room(taken: int, first: int) -> None:
    both: list[tuple[int, int, Severity]] = [(2, 1, "error"), (2, 2, "warning")]
    written = coloured(THEIRS.format(taken), both)
    assert written == THEIRS.format(taken) + ours("B2", first) + ours("C2", first + 1, 7)


def test_runs_of_rows_become_areas_by_column() -> None:
    rows = [3, 4, 5, 7, 9, 10]
    cells: list[tuple[int, int, Severity]] = [
        (row, column, "error") for row in rows for column in (0, 27)
    ]
    cells += [(11, 0, "warning"), (12, 0, "warning"), (12, 0, "warning")]
    assert coloured("", cells) == ours("A3:A5 A7 A9:A10 AB3:AB5 AB7 AB9:AB10", 1) + ours(
        "A11:A12", 2, 7
    )


def test_many_areas_are_divided_over_rules_with_priorities_of_their_own() -> None:
    cells: list[tuple[int, int, Severity]] = [(row, 0, "error") for row in range(1, 2001, 2)]
    written = coloured("", cells)
    lists = re.findall('sqref="([^"]*)"', written)
    assert [len(areas.split()) for areas in lists] == [400, 400, 200]
    assert re.findall('priority="([0-9]+)"', written) == ["1", "2", "3"]
    assert coloured(written, cells) == written
