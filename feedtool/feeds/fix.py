"""Corrections that a table of fixes can make in cells by itself.

A fix is a row of a table: the codes that it fixes, and what the cell holds afterwards. Whoever
makes them checks the sheet again, and keeps those alone that fixed what they were for.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from feedtool.feeds.columns import ColumnReader
from feedtool.model.cells import Cell
from feedtool.model.header import CellType
from feedtool.model.nouns import Code

NewValue = str | Decimal
"""What a cell holds afterwards; an empty text is a blank."""


class FlawedCell(NamedTuple):
    """A cell with a problem, and what its fix may depend on."""

    cell: Cell
    reader: ColumnReader
    """Of the column; its `decimal` is the separator that was chosen, or that all numbers of the
    sheet agree on."""
    filled: frozenset[str]
    """The keys of the row's cells that hold something."""
    is_csv: bool = False

    @property
    def type(self) -> CellType:
        """The column's type."""
        return self.reader.cell_type


class Fix(NamedTuple):
    """A correction, by its name."""

    name: str
    """As `--fix NAME` has it."""
    summary: str
    """What it does, for whoever chooses: `round amounts to two decimals`."""
    codes: tuple[Code, ...]
    """The problems that it fixes."""
    fix: Callable[[FlawedCell], NewValue | None]
    """What the cell holds afterwards; None where nobody but its author can say."""
    is_safe: bool = False
    """True if nothing is decided by it: `--fix` makes it unasked."""
    fields: tuple[str, ...] | None = None
    """The keys of the columns that it is for; None is all."""
    decimal: str | None = None
    """The decimal separator of all numbers of the sheet, where choosing it says so."""
    old_name: str | None = None
    """What it was called before, which is still understood."""

    @property
    def option(self) -> str:
        """The option that makes it."""
        return "--fix" if self.is_safe else f"--fix={self.name}"
