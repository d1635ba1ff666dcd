"""Identifiers of others: texts of any length, of which no digit may be lost."""

import pytest

from feedtool.feeds.columns.identifier import Identifier
from feedtool.model.cells import BLANK, Cell
from tests.feeds.columns.conftest import NO_VALUES, case_id, number, read, text

READ: list[tuple[Cell, str, tuple[str, ...]]] = [
    (text("24A17F09-1"), "24A17F09-1", ()),
    (text("0012"), "0012", ()),
    (text("1159E005"), "1159E005", ()),
    (text("26096273969000001"), "26096273969000001", ()),
    (text("8R 001\u00a0234"), "8R 001\u00a0234", ()),
    (text("x" * 300), "x" * 300, ()),
    (text("N° 7|é"), "N° 7|é", ()),
    (number("12345"), "12345", ()),
    (number("123456789012345"), "123456789012345", ()),
    (number("12", zeros=6), "000012", ()),
    (text(" 24A17F09\t"), "24A17F09", ("trimmed",)),
    (text("\u200b24A17F09"), "24A17F09", ("trimmed",)),
]


@pytest.mark.parametrize(("cell", "value", "codes"), READ, ids=case_id)
def test_an_identifier_stays_unchanged(cell: Cell, value: str, codes: tuple[str, ...]) -> None:
    assert read(Identifier(), cell)[:2] == (value, codes)


REFUSED: list[tuple[Cell, str]] = [
    (number("26096273969000001"), "precision-lost"),
    (number("2.6096273969000001E+16"), "precision-lost"),
    (text("2,6096E+16"), "precision-lost"),
    (text("8.8E+12"), "precision-lost"),
    (text("24A\u200b17"), "text-control-chars"),
    (text("24A\u202e17"), "text-control-chars"),
    (text("24A\n17"), "text-control-chars"),
    *((cell, code) for code, cell in NO_VALUES.items()),
]


@pytest.mark.parametrize(("cell", "code"), REFUSED, ids=case_id)
def test_identifiers_spoilt_by_a_spreadsheet_are_refused(cell: Cell, code: str) -> None:
    reading = read(Identifier(), cell)
    assert (reading.value, reading.codes) == (None, (code,))


@pytest.mark.parametrize("cell", [BLANK, text(""), text(" \u00a0\u200b")], ids=case_id)
def test_a_blank_has_no_value(cell: Cell) -> None:
    assert read(Identifier(), cell) == (None, (), "")
