"""The interface of every file of rows and columns, whatever its format."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, Self

from feedtool.model.cells import Block, Cell
from feedtool.sheets.read.workbook import SheetEntry

LAST_ROW = 1_048_576
LAST_COLUMN = 16_383
"""Of the grid; 0-based: XFD."""


class HeadRow(NamedTuple):
    """A row that is not blank, decoded: for finding the header."""

    number: int
    line: int | None
    """In a CSV the physical line where the record starts."""
    cells: list[Cell]
    """From column A to the row's last used cell. Of merged cells only the first has the value."""


class MergedArea(NamedTuple):
    """An area of merged cells: rows 1-based, columns 0-based, both ends included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


class Notice(NamedTuple):
    """Something odd about a file that was read nevertheless."""

    code: str
    """`dimension-wrong`, `encoding-guessed` or `csv-quotes`."""
    text: str


class Sheet(Protocol):
    """One table. It may be read several times."""

    @property
    def name(self) -> str:
        """The sheet's name; empty in a CSV."""
        ...

    @property
    def last_column(self) -> int:
        """The 0-based last column with a value or a formula seen so far; -1: none yet."""
        ...

    @property
    def merges(self) -> Sequence[MergedArea]:
        """The merged areas."""
        ...

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        """The texts of all notices by code, complete when all blocks have been read."""
        ...

    def head(self, count: int) -> list[HeadRow]:
        """The first rows that are not blank, at most `count`."""
        ...

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after this one, in blocks. Raises a FileProblem where they become unreadable."""
        ...


class Source(Protocol):
    """An open file; a context manager."""

    @property
    def format(self) -> str:
        """`xlsx` or `csv`."""
        ...

    @property
    def sheets(self) -> Sequence[SheetEntry]:
        """The sheets with rows, in the order of the tabs, hidden ones included."""
        ...

    @property
    def properties(self) -> Mapping[str, str]:
        """The custom document properties; none in a CSV."""
        ...

    def sheet(self, name: str) -> Sheet:
        """The sheet of this name. Raises UsageProblem if there is none."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
