"""A sheet with the columns of a recipe: its own columns, then the added columns."""

from bisect import bisect_left
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from decimal import localcontext
from itertools import repeat
from typing import NamedTuple, TypeVar

from feedtool.check.recipes.fields import REMEMBERED, Formula, Keys, RawValue, RecipeField
from feedtool.check.recipes.recipe import OUT_OF_STOCK, WARN
from feedtool.check.recipes.values import CONTEXT
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.settings import Context
from feedtool.model.text import MessageText, joined, tr
from feedtool.sheets import Sheet
from feedtool.sheets.read.source import LAST_COLUMN, CellRange

FIRST = LAST_COLUMN + 1
"""The index of the first column that no sheet can have."""

Entry = TypeVar("Entry")

TRUE, ZERO = Cell(Kind.BOOLEAN, "TRUE"), Cell(Kind.NUMBER, "0")

Above = dict[int, tuple[str, Cell]]
"""A column that is filled down → the text of the other column, and the last filled cell."""


class Ruled(NamedTuple):
    """A rule of a recipe that applies to a row."""

    table: str
    column: int
    """The index of its condition's added column."""
    reason: str | InvalidValue
    """The reason, or the fault of a condition that cannot be computed."""


class RecipeBlock:
    """A block with the columns of a recipe."""

    def __init__(self, sheet: "RecipeSheet", block: Block) -> None:
        self._sheet, self.block = sheet, block
        self._sources: dict[int, Keys] = {}
        self.filled_down: dict[int, Keys] = {}
        """The columns whose blank cells are filled from above."""
        self._fields: dict[str, Keys] = {}
        self._values: dict[Hashable, list[object | None]] = {}

    def source(self, index: int) -> Keys:
        keys = self._sources.get(index)
        if keys is None:
            is_there = index < self.block.width
            keys = list(self.block.column(index)) if is_there else [BLANK] * len(self.block.rows)
            self._sources[index] = keys
        return keys

    def given(self, key: str) -> Keys:
        """Return the cells of a key from column, values, default and join."""
        if key in self._fields:
            return self._fields[key]
        field = self._sheet.fields[key]
        keys: Keys
        if field.source is None:
            keys = [field.default] * len(self.block.rows)
        else:
            keys = self.source(field.source)
        if field.mapped is not None:
            field.mapped.decode = self.decode
            keys = list(map(field.mapped.__getitem__, keys))
        for join in field.joins:
            joined = join.cells(self)
            keys = [
                cell if other is None else other for cell, other in zip(keys, joined, strict=True)
            ]
        self._fields[key] = keys
        return keys

    def made(self, key: str) -> Keys:
        """Return the cells of a key, with the results of the recipe's formula."""
        sheet = self._sheet
        formula, emptying = sheet.formulas.get(key), sheet.emptying(key)
        if formula is None and not emptying:
            return self.given(key)
        name = f"={key}"
        if name not in self._fields:
            keys = self.computed(formula, self.given) if formula else self.given(key)
            for condition in emptying:
                results = self.computed(condition, self.given)
                keys = [
                    result if isinstance(result, InvalidValue) else ZERO if result == TRUE else key
                    for key, result in zip(keys, results, strict=True)
                ]
            self._fields[name] = keys
        return self._fields[name]

    def inputs(self, formula: Formula, of_key: Callable[[str], Keys]) -> list[Keys]:
        """Return the cells that a formula reads, in the order of its names."""
        return [
            of_key(name) if is_key else self.filled_down.get(index) or self.source(index)
            for name, is_key, index in formula.inputs
        ]

    def computed(self, formula: Formula, of_key: Callable[[str], Keys]) -> Keys:
        """Return the results of a formula: Cells, or an InvalidValue where it fails."""
        columns = self.inputs(formula, of_key)
        names = [name for name, _, _ in formula.inputs]
        inputs = list(map(self.values_of, names, columns))
        rows = zip(*inputs, strict=True) if inputs else repeat((), len(self.block.rows))
        memory, results = formula.memory, []
        if len(memory) > REMEMBERED:
            memory.clear()
        with localcontext(CONTEXT):
            # Most rows have cells that were computed before. Values cannot be keys of the cache,
            # since 1, 1.0 and true are equal.
            keys_of_rows = (
                zip(*columns, strict=True) if columns else repeat((), len(self.block.rows))
            )
            for keys, values in zip(keys_of_rows, rows, strict=True):
                result = memory.get(keys)
                if result is None:
                    result = memory[keys] = formula.result(values)
                results.append(result)
        return results

    def values_of(self, name: str, keys: Keys) -> list[object | None]:
        place = (name, id(keys))
        if place not in self._values:
            self._values[place] = self._sheet.reader(name).read(keys, self.decode)
        return self._values[place]

    def decode(self, key: Hashable) -> Cell:
        if isinstance(key, Cell):
            return key
        if isinstance(key, InvalidValue):
            return Cell(Kind.TEXT, key.shown)
        return self.block.decode(key)


