"""Explain the fields of a row: cell, list of values, default, join, formula."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from feedtool.check.recipes.fields import Formula, Keys
from feedtool.check.recipes.recipe_file import OUT_OF_STOCK
from feedtool.check.recipes.sheet import FIRST, RecipeBlock, RecipeSheet
from feedtool.feeds.columns import InvalidValue
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import Kind, brief, letters, shown
from feedtool.model.header import Header
from feedtool.model.settings import Context
from feedtool.model.sheet import BLANK_SHOWN, ExplainedRow, FieldSteps
from feedtool.model.text import column_name, joined, tr
from feedtool.sheets import Sheet

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
