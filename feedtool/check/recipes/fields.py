"""The fields of a recipe: where the cells of a key come from, and what a formula makes of them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.values import (
    ExpressionFailure,
    NumberText,
    UnclearText,
    UnreadableCell,
    Value,
    number_text,
)
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.number import (
    INTEGER_REQUIRED,
    NUMBER_AMBIGUOUS,
    NUMBER_PRECISION,
    Number,
)
from feedtool.feeds.columns.text import no_value, plain
from feedtool.model.cells import BLANK, LONGEST_SHOWN, Cell, Kind, letters, rounded, shown
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column, folded
from feedtool.model.nouns import Code, Issue
from feedtool.model.settings import Constant, Context
from feedtool.model.text import column_name, joined, tr

if TYPE_CHECKING:
    from feedtool.check.recipes.sheet import RecipeBlock

REMEMBERED = 4096
"""Distinct cells that a column remembers."""

DECIMALS = {NUMBER_PRECISION: 2, INTEGER_REQUIRED: 0}
"""The decimals that a number may have which has too many."""

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
        case Decimal():
            return Cell(Kind.NUMBER, number_text(value))
        case int() | float():
            return Cell(Kind.NUMBER, number_text(Decimal(str(value))))
    return BLANK


class RawValue(Number, frozen=True):
    """Any cell as a value of expressions; `20 %` is 20, as in a column of rates."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """The value; a text that is a number in its writing is a NumberText."""
        match cell.kind:
            case Kind.NUMBER:
                return _number_in(cell)
            case Kind.DATE:
                return _date_in(cell.text)
            case Kind.BOOLEAN:
                return cell.text == "TRUE"
        if flaw := no_value(cell):
            return UnreadableCell(flaw.faults[0].message)
        text = plain(cell.text)
        return self._of_text(text, cell, column) if text else None

    def _of_text(self, text: str, cell: Cell, column: ColumnReader) -> str:
        value = self.read_text(text.removesuffix("%").rstrip(), cell, column)
        if isinstance(value, InvalidValue) and value.faults[0].code is NUMBER_AMBIGUOUS:
            return UnclearText(text, value.faults[0].message)
        return NumberText(text, value) if isinstance(value, Decimal) else text


def _date_in(text: str) -> Value:
    """The date of a cell; a time of the day stays a text."""
    try:
        return date.fromisoformat(text[:10]) if text[4:5] == "-" else text
    except ValueError:
        return UnreadableCell(tr("{text}, which is no date", text=text))


def _number_in(cell: Cell) -> Value:
    """The number of a cell; with the zeros that its format pads it with where it is a text."""
    number = rounded(cell.text)
    if number and abs(number.adjusted()) > LONGEST_SHOWN:  # it may have a million digits
        return UnreadableCell(tr("{text}, beyond what can be computed", text=cell.text))
    return NumberText(shown(cell), number) if cell.zeros else number


class MappedCells(dict[Hashable, Hashable]):
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


class JoinedField(Protocol):
    """A column of a joined sheet."""

    @property
    def file(self) -> str:
        """The name of its file."""
        ...

    def cells(self, block: "RecipeBlock") -> Keys:
        """The joined cells of a block, None where a row has none."""
        ...

    def place(self, block: "RecipeBlock", position: int) -> str:
        """Where the joined cell of a row stands, for messages; empty where it has none."""
        ...


class RecipeField(Struct):
    """A key of the kind, and where its cells come from."""

    key: str
    source: int | None = None
    """The 0-based index of its column in the sheet."""
    mapped: MappedCells | None = None
    default: Cell = BLANK
    """Its cell in every row, where the sheet has no column for it."""
    joins: list["JoinedField"] = field(default_factory=list)
    keyed_by: list[int] = field(default_factory=list)
    """The columns by which the joined cells are found."""


class Formula(Struct):
    """An expression over the columns of a sheet, with what it gave for the values before."""

    key: str
    expression: Expression
    inputs: Sequence[tuple[str, bool, int]]
    """Of each of its names: the name, whether it is a key, else the index of its column."""
    place: str
    """Where it stands in the recipe, for messages."""
    about: str
    """Which names are which columns, for messages."""
    at: int = -1
    """The index of the column that it fills, or stands for."""
    memory: dict[Hashable, Hashable] = field(default_factory=dict)

    @property
    def _equation(self) -> str:
        return f"{self.key} = {self.expression.source}"

    @property
    def keys(self) -> list[str]:
        """Its names that are fields."""
        return [name for name, is_key, _ in self.inputs if is_key]

    def result(self, values: Sequence[Any]) -> Cell | InvalidValue:
        """The cell that it makes of some values, or why there is none. Needs CONTEXT."""
        for value in values:
            if isinstance(value, InvalidValue):  # what it is computed of has none, either
                return value
        try:
            return cell_of(self.expression.run(values))
        except ExpressionFailure as failure:
            return self._fault(failure)

    def _fault(self, failure: ExpressionFailure) -> InvalidValue:
        message = joined((self._equation, failure.args[0]), ": ")
        if self.about:
            message = tr("{text} ({columns})", text=message, columns=self.about)
        return InvalidValue(None, (Issue(RECIPE_FAILED, message, self._hint(RECIPE_FAILED)),))

    def with_origin(self, flaw: InvalidValue, places: Sequence[str]) -> InvalidValue:
        """What is wrong with its value, as of the expression; its cells hold other values.

        `places` are those in joined files that its names stand for in the row.
        """
        faults = []
        for code, reason, *_ in flaw.faults:
            if code is not RECIPE_FAILED:
                faults.append(Issue(code, self._result(flaw.shown, reason), self._hint(code)))
            elif reason.startswith(f"{self._equation}: "):
                message = reason
                if places:
                    message = tr("{text} ({columns})", text=message, columns=joined(places))
                faults.append(Issue(code, message, self._hint(code)))
        return InvalidValue(flaw.value, tuple(faults) or flaw.faults)

    def _result(self, shown: str, message: str) -> str:
        """What it gives, and what is wrong with that."""
        if message.startswith((f"{shown} ", f"“{shown}” ")):
            return joined((self._equation, message), ": ")
        return tr(
            "{equation} gives {value}: {text}", equation=self._equation, value=shown, text=message
        )

    def _hint(self, code: Code) -> str:
        decimals = DECIMALS.get(code)
        if decimals is None:
            return tr("correct the cell, or see {place}", place=self.place)
        return tr(
            "write {formula} in {place}",
            formula=f"round({self.expression.source}, {decimals})",
            place=self.place,
        )


def constant_cell(value: Constant, column: Column, context: Context, place: str) -> Cell:
    """The cell of a value that stands for all rows; UsageProblem where its field cannot have it."""
    cell = cell_of(value)
    reader = ColumnReader(column.type, context)
    (read,) = reader.read([cell], lambda _: cell)
    if isinstance(read, InvalidValue) and read.is_refused:
        issue = read.faults[0]
        raise UsageProblem(joined((place, issue.message), ": "), issue.hint)
    return cell


def described_inputs(formula: Formula, texts: Mapping[int, str]) -> str:
    """Which columns the names of a formula are."""
    columns = [(name, index) for name, is_key, index in formula.inputs if not is_key]
    return joined(
        tr(
            "{name} is {place}",
            name=name,
            place=column_name(letters(index), texts.get(index, "")),
        )
        for name, index in columns
    )
