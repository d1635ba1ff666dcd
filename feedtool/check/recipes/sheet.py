"""A sheet as a recipe makes it: its own columns, and behind them those that the recipe adds."""

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
from typing import TypeVar

from feedtool.check.recipes.fields import REMEMBERED, Formula, Keys, RawValue, RecipeField
from feedtool.check.recipes.values import CONTEXT
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.settings import Context
from feedtool.model.text import joined, tr
from feedtool.sheets import Sheet
from feedtool.sheets.read.source import LAST_COLUMN, CellRange

FIRST = LAST_COLUMN + 1
"""The index of the first column that no sheet can have."""

T = TypeVar("T")


class RecipeBlock:
    """A block, with the columns that a recipe makes of it."""

    def __init__(self, sheet: "RecipeSheet", block: Block) -> None:
        self._sheet, self.block = sheet, block
        self._sources: dict[int, Keys] = {}
        self._fields: dict[str, Keys] = {}
        self._values: dict[Hashable, list[object | None]] = {}

    def source(self, index: int) -> Keys:
        """A column of the sheet."""
        keys = self._sources.get(index)
        if keys is None:
            is_there = index < self.block.width
            keys = list(self.block.column(index)) if is_there else [BLANK] * len(self.block.rows)
            self._sources[index] = keys
        return keys

    def given(self, key: str) -> Keys:
        """The cells of a key by column, values, default and join."""
        keys = self._fields.get(key)
        if keys is None:
            keys = self._fields[key] = self._given(self._sheet.fields[key])
        return keys

    def _given(self, field: RecipeField) -> Keys:
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
                own if other is None else other for own, other in zip(keys, joined, strict=True)
            ]
        return keys

    def made(self, key: str) -> Keys:
        """The cells of a key, computed where the recipe does."""
        formula = self._sheet.formulas.get(key)
        if formula is None:
            return self.given(key)
        name = f"={key}"
        if name not in self._fields:
            self._fields[name] = self.computed(formula, self.given)
        return self._fields[name]

    def inputs(self, formula: Formula, of_key: Callable[[str], Keys]) -> list[Keys]:
        """The cells that a formula reads, by the order of its names."""
        return [of_key(name) if is_key else self.source(at) for name, is_key, at in formula.inputs]

    def computed(self, formula: Formula, of_key: Callable[[str], Keys]) -> Keys:
        """The results of a formula: Cells, or an InvalidValue where it fails."""
        columns = self.inputs(formula, of_key)
        names = [name for name, _, _ in formula.inputs]
        inputs = list(map(self.values_of, names, columns))
        rows = zip(*inputs, strict=True) if inputs else repeat((), len(self.block.rows))
        memory, results = formula.memory, []
        if len(memory) > REMEMBERED:
            memory.clear()
        with localcontext(CONTEXT):
            # The same cells come again and again: most rows are known. Values would not do as
            # keys, since 1, 1.0 and true are equal.
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
        """What expressions read in a column."""
        at = (name, id(keys))
        if at not in self._values:
            self._values[at] = self._sheet.reader(name).read(keys, self.decode)
        return self._values[at]

    def decode(self, key: Hashable) -> Cell:
        """The cell of a key."""
        if isinstance(key, Cell):
            return key
        if isinstance(key, InvalidValue):
            return Cell(Kind.TEXT, key.shown)
        return self.block.decode(key)


