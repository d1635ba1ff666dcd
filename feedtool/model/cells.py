"""The cells of a spreadsheet in blocks of rows. Nothing of a marketplace is in this module."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

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


# The nouns of a header row.

STAMP_LANGUAGE = "feedtool.language"
"""The property of a workbook with the language of its template."""


class CellType(Protocol):
    def read(self, cell: Cell, column: Any) -> object | None:
        """The cell's value, None for a blank, `InvalidValue` for a problem."""


class Column(Struct, frozen=True):
    """One column that a feed understands."""

    key: str
    """A stable name, as in the template's grey row: `price.price`."""
    type: CellType
    labels: tuple[str, str, str]
    """Labels for people, in the order of `LANGUAGES`."""
    help: tuple[str, str, str]
    """The help, in the order of `LANGUAGES`."""
    example: str = ""
    aliases: tuple[str, ...] = ()
    """Other headers of this column, besides the key and the labels."""
    is_shared: bool = False
    """True if all sales channels share the value, and none has a column of its own."""
    is_in_example: bool = True
    """False for an optional value that would be sent by mistake if a template's example kept it."""
    group: tuple[str, ...] = ()
    """Its group in a template, in the order of `LANGUAGES`; empty if it stands alone."""


class Header(Struct, frozen=True):
    """A header row with its known and unknown columns."""

    row: int
    after: int
    """The data begin after this row; a second header row may be in between."""
    columns: Mapping[int, Column]
    """0-based index → its column."""
    texts: Mapping[int, str]
    """0-based index → the header as the user wrote it, known or not."""
    unknown: tuple[tuple[int, str | None], ...]
    """The index of each unknown header, and the nearest known header."""
    own: frozenset[int]
    """The indexes of the columns that an earlier annotation added."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """0-based index → the reason why its header was understood so."""
    headings: int = 0
    """The row that people read as the header, where our headers belong: not the header's own row if
    keys stand in a row of their own, which may be hidden. 0 is the header's own row."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """0-based index → its text in that row."""
    stamp: Mapping[str, str] = field(default_factory=dict)
    """The workbook's properties about the whole sheet."""
    origins: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Index of a column that a recipe adds → the columns that its values come from. The added
    column has an index after all columns that a sheet can have."""
    in_expressions: frozenset[int] = frozenset()
    """The indexes of columns that only the expressions of a recipe read."""

    @property
    def headings_row(self) -> int:
        return self.headings or self.row

    def places(self) -> dict[str, tuple[int, ...]]:
        """Key → the columns of the sheet with its values, or from which they come."""
        return {
            column.key: self.origins.get(index, (index,)) for index, column in self.columns.items()
        }

    def names(self) -> dict[str, str]:
        """Key → the name that people read in the sheet, without the mark of a required column."""
        texts = {**self.texts, **self.labels}
        return {
            column.key: _MARK.sub("", texts[index])
            for index, column in reversed(list(self.columns.items()))
            if index in texts
        }

    def index_of(self, key: str) -> int | None:
        return next((index for index, column in self.columns.items() if column.key == key), None)


_MARK = re.compile(r"\s*(?:\(\*\)|\*|\+)\s*$")

LONGEST = 1000
"""Characters of a header; a longer field is no header."""


def folded(header: str) -> str:
    """A header without case, blanks, accents and punctuation; empty if it is too long for one."""
    return _folded(header) if len(header) <= LONGEST else ""


@lru_cache(8192)
def _folded(header: str) -> str:
    plain = header.casefold()
    if not plain.isascii():
        # Twice: a mathematical A or a Roman numeral becomes a capital only when it is decomposed.
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", plain).casefold())
    return "".join(filter(str.isalnum, plain))