class RecipeSheet(Sheet):
    """A sheet with the columns of a recipe."""

    def __init__(self, sheet: Sheet, context: Context) -> None:
        super().__init__()
        self._sheet, self._context = sheet, context
        self.name, self.doubts = sheet.name, sheet.doubts
        self.fields: dict[str, RecipeField] = {}
        self.formulas: dict[str, Formula] = {}
        self.columns: list[Callable[[RecipeBlock], Keys]] = []
        """The added columns, from the index FIRST."""
        self.on_channels: dict[str, Formula] = {}
        """The formulas of keys on a channel, `price.price[CODE]`."""
        self.counts: list[Callable[[RecipeBlock], None]] = []
        """Functions that count the rows of a block in a joined sheet."""
        self.rules: list[tuple[str, Formula]] = []
        """Conditions with their tables."""
        self.stock = ""
        """The key that becomes 0 if a condition of OUT_OF_STOCK is true."""
        self.fill_down: dict[int, int] = {}
        """The columns to fill down → the columns whose text must stay the same."""
        self.made_by: dict[int, Formula] = {}
        """The formulas by the index of their added column."""
        self.is_until_blank = False
        self._readers: dict[str, ColumnReader] = {}
        self._current: RecipeBlock | None = None
        """The last block."""

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        return self._sheet.notices

    @property
    def merged(self) -> Sequence[CellRange]:
        """The ranges of merged cells of the source sheet.

        The added columns come after them.
        """
        return self._sheet.merged

    def _read(self) -> Generator[Block]:
        yield from self.blocks()

    def add(self, column: Callable[[RecipeBlock], Keys]) -> int:
        self.columns.append(column)
        return FIRST + len(self.columns) - 1

    def reader(self, name: str) -> ColumnReader:
        """Return the reader of the values of a name in expressions."""
        if name not in self._readers:
            self._readers[name] = ColumnReader(RawValue(), self._context)
        return self._readers[name]

    def settle(self) -> bool:
        """Use the decimal separators of columns; return True if expressions must read again."""
        settled = {
            name: ColumnReader(RawValue(), self._context, decimal, reader.evidence)
            for name, reader in self._readers.items()
            if reader.is_ambiguous and reader.decimal is None and len(reader.evidence) == 1
            for decimal in reader.evidence
        }
        self._readers |= settled
        rules = (formula for _, formula in self.rules)
        for formula in (*self.formulas.values(), *self.on_channels.values(), *rules):
            formula.memory.clear()
        return bool(settled)

    def row(self, number: int) -> RecipeBlock | None:
        """Return one row with the recipe's columns; None if the file does not have it."""
        above: Above = {}
        for block in self._sheet.blocks(0 if self.fill_down else number - 1):
            before = bisect_left(block.rows, number)
            self._fill_down(RecipeBlock(self, _part(block, range(before))), above)
            if number in block.rows:
                made = RecipeBlock(self, _part(block, [before]))
                self._fill_down(made, above)
                return made
            if block.rows[-1] > number:
                break
        return None

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """Yield the rows after `after_row` in blocks, with the recipe's columns."""
        last, above = after_row, Above()
        for block in self._sheet.blocks(after_row):
            filled = _filled_rows(block)
            if self.is_until_blank:
                places = enumerate(filled, last + 1)
                filled = [position for number, position in places if block.rows[position] == number]
            if filled:
                part = block if len(filled) == len(block.rows) else _part(block, filled)
                yield self._block(part, above)
            if self.is_until_blank and len(filled) < len(block.rows):
                return
            last = block.rows[-1]

    def _block(self, block: Block, above: Above) -> Block:
        made = self._current = RecipeBlock(self, block)
        self._fill_down(made, above)
        for count in self.counts:
            count(made)

        def column(index: int) -> Keys:
            return made.source(index) if index < FIRST else self.columns[index - FIRST](made)

        return Block(
            block.rows,
            block.lines,
            block.hidden,
            FIRST + len(self.columns),
            column,
            made.decode,
            frozenset(block.used(0)),
            self._ruled(made),
        )

    def _fill_down(self, made: RecipeBlock, above: Above) -> None:
        """Fill blank cells of a block from above, while the other column's text is the same."""
        for index, by in self.fill_down.items():
            text, last = above.get(index, ("", BLANK))
            filled: list[Hashable] = []
            for key, other in zip(made.source(index), made.source(by), strict=True):
                cell, now = made.decode(key), made.decode(other).text
                if now != text or not now or not _is_blank(cell):
                    text, last = now, cell
                filled.append(last)
            above[index], made.filled_down[index] = (text, last), filled

    def emptying(self, key: str) -> Sequence[Formula]:
        """Return the conditions for which a key becomes 0."""
        if key != self.stock:
            return ()
        return [formula for table, formula in self.rules if table == OUT_OF_STOCK]

    def with_origin(self, index: int, key: str, position: int, flaw: InvalidValue) -> InvalidValue:
        """Return a flaw in the last block, with its formula or its joined file."""
        formula, block = self.made_by.get(index), self._current
        if block is None:
            return flaw
        if formula:
            names = [name for name, is_key, _ in formula.inputs if is_key and name in self.fields]
            about = (self._joined_from(name, block, position) for name in names)
            return formula.with_origin(flaw, list(filter(None, about)))
        place = self._joined_place(key, block, position)
        if not place or any(fault.code is RECIPE_FAILED for fault in flaw.faults):
            return flaw
        faults = tuple(
            fault._replace(
                message=joined((place, fault.message), ": "),
                hint=tr("there: {hint}", hint=fault.hint),
            )
            for fault in flaw.faults
        )
        return InvalidValue(flaw.value, faults)

    def _joined_from(self, key: str, block: RecipeBlock, position: int) -> str:
        """Return the place of a joined value in words; empty without a join."""
        if place := self._joined_place(key, block, position):
            return tr("{name} is {place}", name=key, place=place)
        joins = self.fields[key].joins
        if not joins:
            return ""
        return tr("{file} has no {key} for this row", file=joins[-1].sheet.source, key=key)

    def _joined_place(self, key: str, block: RecipeBlock, position: int) -> str:
        """Return the place of a key's value in a joined file; empty without one."""
        field = self.fields.get(key)
        places = [join.place(block, position) for join in field.joins] if field else []
        return next(filter(None, reversed(places)), "")

    def _ruled(self, made: RecipeBlock) -> Mapping[int, Sequence[Ruled]]:
        """Return the rules for rows: the first that leaves a row out, or else all warnings."""
        ruled: dict[int, list[Ruled]] = {}
        for table, formula in self.rules:
            if table == OUT_OF_STOCK:
                continue
            name = MessageText((formula.key.replace("{", "{{").replace("}", "}}"),))
            results = made.computed(formula, made.made)
            for position, (row, result) in enumerate(zip(made.block.rows, results, strict=True)):
                reason: str | InvalidValue = name
                if isinstance(result, InvalidValue):
                    reason = self.with_origin(formula.index, "", position, result)
                elif result != TRUE:
                    continue
                of_row = ruled.setdefault(row, [])
                if not of_row or of_row[0].table == WARN:
                    of_row.append(Ruled(table, formula.index, reason))
        return ruled


def made_column(key: str) -> Callable[[RecipeBlock], Keys]:
    return lambda block: block.made(key)


def _filled_rows(block: Block) -> Sequence[int]:
    """Return the positions of filled rows: a default alone does not make a row."""
    blank: Collection[int] = range(len(block.rows))
    known: dict[Hashable, bool] = {}
    for index in block.used(0):
        keys = list(block.column(index))
        for key in {keys[position] for position in blank}.difference(known):
            known[key] = _is_blank(block.decode(key))
        blank = {position for position in blank if known[keys[position]]}
        if not blank:
            break
    return [position for position in range(len(block.rows)) if position not in blank]


def _is_blank(cell: Cell) -> bool:
    return cell.kind in {Kind.BLANK, Kind.TEXT} and not plain(cell.text)


def _part(block: Block, positions: Sequence[int]) -> Block:
    """Return a block with some rows of a block."""

    def pick(values: Iterable[Entry]) -> list[Entry]:
        values = list(values)
        return [values[position] for position in positions]

    return Block(
        pick(block.rows),
        block.lines and pick(block.lines),
        block.hidden,
        block.width,
        lambda index: pick(block.column(index)),
        block.decode,
        block.occupied,
    )