class RecipeSheet(Sheet):
    """A sheet with the columns that a recipe adds."""

    def __init__(self, sheet: Sheet, context: Context) -> None:
        super().__init__()
        self._sheet, self._context = sheet, context
        self.name, self.doubts = sheet.name, sheet.doubts
        self.fields: dict[str, RecipeField] = {}
        self.formulas: dict[str, Formula] = {}
        self.columns: list[Callable[[RecipeBlock], Keys]] = []
        """Those that are added, from the index FIRST on."""
        self.on_channels: dict[str, Formula] = {}
        """The formulas of keys on a channel, `price.price[CODE]`."""
        self.counts: list[Callable[[RecipeBlock], None]] = []
        """Each counts the rows of a block that are in a joined sheet."""
        self.skips: list[Formula] = []
        self.made_by: dict[int, Formula] = {}
        """The formulas by the index of the column that they fill, or stand for."""
        self.is_until_blank = False
        self._readers: dict[str, ColumnReader] = {}
        self._current: RecipeBlock | None = None
        """The block that was made last."""

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        """Those of the sheet."""
        return self._sheet.notices

    @property
    def merged(self) -> Sequence[CellRange]:
        """The ranges of merged cells of the sheet that it is made of.

        The columns that are added stand behind them.
        """
        return self._sheet.merged

    def _read(self) -> Generator[Block]:
        yield from self.blocks()

    def add(self, column: Callable[[RecipeBlock], Keys]) -> int:
        """Adds a column; its index."""
        self.columns.append(column)
        return FIRST + len(self.columns) - 1

    def reader(self, name: str) -> ColumnReader:
        """The reader of the values of a name in expressions."""
        if name not in self._readers:
            self._readers[name] = ColumnReader(RawValue(), self._context)
        return self._readers[name]

    def settle(self) -> bool:
        """True if expressions read cells otherwise from now on, by the decimals of their column."""
        settled = {
            name: ColumnReader(RawValue(), self._context, decimal, reader.evidence)
            for name, reader in self._readers.items()
            if reader.is_ambiguous and reader.decimal is None and len(reader.evidence) == 1
            for decimal in reader.evidence
        }
        self._readers |= settled
        for formula in (*self.formulas.values(), *self.on_channels.values(), *self.skips):
            formula.memory.clear()
        return bool(settled)

    def row(self, number: int) -> RecipeBlock | None:
        """A row by itself, as the recipe makes it; None where the file has none."""
        block = next(self._sheet.blocks(number - 1), None)
        is_there = block is not None and block.rows[0] == number
        return RecipeBlock(self, _part(block, [0])) if block and is_there else None

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after this one, in blocks, as the recipe makes them."""
        last = after_row
        for block in self._sheet.blocks(after_row):
            filled = _filled_rows(block)
            if self.is_until_blank:
                places = enumerate(filled, last + 1)
                filled = [at for number, at in places if block.rows[at] == number]
            if filled:
                yield self._block(block if len(filled) == len(block.rows) else _part(block, filled))
            if self.is_until_blank and len(filled) < len(block.rows):
                return
            last = block.rows[-1]

    def _block(self, block: Block) -> Block:
        made = self._current = RecipeBlock(self, block)
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
            self._skipped(made),
        )

    def with_origin(self, index: int, key: str, position: int, flaw: InvalidValue) -> InvalidValue:
        """What is wrong with a value of the last block, with the formula or the file it is of."""
        formula, block = self.made_by.get(index), self._current
        if block is None:
            return flaw
        if formula:
            names = [name for name in formula.keys if name in self.fields]
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
        """The same in words; empty where nothing is joined."""
        if place := self._joined_place(key, block, position):
            return tr("{name} is {place}", name=key, place=place)
        joins = self.fields[key].joins
        return tr("{file} has no {key} for this row", file=joins[-1].file, key=key) if joins else ""

    def _joined_place(self, key: str, block: RecipeBlock, position: int) -> str:
        """Where the value of a key stands in a joined file; empty where it is of none."""
        field = self.fields.get(key)
        places = [join.place(block, position) for join in field.joins] if field else []
        return next(filter(None, reversed(places)), "")

    def _skipped(self, made: RecipeBlock) -> Mapping[int, str | tuple[int, InvalidValue]]:
        """The rows that are left out, each with its reason, or why that is not known."""
        skipped: dict[int, str | tuple[int, InvalidValue]] = {}
        for formula in self.skips:
            results = made.computed(formula, made.made)
            for position, (row, result) in enumerate(zip(made.block.rows, results, strict=True)):
                if isinstance(result, InvalidValue):
                    flaw = self.with_origin(formula.at, "", position, result)
                    skipped.setdefault(row, (formula.at, flaw))
                elif result == _TRUE:
                    skipped.setdefault(row, formula.key)
        return skipped


_TRUE = Cell(Kind.BOOLEAN, "TRUE")


def made_column(key: str) -> Callable[[RecipeBlock], Keys]:
    """The cells of a key, as an added column."""
    return lambda block: block.made(key)


def _filled_rows(block: Block) -> Sequence[int]:
    """The positions of the rows that hold something: a default does not make a row."""
    blank: Collection[int] = range(len(block.rows))
    known: dict[Hashable, bool] = {}
    for index in block.used(0):
        keys = list(block.column(index))
        for key in {keys[at] for at in blank}.difference(known):
            known[key] = _is_blank(block.decode(key))
        blank = {at for at in blank if known[keys[at]]}
        if not blank:
            break
    return [at for at in range(len(block.rows)) if at not in blank]


def _is_blank(cell: Cell) -> bool:
    return cell.kind in {Kind.BLANK, Kind.TEXT} and not plain(cell.text)


def _part(block: Block, positions: Sequence[int]) -> Block:
    """Some rows of a block."""

    def pick(values: Iterable[T]) -> list[T]:
        values = list(values)
        return [values[at] for at in positions]

    return Block(
        pick(block.rows),
        block.lines and pick(block.lines),
        block.hidden,
        block.width,
        lambda index: pick(block.column(index)),
        block.decode,
        block.occupied,
    )
