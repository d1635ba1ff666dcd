"""Files like those that fuzzing has found: each ends as it should."""

from pathlib import Path

import pytest

from tests.corpus.books import SHEET, STYLES, header, offers, plain_parts
from tests.corpus.made import data, number, package, row
from tests.fuzz.trial import judge

HUGE = "9" * 5000
"""Digits that Python does not make a number of."""


def book(*, before: str = "", after: str = "", rows: str = "", **others: str) -> bytes:
    """A workbook of offers, with more in its sheet; in other parts texts replaced."""
    parts = plain_parts(data(header() + (rows or offers()), before=before, after=after))
    for replaced in others.values():
        name, old, new = replaced.split("|")
        parts[name] = str(parts[name]).replace(old, new)
    return package(parts)


def rule(priority: str) -> str:
    return (
        '<conditionalFormatting sqref="A1"><cfRule type="expression" '
        f'priority="{priority}"><formula>1</formula></cfRule></conditionalFormatting>'
    )


def in_row(attributes: str) -> str:
    return row(2, ["SKU-2", number("2.5"), number("3")], attributes)


HUGE_NUMBERS = {
    "a column's number": book(before=f'<cols><col min="{HUGE}" max="{HUGE}"/></cols>'),
    "a dimension": book(before=f'<dimension ref="A1:C{HUGE}"/>'),
    "a merged cell": book(after=f'<mergeCells><mergeCell ref="A{HUGE}:B9"/></mergeCells>'),
    "a filter": book(after=f'<autoFilter ref="A1:C{HUGE}"/>'),
    "a rule's priority": book(after=rule(HUGE) + rule("٣")),
    "a row's spans": book(rows=in_row(f' spans="1:{HUGE}"')),
    "a row's height": book(rows=in_row(f' ht="{HUGE}"')),
    "a sheet's id": book(id=f'xl/workbook.xml|sheetId="1"|sheetId="{HUGE}"'),
    "a format": book(format=f'{STYLES}|numFmtId="14"|numFmtId="{HUGE}"'),
}
"""Workbooks that are read all the same, by the place of the number."""
ALL_HUGE = book(
    before=f'<dimension ref="A1:C{HUGE}"/><cols><col min="{HUGE}" max="{HUGE}"/></cols>',
    after=f'<autoFilter ref="A1:C{HUGE}"/><mergeCells><mergeCell ref="A{HUGE}:B9"/></mergeCells>'
    f"{rule(HUGE)}{rule('٣')}",
    rows=in_row(f' spans="1:{HUGE}" ht="{HUGE}"'),
    id=f'xl/workbook.xml|sheetId="1"|sheetId="{HUGE}"',
    format=f'{STYLES}|numFmtId="14"|numFmtId="{HUGE}"',
)
CASES = {
    "huge numbers in all of these places": (ALL_HUGE, "rows"),
    "a workbook of another namespace": (
        package({**plain_parts(), "xl/workbook.xml": "<workbook xmlns='urn:x'/>", STYLES: None}),
        "corrupt-xml",
    ),
    "a column's width for no column": (book(before='<cols><col min="" max="x"/></cols>'), "rows"),
    "a row's number": (
        book(rows=f'<!-- --><row r="{HUGE}"><c><v>1</v></c></row>'),
        "grid-out-of-range",
    ),
    "a text among names": (
        book(names="xl/workbook.xml|</sheets>|</sheets><definedNames>rot13</definedNames>"),
        "rows",
    ),
    "names before the sheets": (
        book(names="xl/workbook.xml|<sheets>|<definedNames/><sheets>"),
        "rows",
    ),
    "a value behind a cell": (
        book(rows=offers() + '<row r="9"><c r="E9" s="1"/><v>x</v><c r="F9" s="1"/></row>'),
        "rows",
    ),
    "an ASCII part, beyond which our messages go": (
        book(
            rows=in_row("").replace("2.5", "cheap"),
            codec=f'{SHEET}|<work|<?xml version="1.0" encoding="US-ASCII"?><work',
        ),
        "rows",
    ),
}


PRICES = "".join(f"SKU-{number}|9,99|3\n" for number in range(1, 9))
FULL = f'"{"]0;owned" * 1500}"'
CASES |= {
    "decimal commas above and below a header that grows": (
        f"x|y|z\nSKU-1|9,99|3\nSKU-2|9,99|3\nsku|price|quantity\n{PRICES}".encode(),
        "rows",
    ),
    "a header full of another separator, and long records below it": (
        f"sku,price,quantity,{FULL}\n{FULL},{FULL},{FULL},{FULL}\nS-1,9.99,1,x\n".encode(),
        "rows",
    ),
}


@pytest.mark.parametrize(("data", "outcome"), CASES.values(), ids=CASES)
def test_found_files_end_as_they_should(tmp_path: Path, data: bytes, outcome: str) -> None:
    path = tmp_path / ("case.xlsx" if data.startswith(b"PK") else "case.csv")
    path.write_bytes(data)
    assert judge(path, tmp_path) == outcome


@pytest.mark.long
@pytest.mark.parametrize("place", HUGE_NUMBERS)
def test_a_huge_number_alone_is_no_hindrance(tmp_path: Path, place: str) -> None:
    path = tmp_path / "case.xlsx"
    path.write_bytes(HUGE_NUMBERS[place])
    assert judge(path, tmp_path) == "rows"
