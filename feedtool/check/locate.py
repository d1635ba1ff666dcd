"""Locate issues: an issue becomes a Problem with its row, column and value."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import attrgetter, itemgetter

from feedtool.check.recipes.channels import of_channel
from feedtool.feeds.columns.choice import Ignored
from feedtool.model.cells import Block, Cells, brief, index_of, letters, shown
from feedtool.model.header import Header
from feedtool.model.nouns import Issue, Problem
from feedtool.model.sheet import VALID
from feedtool.model.text import tr
from feedtool.sheets.read.source import CellRange

Place = tuple[str | None, str | None, str | None]
"""A column's letters, header and key."""

NO_COLUMN = -1
"""The index for an issue without a column; it sorts first."""

InCell = tuple[int, Issue, str]
"""A column's index, its issue, and the text of the cell."""


class Locator:
    """The places in one reading of a sheet; for a CSV also the first lines of records."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._index_of = {column.key: index for index, column in header.columns.items()}
        self._places: dict[int, Place] = {NO_COLUMN: (None, None, None)}
        self._lines = array("Q")

    def index_of(self, key: str) -> int | None:
        """Return the 0-based index of a key's column, or None."""
        return self._index_of.get(key)

    def has_own(self, key: str, channel: str) -> bool:
        """Return True if a key has a separate column for this channel."""
        return self.index_of(of_channel(key, channel)) is not None

    def note_lines(self, block: Block) -> None:
        """Remember the first lines of a CSV's records, for later problems."""
        if block.lines:
            for row, line in zip(block.rows, block.lines, strict=True):
                self._lines.extend(repeat(0, row - len(self._lines)))
                self._lines.append(line)

    def in_row(
        self, cells: Cells, position: int, in_cells: Iterable[InCell], faults: Sequence[Issue]
    ) -> list[Problem]:
        """Return the problems of a row of a block, in the order of columns.

        `in_cells` are from the reading of cells, in that order; `faults` are later ones.
        """
        block = cells.block
        row, line = block.rows[position], block.lines[position] if block.lines else None
        if faults:
            located = [self._located(cells, position, fault) for fault in faults]
            in_cells = sorted([*in_cells, *located], key=itemgetter(0))
        return [self._problem(fault, index, row, line, text) for index, fault, text in in_cells]

    def _located(self, cells: Cells, position: int, fault: Issue) -> InCell:
        """Return a fault in the cell of its field."""
        index = self._index(fault)
        is_shown = fault.value is None and index != NO_COLUMN
        return index, fault, shown(cells.at(position, index)) if is_shown else ""

    def in_earlier_row(self, row: int, fault: Issue) -> Problem:
        line = self._lines[row] if row < len(self._lines) else None
        return self._problem(fault, self._index(fault), row, line)

    def of_sheet(self, fault: Issue) -> Problem:
        return self._problem(fault, self._index(fault), None, None)

    def _index(self, fault: Issue) -> int:
        return NO_COLUMN if fault.field is None else self._index_of.get(fault.field, NO_COLUMN)

    def _problem(
        self, fault: Issue, index: int, row: int | None, line: int | None, text: str = ""
    ) -> Problem:
        """Return a fault with its place; `text` is the text of its cell, if it has one."""
        code, message, hint, field, value = fault
        column, header, key = self._places.get(index) or self._place(index)
        if value is None:
            value = text or None
        return Problem(
            row,
            line,
            column,
            header,
            key if field is None else field,
            code.name,
            code.severity,
            value and brief(value),
            message,
            hint,
        )

    def _place(self, index: int) -> Place:
        """Return the place of all problems of a column."""
        column = self._header.columns.get(index)
        origin = next(iter(self._header.origins.get(index, (index,))), None)
        header = None if origin is None else self._header.texts.get(origin)
        key = column.key if column else None
        place = None if origin is None else letters(origin), header and brief(header), key
        self._places[index] = place
        return place


class MergedCells:
    """Merged cells; only the first cell of a range has a value."""

    def __init__(self, merged: Sequence[CellRange], header: Header) -> None:
        """Take the ranges of known columns below the header."""
        self._header = header
        self._ranges: dict[int, list[CellRange]] = {}
        for area in sorted(merged):
            for index in header.columns if area.last_row > header.after else ():
                if area.first_column <= index <= area.last_column:
                    self._ranges.setdefault(index, []).append(area)

    def over(self, row: int, index: int) -> CellRange | None:
        """Return the range of a cell, unless the cell is the first one of the range."""
        ranges = self._ranges.get(index, ())
        place = bisect_right(ranges, row, key=attrgetter("first_row")) - 1
        area = ranges[place] if place >= 0 else None
        is_first = area is not None and area[:2] == (row, index)
        return None if area is None or is_first or row > area.last_row else area

    def in_valid_rows(self, marks: bytes, is_sent: Callable[[str], bool]) -> list[str]:
        """Return the ranges that leave a cell of a valid row blank, in a column that is sent."""
        ranges = {
            area: None
            for index, areas in sorted(self._ranges.items())
            for area in areas
            if is_sent(self._header.columns[index].key)
            and not isinstance(self._header.columns[index].type, Ignored)
            # The first row of a range has its value in the first column.
            if marks.find(VALID, area.first_row + (index == area.first_column), area.last_row + 1)
            >= 0
        }
        return list(map(str, ranges))

    def named(self, problem: Problem) -> Problem:
        """Return a problem with the merged range that leaves its cell blank, if there is one."""
        if problem.row is None or problem.column is None or problem.value is not None:
            return problem
        area = self.over(problem.row, index_of(problem.column))
        if area is None:
            return problem
        message = tr(
            "{message}: the cells {range} are merged, and the first one alone has their value",
            message=problem.message,
            range=str(area),
        )
        return problem._replace(message=message, hint=tr("unmerge the cells, and fill each"))


def line_of(cells: Cells, position: int) -> int | None:
    """Return the first line of a record in a CSV, else None."""
    return cells.block.lines[position] if cells.block.lines else None
