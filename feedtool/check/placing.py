"""Where a fault is: what a rule says of a row becomes a Problem with its row, column and value."""

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from typing import NamedTuple

from feedtool.cells import BLANK, Block, Cell, Cells, brief, letters, shown
from feedtool.headers import Header
from feedtool.model import Fault, Problem


class _Place(NamedTuple):
    """What every problem of a column says of its place."""

    letters: str | None
    header: str | None
    key: str | None


_NOWHERE = _Place(None, None, None)


class Placing:
    """The places of one sheet. Where records of a CSV start is kept for what is said at the end."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._index_of = {column.key: index for index, column in header.columns.items()}
        self._places: dict[int | None, _Place] = {}
        self.begin()

    def begin(self) -> None:
        """The rows are read, maybe once more."""
        self._lines = array("Q")

    def index_of(self, key: str) -> int | None:
        """The 0-based index of a key's column."""
        return self._index_of.get(key)

    def note_lines(self, block: Block) -> None:
        """Remembers where the records of a CSV start, for what is said of them later."""
        if block.lines:
            for row, line in zip(block.rows, block.lines, strict=True):
                self._lines.extend(repeat(0, row - len(self._lines)))
                self._lines.append(line)

    def in_row(
        self, cells: Cells, position: int, found: Iterable[tuple[int | None, Fault]]
    ) -> list[Problem]:
        """The problems of a row of a block, in the order of columns.

        Args:
            cells: The block's.
            position: Of the row in the block.
            found: The faults, each with its column's index; None where the fault names a field.
        """
        block = cells.block
        row, line = block.rows[position], block.lines[position] if block.lines else None
        cell = partial(cells.at, position)
        problems = [self._problem(fault, index, row, line, cell) for index, fault in found]
        if len(problems) > 1:
            problems.sort(key=lambda one: (len(one.column or ""), one.column or ""))
        return problems

    def in_earlier_row(self, row: int, fault: Fault) -> Problem:
        """The problem of a row that was read long ago."""
        line = self._lines[row] if row < len(self._lines) else None
        return self._problem(fault, None, row, line, lambda _: BLANK)

    def of_sheet(self, fault: Fault) -> Problem:
        """A problem of the sheet as a whole."""
        return self._problem(fault, None, None, None, lambda _: BLANK)

    def _problem(
        self,
        fault: Fault,
        index: int | None,
        row: int | None,
        line: int | None,
        cell: Callable[[int], Cell],
    ) -> Problem:
        if index is None and fault.field is not None:
            index = self._index_of.get(fault.field)
        place = self._places.get(index) or self._place(index)
        value = fault.value
        if value is None and index is not None and row is not None:
            value = shown(cell(index)) or None
        return Problem(
            row,
            line,
            place.letters,
            place.header,
            place.key if fault.field is None else fault.field,
            fault.code.name,
            fault.code.severity,
            value and brief(value),
            fault.message,
            fault.hint,
        )

    def _place(self, index: int | None) -> _Place:
        """What is said of every problem of a column; None is no column."""
        if index is None:
            return _NOWHERE
        column = self._header.columns.get(index)
        header = self._header.texts.get(index)
        place = _Place(letters(index), header and brief(header), column.key if column else None)
        self._places[index] = place
        return place
