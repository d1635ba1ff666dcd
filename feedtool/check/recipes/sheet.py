"""A sheet as a recipe makes it: its own columns, and behind them those that the recipe adds."""

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from itertools import repeat

from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.values import (
    CONTEXT,
    ExpressionFailure,
    NumberText,
    UnreadableCell,
    Value,
)
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.number import Number
from feedtool.feeds.columns.text import no_value, plain
from feedtool.model.cells import BLANK, Block, Cell, Kind, letters, rounded, shown
from feedtool.model.header import folded
from feedtool.model.nouns import Issue
from feedtool.model.settings import Context
from feedtool.sheets import Sheet
from feedtool.sheets.read.source import LAST_COLUMN

FIRST = LAST_COLUMN + 1
"""The index of the first column that no sheet can have."""
REMEMBERED = 4096
"""Distinct cells that a column remembers."""

Keys = Sequence[Hashable]
"""A column of a block: the file's own keys, or Cells of ours, or an InvalidValue for a failure."""


def cell_of(value: Value | float) -> Cell:
    """The cell that holds a value."""
    match value:
        case bool():
            return Cell(Kind.BOOLEAN, str(value).upper())
        case str() if value:
            return Cell(Kind.TEXT, str(value))
        case date():
            return Cell(Kind.DATE, value.isoformat())
        case int() | float() | Decimal():
            return Cell(Kind.NUMBER, f"{Decimal(str(value)):f}")
    return BLANK


@dataclass(frozen=True, slots=True)
class RawValue(Number):
    """Any cell as a value of expressions."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """The value; a text that is a number in its writing is a NumberText."""
        match cell.kind:
            case Kind.NUMBER:
                return rounded(cell.text)
            case Kind.DATE:
                return date.fromisoformat(cell.text[:10]) if cell.text[4:5] == "-" else cell.text
            case Kind.BOOLEAN:
                return cell.text == "TRUE"
        if flaw := no_value(cell):
            return UnreadableCell(flaw.faults[0].message)
        text = plain(cell.text)
        if not text:
            return None
        value = self.read_text(text, cell, column)
        return NumberText(text, value) if isinstance(value, Decimal) else text

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        """Any number."""
        del cell, column
        return number


class Mapped(dict[Hashable, Hashable]):
    """From a cell's key to what the recipe has in its place: by its text, or where it is blank."""

    def __init__(self, values: Mapping[str, Cell], default: Cell | None) -> None:
        super().__init__()
        self._values, self._default = values, default
        self.decode: Callable[[Hashable], Cell]

    def __missing__(self, key: Hashable) -> Hashable:
        cell = self.decode(key)
        text = plain(shown(cell))
        result: Hashable = key
        if text:
            result = self._values.get(text.casefold()) or self._values.get(folded(text)) or key
        elif self._default is not None and cell.kind in {Kind.BLANK, Kind.TEXT}:
            result = self._default
        if len(self) > REMEMBERED:
            self.clear()
        self[key] = result
        return result


@dataclass
class RecipeField:
    """A key of the kind, and where its cells come from."""

    key: str
    source: int | None = None
    """The 0-based index of its column in the sheet."""
    mapped: Mapped | None = None
    default: Cell = BLANK
    """Its cell in every row, where the sheet has no column for it."""
    joins: list[Callable[["RecipeBlock"], Keys]] = field(default_factory=list)
    """Each gives the joined cells of a block, None where a row has none."""


