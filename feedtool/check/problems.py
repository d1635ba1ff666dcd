"""Locate issues: an issue becomes a Problem with its row, column and value."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any

from feedtool.check.recipes.fields import Formula, Keys
from feedtool.check.recipes.recipe import OUT_OF_STOCK, of_channel
from feedtool.check.recipes.sheet import FIRST, RecipeBlock, RecipeSheet
from feedtool.feeds.columns import InvalidValue
from feedtool.feeds.columns.choice import Ignored
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import Block, Cells, Header, Kind, brief, index_of, letters, shown
from feedtool.model.nouns import Issue, Problem
from feedtool.model.settings import Context
from feedtool.model.sheet import BLANK_SHOWN, VALID, ExplainedRow, FieldSteps
from feedtool.model.text import column_name, joined, tr
from feedtool.sheets import Sheet
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
        row, line = cells.block.rows[position], line_of(cells, position)
        if faults:
            located = list(in_cells)
            for fault in faults:
                index = self._index(fault)
                is_shown = fault.value is None and index != NO_COLUMN
                text = shown(cells.at(position, index)) if is_shown else ""
                located.append((index, fault, text))
            in_cells = sorted(located, key=itemgetter(0))
        return [self._problem(fault, index, row, line, text) for index, fault, text in in_cells]

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


# Explain the fields of a row.


Step = tuple[str, str]
NO_VALUE = tr("no value")


def explain_row(sheet: Sheet, header: Header, context: Context, number: int) -> ExplainedRow:
    """Return the fields of a row with their steps, and the conditions for skipping it."""
    made = sheet if isinstance(sheet, RecipeSheet) else RecipeSheet(sheet, context)
    block = made.row(number) if number > header.after else None
    fields = () if block is None else tuple(_Explanation(made, block, header).fields())
    return ExplainedRow(number, fields)


class _Explanation:
    """The steps of one row, read as a block of one row."""

    def __init__(self, sheet: RecipeSheet, block: RecipeBlock, header: Header) -> None:
        self._sheet, self._block, self._header = sheet, block, header

    def fields(self) -> Iterator[FieldSteps]:
        block, sheet = self._block, self._sheet
        for index, column in self._header.columns.items():
            key, channel = column.key, sheet.on_channels.get(column.key)
            if index < FIRST:
                yield FieldSteps(key, self._shown(block.source(index)), [self._cell(index)])
                continue
            if channel:
                steps = self._of_formula(channel, block.made)
            elif formula := sheet.formulas.get(key):
                steps = self._of_formula(formula, block.given)
            else:
                steps = self._given(key)
            yield FieldSteps(key, self._shown(sheet.columns[index - FIRST](block)), list(steps))
        for table, formula in sheet.rules:
            of_key = block.given if table == OUT_OF_STOCK else block.made
            result = self._shown(block.computed(formula, of_key))
            steps = self._of_formula(formula, of_key)
            name = tr("{table} “{reason}”", table=table, reason=formula.key)
            yield FieldSteps(name, result, list(steps))

    def _shown(self, keys: Keys) -> str:
        key = keys[0]
        if isinstance(key, InvalidValue):
            return NO_VALUE
        cell = self._block.decode(key)
        if cell.kind is Kind.BOOLEAN:
            return cell.text.lower()
        return brief(plain(shown(cell))) or BLANK_SHOWN

    def _place(self, index: int) -> str:
        row, text = self._block.block.rows[0], self._header.texts.get(index, "")
        return column_name(f"{letters(index)}{row}", text)

    def _cell(self, index: int) -> Step:
        return self._place(index), self._shown(self._block.source(index))

    def _given(self, key: str) -> Iterator[Step]:
        """Yield the cell of a key, and the results of its values, default and joins."""
        field, block = self._sheet.fields[key], self._block
        content: Hashable = field.default
        if field.source is not None:
            yield self._cell(field.source)
            content = block.source(field.source)[0]
        elif field.default.text:
            yield "[default]", self._shown([field.default])
        block.given(key)  # its values can be looked up afterwards
        if field.mapped is not None and (mapped := field.mapped[content]) is not content:
            is_blank = self._shown([content]) == BLANK_SHOWN
            yield "[default]" if is_blank else f"[values.{key}]", self._shown([mapped])
        for join in field.joins:
            (cell,) = join.cells(block)
            value = tr("not there; its own is kept") if cell is None else self._shown([cell])
            if isinstance(cell, InvalidValue):
                value = cell.faults[0].message
            yield tr("join by {columns}", columns=joined(map(self._place, field.keyed_by))), value

    def _of_formula(self, formula: Formula, of_key: Callable[[str], Keys]) -> Iterator[Step]:
        """Yield the inputs of a formula, and each of its parts."""
        columns = self._block.inputs(formula, of_key)
        for (name, is_key, index), keys in zip(formula.inputs, columns, strict=True):
            if is_key and of_key == self._block.given:  # other results have their steps already
                yield from self._given(name)
            yield name if is_key else f"{name} = {self._place(index)}", self._shown(keys)
        values: list[Any] = [
            self._block.values_of(name, keys)[0]
            for (name, _, _), keys in zip(formula.inputs, columns, strict=True)
        ]
        if not any(isinstance(value, InvalidValue) for value in values):
            yield from formula.expression.steps(values)
