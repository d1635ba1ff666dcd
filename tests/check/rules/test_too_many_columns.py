import pytest

from tests.conftest import Files, checked, codes, offer, table, told

CODE = "too-many-columns"

HEADER, FIRST, _ = table([offer(1)]).split("\r\n")

PASSES = {
    "as many fields as headers": FIRST,
    "surplus empty fields": f"{FIRST},,,",
    "surplus blanks": f"{FIRST}, ,\u00a0",
    "a short record": "SKU-1,3000000000014",
    "a record of separators alone": "," * 20,
}
FAILS = {
    "one value more": (f"{FIRST},oops", [("J", "oops")]),
    "two values more": (f"{FIRST},a,b", [("J", "a"), ("K", "b")]),
    "behind an empty field": (f"{FIRST},,note", [("K", "note")]),
    "an unquoted separator": (FIRST.replace("New", "New, boxed"), [("J", "7")]),
}


@pytest.mark.parametrize("record", PASSES.values(), ids=PASSES)
def test_passes(files: Files, record: str) -> None:
    (sheet,) = checked(files.text(f"{HEADER}\n{record}\n{FIRST}"))
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(("record", "cells"), FAILS.values(), ids=FAILS)
def test_fails(files: Files, record: str, cells: list[tuple[str, str]]) -> None:
    (sheet,) = checked(files.text(f"{HEADER}\n{record}"))
    problems = told(sheet, CODE)
    assert [(problem.column, problem.value) for problem in problems] == cells
    assert {(problem.row, problem.severity, problem.header) for problem in problems} == {
        (2, "error", None)
    }
    assert sheet.counts().invalid == 1


def test_a_column_whose_header_is_blank_between_two_others_is_no_surplus(files: Files) -> None:
    (sheet,) = checked(files.csv(offer() | {"": "a note", "colour": "red"}))
    assert codes(sheet) == [(None, "unknown-column")]


def test_a_short_record_is_padded(files: Files) -> None:
    (sheet,) = checked(files.text(f"{HEADER}\nSKU-1,3000000000014"))
    assert {code for _, code in codes(sheet)} == {"required-missing"}