@dataclass
class Formula:
    """An expression over the columns of a sheet, with what it gave for the values before."""

    key: str
    expression: Expression
    inputs: Sequence[tuple[str, bool, int]]
    """Of each of its names: the name, whether it is a key, else the index of its column."""
    hint: str
    about: str
    """Which names are which columns, for messages."""
    memory: dict[Hashable, Hashable] = field(default_factory=dict)

    def fault(self, failure: ExpressionFailure) -> InvalidValue:
        """What is said of a row in which it has no value."""
        about = f" ({self.about})" if self.about else ""
        message = f"{self.key} = {self.expression.source}: {failure}{about}"
        return InvalidValue(None, (Issue(RECIPE_FAILED, message, self.hint),))


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

    def _given(self, found: RecipeField) -> Keys:
        keys: Keys
        if found.source is None:
            keys = [found.default] * len(self.block.rows)
        else:
            keys = self.source(found.source)
        if found.mapped is not None:
            found.mapped.decode = self.decode
            keys = list(map(found.mapped.__getitem__, keys))
        for join in found.joins:
            joined = join(self)
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

    def computed(self, formula: Formula, of_key: Callable[[str], Keys]) -> Keys:
        """The results of a formula: Cells, or an InvalidValue where it fails."""
        inputs = [
            self._values_of(name, of_key(name) if is_key else self.source(index))
            for name, is_key, index in formula.inputs
        ]
        rows = zip(*inputs, strict=True) if inputs else repeat((), len(self.block.rows))
        run, memory, results = formula.expression.run, formula.memory, []
        if len(memory) > REMEMBERED:
            memory.clear()
        with localcontext(CONTEXT):
            for values in rows:
                # Numbers of few digits, and the same again and again: most rows are known.
                result = memory.get(values)
                if result is None:
                    try:
                        result = cell_of(run(values))
                    except ExpressionFailure as failure:
                        result = formula.fault(failure)
                    memory[values] = result
                results.append(result)
        return results

    def _values_of(self, name: str, keys: Keys) -> list[object | None]:
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
        self.name = sheet.name
        self.fields: dict[str, RecipeField] = {}
        self.formulas: dict[str, Formula] = {}
        self.columns: list[Callable[[RecipeBlock], Keys]] = []
        """Those that are added, from the index FIRST on."""
        self.skips: list[Formula] = []
        self.is_until_blank = False
        self._readers: dict[str, ColumnReader] = {}

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        """Those of the sheet."""
        return self._sheet.notices

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

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after this one, in blocks, as the recipe makes them."""
        expected = after_row + 1
        for block in self._sheet.blocks(after_row):
            if self.is_until_blank:
                kept = _filled_rows(block, expected)
                expected += kept
                if kept:
                    yield self._block(_first(block, kept))
                if kept < len(block.rows):
                    return
            else:
                yield self._block(block)

    def _block(self, block: Block) -> Block:
        made = RecipeBlock(self, block)

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

    def _skipped(self, made: RecipeBlock) -> Mapping[int, str | InvalidValue]:
        """The rows that are left out, each with its reason, or why that is not known."""
        skipped: dict[int, str | InvalidValue] = {}
        for formula in self.skips:
            for row, result in zip(made.block.rows, made.computed(formula, made.made), strict=True):
                if isinstance(result, InvalidValue):
                    skipped.setdefault(row, result)
                elif result == _TRUE:
                    skipped.setdefault(row, formula.key)
        return skipped


_TRUE = Cell(Kind.BOOLEAN, "TRUE")


def _filled_rows(block: Block, expected: int) -> int:
    """The number of rows of a block before the first blank one."""
    columns = [block.column(index) for index in block.used(0)]
    blank = {key for column in columns for key in set(column) if not block.decode(key).text.strip()}
    for position, (row, *keys) in enumerate(zip(block.rows, *columns, strict=True)):
        if row != expected + position or blank.issuperset(keys):
            return position
    return len(block.rows)


def _first(block: Block, count: int) -> Block:
    return Block(
        block.rows[:count],
        block.lines and block.lines[:count],
        block.hidden,
        block.width,
        lambda index: list(block.column(index))[:count],
        block.decode,
        block.occupied,
    )


def described_inputs(formula: Formula, texts: Mapping[int, str]) -> str:
    """Which columns the names of a formula are."""
    return ", ".join(
        f"{name} is {letters(index)} “{texts.get(index, '')}”"
        for name, is_key, index in formula.inputs
        if not is_key
    )
