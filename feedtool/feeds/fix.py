"""Corrections of cells that need no decision by people, declared in tables of fixes.

A fix is a row of a table: the codes that it fixes, and a function for the new value of the cell.
`check.fixes` checks the sheet again and keeps only the fixes that removed their problem.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from feedtool.feeds.columns import ColumnReader
from feedtool.model.cells import Cell, CellType
from feedtool.model.nouns import Code

NewValue = str | Decimal
"""The new value of a cell; an empty text makes it blank."""


class FlawedCell(NamedTuple):
    """A cell with a problem, and the facts that its fix may need."""

    cell: Cell
    reader: ColumnReader
    """The reader of the column; its `decimal` is the separator that was chosen, or that all numbers
    of the sheet have."""
    filled: frozenset[str]
    """The keys of the row's cells that are not blank."""
    is_csv: bool = False

    @property
    def type(self) -> CellType:
        return self.reader.cell_type


class Fix(NamedTuple):
    name: str
    """The NAME of `--fix NAME`."""
    summary: str
    """A description for the user: `round amounts to two decimals`."""
    codes: tuple[Code, ...]
    """The problems that it fixes."""
    fix: Callable[[FlawedCell], NewValue | None]
    """Returns the new value; None where only the author of the sheet knows it."""
    is_safe: bool = False
    """True if it decides nothing: `--fix` without a name makes it."""
    fields: tuple[str, ...] | None = None
    """The keys of its columns; None for all."""
    decimal: str | None = None
    """The decimal separator that choosing this fix sets for all numbers of the sheet."""
    old_name: str | None = None
    """A former name that is still accepted."""

    @property
    def option(self) -> str:
        return "--fix" if self.is_safe else f"--fix={self.name}"
