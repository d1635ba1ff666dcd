"""The fields of a recipe: the sources of a key's cells, and formulas over them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

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
from feedtool.model.cells import (
    BLANK,
    LONGEST_SHOWN,
    Cell,
    Column,
    Kind,
    folded,
    letters,
    rounded,
    shown,
)
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Code, Issue
from feedtool.model.settings import Constant, Context
from feedtool.model.text import column_name, joined, tr

if TYPE_CHECKING:
    from feedtool.check.recipes.join import JoinedColumn

REMEMBERED = 4096
"""The most distinct cells that a column remembers."""

DECIMALS = {NUMBER_PRECISION: 2, INTEGER_REQUIRED: 0}
"""The decimals to suggest for a number with too many."""

Keys = Sequence[Hashable]
"""A column of a block: keys of the file, Cells by the recipe, or an InvalidValue for a failure."""


def cell_of(value: Value | float) -> Cell:
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
    """The type of any cell that expressions read; `20 %` is 20, as in a column of rates."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return the value; a text that is a number is a NumberText."""
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
    """Return the date of a cell; a time of day stays a text."""
    try:
        return date.fromisoformat(text[:10]) if text[4:5] == "-" else text
    except ValueError:
        return UnreadableCell(tr("{text}, which is not a date", text=text))


def _number_in(cell: Cell) -> Value:
    """Return the number of a cell; a NumberText if its number format pads it with zeros."""
    number = rounded(cell.text)
    if number and abs(number.adjusted()) > LONGEST_SHOWN:  # maybe a million digits
        return UnreadableCell(tr("{text}, beyond what can be computed", text=cell.text))
    return NumberText(shown(cell), number) if cell.zeros else number


class MappedCells(dict[Hashable, Hashable]):
    """A cache from a cell's key to the recipe's value for its text, or for a blank."""

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


class RecipeField(Struct):
    """A key of the kind, and the sources of its cells."""

    key: str
    source: int | None = None
    """The 0-based index of its column in the sheet."""
    mapped: MappedCells | None = None
    default: Cell = BLANK
    """The cell in every row, if the sheet has no column for it."""
    joins: list["JoinedColumn"] = field(default_factory=list)
    keyed_by: list[int] = field(default_factory=list)
    """The columns with the keys of joined cells."""


class Formula(Struct):
    """An expression over the columns of a sheet, with a cache of its results."""

    key: str
    expression: Expression
    inputs: Sequence[tuple[str, bool, int]]
    """For each name in it: the name, True for a key, and otherwise the index of its column."""
    place: str
    """The place in the recipe, for messages."""
    about: str
    """The columns of its names, for messages."""
    index: int = -1
    """The index of its added column: that of a condition."""
    memory: dict[Hashable, Hashable] = field(default_factory=dict)

    @property
    def _equation(self) -> str:
        return f"{self.key} = {self.expression.source}"

    def result(self, values: Sequence[Any]) -> Cell | InvalidValue:
        """Return the result for some values as a cell, or the fault. Needs CONTEXT."""
        for value in values:
            if isinstance(value, InvalidValue):  # an input without a value
                return value
        try:
            return cell_of(self.expression.run(values))
        except ExpressionFailure as failure:
            message = joined((self._equation, failure.args[0]), ": ")
            if self.about:
                message = tr("{text} ({columns})", text=message, columns=self.about)
            return InvalidValue(None, (Issue(RECIPE_FAILED, message, self._hint(RECIPE_FAILED)),))

    def with_origin(self, flaw: InvalidValue, places: Sequence[str]) -> InvalidValue:
        """Return the flaw of a result with its expression, since the cells have other values.

        `places` are the places of its names in joined files.
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
        """Return the result and the problem with it."""
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
    """Return the cell of a constant; UsageProblem if its field cannot have it."""
    cell = cell_of(value)
    reader = ColumnReader(column.type, context)
    (read,) = reader.read([cell], lambda _: cell)
    if isinstance(read, InvalidValue) and read.is_refused:
        issue = read.faults[0]
        raise UsageProblem(joined((place, issue.message), ": "), issue.hint)
    return cell


def described_inputs(inputs: Sequence[tuple[str, bool, int]], texts: Mapping[int, str]) -> str:
    """Describe the columns of the names in a formula (`Formula.inputs`)."""
    return joined(
        tr("{name} is {place}", name=name, place=column_name(letters(index), texts.get(index, "")))
        for name, is_key, index in inputs
        if not is_key
    )
