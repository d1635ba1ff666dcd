"""Cells as values of expressions, and values as cells."""

from datetime import date
from decimal import Decimal

import pytest

from feedtool.check.recipes.fields import RawValue, cell_of
from feedtool.check.recipes.values import NumberText, UnclearText, UnreadableCell, Value
from feedtool.feeds.columns import ColumnReader
from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.settings import Context

VALUES = {
    Cell(Kind.NUMBER, "19.989999999999998"): Decimal("19.99"),
    Cell(Kind.NUMBER, "0.2", percent=True): Decimal("0.2"),
    Cell(Kind.NUMBER, "42", zeros=5): NumberText("00042", Decimal(42)),
    Cell(Kind.NUMBER, "5E-17"): Decimal("5E-17"),
    Cell(Kind.NUMBER, "1E+999999"): UnreadableCell("1E+999999, beyond what can be computed"),
    Cell(Kind.NUMBER, "1E-999999"): UnreadableCell("1E-999999, beyond what can be computed"),
    Cell(Kind.DATE, "2026-11-20T10:00:00"): date(2026, 11, 20),
    Cell(Kind.DATE, "10:00:00"): "10:00:00",
    Cell(Kind.DATE, "2026-13-45"): UnreadableCell("2026-13-45, which is not a date"),
    Cell(Kind.BOOLEAN, "TRUE"): True,
    Cell(Kind.BOOLEAN, "FALSE"): False,
    Cell(Kind.ERROR, "#N/A"): UnreadableCell("the cell shows #N/A"),
    Cell(Kind.TEXT, "#REF!"): UnreadableCell("the cell shows #REF!"),
    BLANK: None,
    Cell(Kind.TEXT, " \u00a0"): None,
    Cell(Kind.TEXT, " 1\u202f299,90 € "): NumberText("1\u202f299,90 €", Decimal("1299.90")),
    Cell(Kind.TEXT, "1,234"): UnclearText("1,234", "1,234 could mean 1234 or 1.234; no other"),
    Cell(Kind.TEXT, "19%"): NumberText("19%", Decimal(19)),
    Cell(Kind.TEXT, "5,5 %"): NumberText("5,5 %", Decimal("5.5")),
    Cell(Kind.TEXT, "1,234%"): UnclearText("1,234%", "1,234 could mean 1234 or 1.234; no other"),
    Cell(Kind.TEXT, "12 pcs"): "12 pcs",
    Cell(Kind.TEXT, "%"): "%",
    Cell(Kind.TEXT, "100% cotton"): "100% cotton",
}


NUMBERS = {4.90: "4.9", 0.1 + 0.2: "0.3", 12345678901234567890: "12345678901234600000"}


@pytest.mark.parametrize(("number", "shown"), NUMBERS.items())
def test_a_number_of_a_recipe_is_as_in_a_cell(number: float, shown: str) -> None:
    value = RawValue().read(cell_of(number), ColumnReader(RawValue(), Context()))
    assert value == Decimal(shown)


@pytest.mark.parametrize("cell", VALUES)
def test_a_cell_as_a_value(cell: Cell) -> None:
    value, wanted = RawValue().read(cell, ColumnReader(RawValue(), Context())), VALUES[cell]
    assert (value, type(value)) == (wanted, type(wanted))
    assert getattr(value, "number", None) == getattr(wanted, "number", None)
    assert getattr(value, "reason", "").startswith(getattr(wanted, "reason", ""))


CELLS: list[tuple[Value | float, Cell]] = [
    (Decimal("21.00"), Cell(Kind.NUMBER, "21")),
    (Decimal("-0.0"), Cell(Kind.NUMBER, "0")),
    (Decimal("1.3E+3"), Cell(Kind.NUMBER, "1300")),
    (4.90, Cell(Kind.NUMBER, "4.9")),
    (20, Cell(Kind.NUMBER, "20")),
    (True, Cell(Kind.BOOLEAN, "TRUE")),
    (date(2026, 11, 20), Cell(Kind.DATE, "2026-11-20")),
    ("New", Cell(Kind.TEXT, "New")),
    ("", BLANK),
    (None, BLANK),
]


@pytest.mark.parametrize(("value", "cell"), CELLS)
def test_a_value_as_a_cell(value: Value | float, cell: Cell) -> None:
    assert cell_of(value) == cell
