"""The cells of a spreadsheet in blocks of rows. Nothing of a marketplace is in this module."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct

SHOWN_DIGITS = 15
"""Significant digits that a numeric cell keeps and shows."""

LONGEST_SHOWN = 40
"""Digits before or after the point; a number with more is shown as in the file."""


class Kind(Enum):
    """The kinds of cells; none is ever converted into another."""

    BLANK = "blank"
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    """A number whose format shows a date or a time."""
    BOOLEAN = "boolean"
    ERROR = "error"
    """The cell shows #N/A, #REF! …"""
    NO_RESULT = "no-result"
    """A formula without a stored result."""


class Cell(NamedTuple):
    """One cell."""

    kind: Kind
    text: str
    """An unchanged text; a number's digits as in the file (`19.989999999999998`); a date as ISO
    8601; TRUE or FALSE; the error as shown; the formula if it has no result; "" if blank."""
    percent: bool = False
    """A number whose format shows it as a percentage (0.2 shown as 20 %)."""
    zeros: int = 0
    """The digits to which a number's format pads it with zeros (`0000000000000` is 13)."""


BLANK = Cell(Kind.BLANK, "")


class Block(Struct, frozen=True):
    """Some hundred rows, column by column.

    A cell is given as a *key*: a hashable value that the file's reader chooses. Equal keys are
    equal cells, so a reader of a column decodes (`decode`) and judges each distinct key once and
    remembers the result: this makes a million cells cheap.
    """

    rows: Sequence[int]
    """The sheet's own row numbers, 1-based, ascending; rows absent from the file are absent."""
    lines: Sequence[int] | None
    """The physical lines of a CSV where the records start."""
    hidden: frozenset[int]
    """The numbers of the hidden rows among `rows`."""
    width: int
    """The number of columns of this block; beyond it every cell is blank."""
    column: Callable[[int], Iterable[Hashable]]
    """The keys of column i (0-based, i < width), one for each of `rows`."""
    decode: Callable[[Hashable], Cell]
    occupied: frozenset[int] | None = None
    """The columns with a value, if they are few; None means that any column may have one."""
    ruled: Mapping[int, Sequence[Any]] | None = None
    """The rows that rules of a recipe apply to, with these rules."""

    def used(self, first: int) -> Sequence[int]:
        """The columns from `first` on that may have a value, ascending."""
        if self.occupied is None:
            return range(first, self.width)
        return sorted(index for index in self.occupied if index >= first)


class Cells:
    """The cells of a block, one by one; each column is fetched once."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self._columns: dict[int, Sequence[Hashable]] = {}

    def at(self, position: int, index: int) -> Cell:
        """The cell of a row's position and a column."""
        if index >= self.block.width:
            return BLANK
        keys = self._columns.get(index)
        if keys is None:
            keys = self._columns[index] = tuple(self.block.column(index))
        return self.block.decode(keys[position])


def letters(index: int) -> str:
    """The letters of a 0-based column index: 0 is A, 25 Z, 26 AA."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


@lru_cache(1024)
def index_of(name: str) -> int:
    """The 0-based index of a column's letters: A is 0, XFD 16383."""
    index = 0
    for letter in name:
        index = index * 26 + ord(letter) - 64
    return index - 1


def rounded(digits: str) -> Decimal:
    """Round a numeric cell's number as a spreadsheet program does: to 15 significant digits."""
    number = Decimal(digits)
    if len(digits) > SHOWN_DIGITS and len(number.as_tuple().digits) > SHOWN_DIGITS:
        number = Decimal(f"{number:.{SHOWN_DIGITS - 1}e}")
    return number


LONGEST_BRIEF = 2_000
"""Characters of a cell's text that messages show: a hostile cell may hold millions."""


def brief(text: str) -> str:
    """Shorten a text to `LONGEST_BRIEF` characters; a longer one ends in `…`."""
    return text if len(text) <= LONGEST_BRIEF else text[: LONGEST_BRIEF - 1] + "…"


def shown(cell: Cell) -> str:
    """The cell's text as a spreadsheet program shows it, colours and separators aside.

    A number has at most 15 significant digits and no exponent (19.989999999999998 is 19.99), the
    zeros that its format pads with, and its percent sign.
    """
    if cell.kind is not Kind.NUMBER:
        return cell.text
    number = rounded(cell.text)
    if abs(number.adjusted()) > LONGEST_SHOWN:
        return cell.text
    if cell.percent:
        number *= 100
    text = f"{number.normalize():f}" if number else "0"
    return text.zfill(cell.zeros) + "%" * cell.percent


Value = str | int | Decimal | Cell | None
"""A text, a number, a cell of another file, or nothing."""
