"""From a cell to a value: each column's type reads a cell and says what is wrong with it.

A type is a declaration (`Money(above=0)`), `read` its only verb: it turns a `Cell` into a value,
None for a blank, or `InvalidValue` when there is something to say. `ColumnReader` applies a type to
a whole column of one sheet and remembers every distinct cell, which is where the speed comes from.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import NamedTuple

from feedtool.feeds.rule import Problems
from feedtool.model.cells import Cell, shown
from feedtool.model.header import CellType
from feedtool.model.nouns import Issue, Severity
from feedtool.model.settings import Context

PROBLEMS = Problems(__name__)

REMEMBERED = 4096
"""Distinct cells a column remembers; more would only help columns that hardly repeat anyway."""


class InvalidValue(NamedTuple):
    """A value with something to say of it; the value is None if it cannot be sent."""

    value: object | None
    faults: tuple[Issue, ...]
    shown: str = ""
    """The cell's text, which the column's reader adds."""

    @property
    def is_refused(self) -> bool:
        """True if an error, and not only a warning, is among the faults."""
        return is_error(self.faults)


def is_error(faults: Iterable[Issue]) -> bool:
    """True if an error, and not only a warning, is among faults."""
    return Severity.ERROR in [fault.code.severity for fault in faults]


class ColumnReader(dict[Hashable, object]):
    """One column of one sheet while it is read: a memory from a cell's key to its value.

    `decimal` is the column's decimal separator where other cells have settled it; `evidence` has,
    for each separator, the first valid cell that could only be read with it, of earlier readings
    too; `is_ambiguous` tells that a cell could have meant two things.
    """

    def __init__(
        self,
        cell_type: CellType,
        context: Context,
        decimal: str | None = None,
        evidence: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.cell_type = cell_type
        self.context = context
        self.dialect = context.settings
        self.decimal = decimal
        self.evidence = dict(evidence or {})
        self.is_ambiguous = False
        self.is_flawed = False
        self._decode: Callable[[Hashable], Cell]

    def __missing__(self, key: Hashable) -> object:
        if isinstance(key, InvalidValue):  # what a recipe could not compute
            self.is_flawed = True
            return key
        cell = self._decode(key)
        value = self.cell_type.read(cell, self)
        if isinstance(value, InvalidValue):
            self.is_flawed = True
            value = InvalidValue(value.value, value.faults, shown(cell))
        self[key] = value
        return value

    def read(
        self, keys: Iterable[Hashable], decode: Callable[[Hashable], Cell]
    ) -> list[object | None]:
        """The values of a block's cells, in order; once `is_flawed` some are `InvalidValue`."""
        if len(self) > REMEMBERED:
            self.clear()
        self._decode = decode
        # The one loop that every cell of every sheet passes through: it runs in C, and calls
        # back into Python (__missing__) only for a cell that was not met before.
        return list(map(self.__getitem__, keys))
