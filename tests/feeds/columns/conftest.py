"""A cell read as its column would read it."""

from typing import NamedTuple

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.model.cells import Cell, CellType, Kind
from feedtool.model.settings import AccountSettings, Context
from tests.conftest import as_context


class Reading(NamedTuple):
    """The value that was read of a cell, and the problems."""

    value: object | None
    codes: tuple[str, ...]
    hint: str = ""


def text(shown: str) -> Cell:
    return Cell(Kind.TEXT, shown)


def number(digits: str, *, percent: bool = False, zeros: int = 0) -> Cell:
    return Cell(Kind.NUMBER, digits, percent, zeros)


def read(
    kind: CellType,
    cell: Cell,
    dialect: AccountSettings | Context | None = None,
    decimal: str | None = None,
) -> Reading:
    """A single cell's value and faults, in a column whose separator may be settled."""
    value = kind.read(cell, ColumnReader(kind, as_context(dialect), decimal))
    if isinstance(value, InvalidValue):
        codes = tuple(fault.code.name for fault in value.faults)
        return Reading(value.value, codes, value.faults[0].hint)
    return Reading(value, ())


def read_column(kind: CellType, *texts: str, decimal: str | None = None) -> ColumnReader:
    """A column of texts, read once."""
    reader = ColumnReader(kind, Context(), decimal)
    reader.read(texts, lambda key: text(str(key)))
    return reader


NO_VALUES = {
    "formula-error": Cell(Kind.ERROR, "#N/A"),
    "formula-no-cache": Cell(Kind.NO_RESULT, "=E5*1.2"),
    "date-in-number-cell": Cell(Kind.DATE, "2024-05-12"),
    "boolean-in-cell": Cell(Kind.BOOLEAN, "TRUE"),
}
"""Cells that are neither number nor text, by the code that refuses them."""


def case_id(case: object) -> str:
    """The id of a case; for a cell its text."""
    shown = case.text if isinstance(case, Cell) else str(getattr(case, "__name__", case))
    return ascii(shown[:40])
