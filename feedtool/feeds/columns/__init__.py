"""Read cells: a column's type turns a cell into a value, or reports the problem with it.

A type is a declaration (`Money(above=0)`) with one method, `read`: it turns a `Cell` into a value,
None for a blank, or `InvalidValue` when there are issues. `ColumnReader` applies a type to a whole
column of one sheet; it is fast because it remembers every distinct cell.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import NamedTuple

from feedtool.feeds.rule import Problems
from feedtool.model.cells import Cell, CellType, shown
from feedtool.model.nouns import Issue, Severity
from feedtool.model.settings import Context

PROBLEMS = Problems(__name__)

REMEMBERED = 4096
"""The most distinct cells that a column remembers; more would help only columns without repeats."""


class InvalidValue(NamedTuple):
    """A value and its issues; None replaces a value that cannot be sent."""

    value: object | None
    faults: tuple[Issue, ...]
    shown: str = ""
    """The cell's text, added by `ColumnReader`."""

    @property
    def is_refused(self) -> bool:
        return is_error(self.faults)


def is_error(faults: Iterable[Issue]) -> bool:
    return Severity.ERROR in [fault.code.severity for fault in faults]


class ColumnReader(dict[Hashable, object]):
    """One column of one sheet while it is read: a cache from a cell's key to its value.

    `decimal` is the column's decimal separator, if other cells determine it; `evidence` has, for
    each separator, the first valid cell that requires it, also from earlier readings;
    `is_ambiguous` is True if a cell had two possible meanings.
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
        self.settings = context.settings
        self.decimal = decimal
        self.evidence = dict(evidence or {})
        self.is_ambiguous = False
        self.is_flawed = False
        self._decode: Callable[[Hashable], Cell]

    def __missing__(self, key: Hashable) -> object:
        if isinstance(key, InvalidValue):  # a value that a recipe could not compute
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
        """Return the values of cells, in order; if `is_flawed`, some are `InvalidValue`."""
        if len(self) > REMEMBERED:
            self.clear()
        self._decode = decode
        # Every cell of every sheet passes through this loop: it runs in C, and calls Python
        # (__missing__) only for a new cell.
        return list(map(self.__getitem__, keys))
