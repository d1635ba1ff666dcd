"""The interface of every file of rows and columns, whatever its format."""

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import islice
from typing import NamedTuple, Protocol, Self

from msgspec.structs import replace

from feedtool.model.cells import BLANK, Block, Cell, Kind, index_of, letters
from feedtool.sheets.read.code_pages import Doubts
from feedtool.sheets.read.workbook import SheetEntry

LAST_ROW = 1_048_576
LAST_COLUMN = 16_383
"""Of the grid; 0-based: XFD."""
_RANGE = re.compile(r"([A-Za-z]+)([0-9]{1,18})(?::([A-Za-z]+)([0-9]{1,18}))?")
_MOST = 1 << 16
"""Cells with a value that are enough: four rows as wide as the grid."""
MOST_MERGED = 10_000
"""Ranges of merged cells that are remembered of a sheet."""
HEADER = 1
"""The number of a keyed sheet's header row."""
_BLOCK = 1000
"""Rows of a block of a keyed sheet."""


class HeadRow(NamedTuple):
    """A row that is not blank, decoded: for finding the header."""

    number: int
    line: int | None
    """In a CSV the physical line where the record starts."""
    cells: list[Cell]
    """From column A to the row's last used cell. Of merged cells only the first has the value."""


class CellRange(NamedTuple):
    """A range of cells: rows 1-based, columns 0-based, both ends included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int

    def __str__(self) -> str:
        first = f"{letters(self.first_column)}{self.first_row}"
        last = f"{letters(self.last_column)}{self.last_row}"
        return first if first == last else f"{first}:{last}"

    def around(self, other: "CellRange") -> "CellRange":
        """The smallest range that holds both."""
        return CellRange(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))


def cell_range(ref: str) -> CellRange | None:
    """`A1:C5` or `B2`, dollars or not; None for what is neither."""
    match = _RANGE.fullmatch(ref.replace("$", ""))
    if match is None:
        return None
    left, top, right, bottom = match.groups()
    last = index_of((right or left).upper())
    return CellRange(int(top), index_of(left.upper()), int(bottom or top), last)


class Notice(NamedTuple):
    """Something odd about a file that was read nevertheless."""

    code: str
    """`dimension-wrong`, `encoding-guessed` or `csv-quotes`."""
    text: str


class Sheet(ABC):
    """One table. It may be read several times."""

    name = ""
    """Empty in a CSV."""
    doubts: Doubts | None = None
    """Letters of a CSV that may be others."""
    _merged: Sequence[CellRange] = ()

    def __init__(self) -> None:
        self._notices: dict[str, list[str]] = {}

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        """The texts of all notices by code, complete when all blocks have been read."""
        return self._notices

    @property
    def merged(self) -> Sequence[CellRange]:
        """The ranges of merged cells, complete when all blocks have been read.

        None where the format has none, or its reader does not tell them.
        """
        return self._merged

    def _notice(self, code: str, text: str) -> None:
        self._notices.setdefault(code, []).append(text)

    def take_notices(self) -> Mapping[str, Sequence[str]]:
        """The notices so far, which it no longer has."""
        taken, self._notices = self._notices, {}
        return taken

    def add_notices(self, notices: Mapping[str, Sequence[str]]) -> None:
        """Adds those of another process."""
        for code, texts in notices.items():
            self._notices.setdefault(code, []).extend(texts)

    def head(self, count: int) -> list[HeadRow]:
        """The first rows that are not blank, at most `count`; fewer where they are wide."""
        first: list[HeadRow] = []
        filled = 0
        with closing(self._read()) as blocks:
            for row in islice((row for block in blocks for row in _rows(block)), count):
                first.append(row)
                filled += sum(cell is not BLANK for cell in row.cells)
                if filled >= _MOST:
                    break
        return first

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after this one, in blocks. Raises a FileProblem where they become unreadable."""
        return (block for _, block in self.pieces(after_row, lambda _: True) if block)

    def pieces(
        self, after_row: int, is_mine: Callable[[int], bool]
    ) -> Iterator[tuple[int, Block | None]]:
        """The same piece by piece, each with its number, for processes that share a sheet.

        A piece may have no row; those of one that is not mine may be left out.
        """
        for number, block in enumerate(self._pieces(is_mine)):
            rest = rows_after(block, after_row) if block else None
            yield number, rest if rest and rest.rows else None

    def _pieces(self, is_mine: Callable[[int], bool]) -> Iterator[Block | None]:
        del is_mine
        return self._read()

    @property
    def size(self) -> int:
        """The bytes of its rows, where several processes may read it together; else 0."""
        return 0

    def reopen(self) -> None:  # noqa: B027  # most hold no file open between readings
        """Opens its file once more, in a process that shares it with another one."""

    @abstractmethod
    def _read(self) -> Generator[Block, None, None]:
        """All blocks, from the first row on."""


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


def rows_after(block: Block, row: int) -> Block:
    """The rows of a block behind a row."""
    start = bisect_right(block.rows, row)
    if not start:
        return block

    return replace(
        block,
        rows=block.rows[start:],
        lines=block.lines[start:] if block.lines is not None else None,
        hidden=frozenset(number for number in block.hidden if number > row),
        column=lambda index: list(islice(block.column(index), start, None)),
    )


def _rows(block: Block) -> Iterator[HeadRow]:
    columns = [block.column(index) for index in range(block.width)]
    decode = cache(block.decode)  # a text of millions may stand in every row
    lines: Sequence[int | None] = block.lines or [None] * len(block.rows)
    for number, line, *keys in zip(block.rows, lines, *columns, strict=True):
        cells = [decode(key) for key in keys]
        while cells and cells[-1].kind is Kind.BLANK:
            cells.pop()
        if cells:
            yield HeadRow(number, line, cells)


KeyedLine = tuple[int | None, Sequence[Hashable]]
"""The physical line of a row, if there are lines, and its cells: each a text or a Cell."""


class KeyedSheet(Sheet):
    """A `Sheet` of rows under a header of keys."""

    @abstractmethod
    def rows(self) -> Generator[KeyedLine]:
        """The header, then each row, all of the same width; read anew each time."""

    def _read(self) -> Generator[Block, None, None]:
        with closing(self.rows()) as rows:
            number, size = HEADER, 1
            while some := list(islice(rows, size)):
                lines, cells = zip(*some, strict=True)
                columns = list(zip(*cells, strict=True))
                yield Block(
                    range(number, number + len(some)),
                    None if lines[0] is None else lines,
                    frozenset(),
                    len(columns),
                    columns.__getitem__,
                    decode,
                )
                number, size = number + len(some), _BLOCK


def decode(key: Hashable) -> Cell:
    """The cell of a key."""
    if isinstance(key, Cell):
        return key
    return Cell(Kind.TEXT, str(key)) if key != "" else BLANK
