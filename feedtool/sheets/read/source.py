"""The interface of files of rows and columns of every format."""

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
"""The last column of the grid, XFD, 0-based."""
_RANGE = re.compile(r"([A-Za-z]+)([0-9]{1,18})(?::([A-Za-z]+)([0-9]{1,18}))?")
_MOST = 1 << 16
"""Cells with a value after which the first rows end: four rows as wide as the grid."""
MOST_MERGED = 10_000
"""Ranges of merged cells of a sheet that are kept at most."""
HEADER = 1
"""The number of a keyed sheet's header row."""
_BLOCK = 1000
"""Rows of a block of a keyed sheet."""


class HeadRow(NamedTuple):
    """A decoded row that is not blank, in which the header is searched."""

    number: int
    line: int | None
    """The physical line at which the record of a CSV starts."""
    cells: list[Cell]
    """From column A to the last used cell. Only the first of merged cells has the value."""


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
        """Return the smallest range that contains both."""
        return CellRange(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))


def cell_range(ref: str) -> CellRange | None:
    """Return the range of `A1:C5` or `B2`, also with dollars, or None."""
    match = _RANGE.fullmatch(ref.replace("$", ""))
    if match is None:
        return None
    left, top, right, bottom = match.groups()
    last = index_of((right or left).upper())
    return CellRange(int(top), index_of(left.upper()), int(bottom or top), last)


class Notice(NamedTuple):
    """An oddity of a file that could be read."""

    code: str
    """`dimension-wrong`, `encoding-guessed` or `csv-quotes`."""
    text: str


class Sheet(ABC):
    """A table. It may be read several times."""

    name = ""
    """Empty in a CSV."""
    doubts: Doubts | None = None
    """Letters of a CSV whose reading is doubtful."""
    _merged: Sequence[CellRange] = ()

    def __init__(self) -> None:
        self._notices: dict[str, list[str]] = {}

    @property
    def notices(self) -> Mapping[str, Sequence[str]]:
        """The texts of notices by code, complete once all blocks were read."""
        return self._notices

    @property
    def merged(self) -> Sequence[CellRange]:
        """The ranges of merged cells, complete once all blocks were read.

        Empty if the format has none, or its reader does not find them.
        """
        return self._merged

    def _notice(self, code: str, text: str) -> None:
        self._notices.setdefault(code, []).append(text)

    def take_notices(self) -> Mapping[str, Sequence[str]]:
        """Return the notices so far, and forget them."""
        taken, self._notices = self._notices, {}
        return taken

    def add_notices(self, notices: Mapping[str, Sequence[str]]) -> None:
        for code, texts in notices.items():
            self._notices.setdefault(code, []).extend(texts)

    def head(self, count: int) -> list[HeadRow]:
        """Return at most `count` first rows that are not blank; fewer if they are wide."""
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
        """Yield the rows after this one in blocks. Raises FileProblem once they are unreadable."""
        return (block for _, block in self.pieces(after_row, lambda _: True) if block)

    def pieces(
        self, after_row: int, is_mine: Callable[[int], bool]
    ) -> Iterator[tuple[int, Block | None]]:
        """Yield the blocks as numbered pieces, for processes that share a sheet.

        A piece without rows gives None, and so may one for which `is_mine` is False.
        """
        for number, block in enumerate(self._pieces(is_mine)):
            rest = rows_after(block, after_row) if block else None
            yield number, rest if rest and rest.rows else None

    def _pieces(self, is_mine: Callable[[int], bool]) -> Iterator[Block | None]:
        del is_mine
        return self._read()

    @property
    def size(self) -> int:
        """The bytes of its rows if several processes may share it, else 0."""
        return 0

    def reopen(self) -> None:  # noqa: B027  # most keep no file open between readings
        """Open its file again, in a process that shares it with another one."""

    @abstractmethod
    def _read(self) -> Generator[Block, None, None]:
        """Yield all blocks, from the first row on."""


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
        """The custom document properties; {} in a CSV."""
        ...

    def sheet(self, name: str) -> Sheet:
        """Return the sheet of this name, or raise UsageProblem."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def rows_after(block: Block, row: int) -> Block:
    """Return the rows of a block after a row."""
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
    decode = cache(block.decode)  # every row may have the same long text
    lines: Sequence[int | None] = block.lines or [None] * len(block.rows)
    for number, line, *keys in zip(block.rows, lines, *columns, strict=True):
        cells = [decode(key) for key in keys]
        while cells and cells[-1].kind is Kind.BLANK:
            cells.pop()
        if cells:
            yield HeadRow(number, line, cells)


KeyedLine = tuple[int | None, Sequence[Hashable]]
"""The physical line of a row, or None, and its cells: each a text or a Cell."""


class KeyedSheet(Sheet):
    """A `Sheet` of rows under a header of keys."""

    @abstractmethod
    def rows(self) -> Generator[KeyedLine]:
        """Yield the header, then each row, all of the same width; each call reads anew."""

    def _read(self) -> Generator[Block, None, None]:
        with closing(self.rows()) as rows:
            number, size = HEADER, 1
            while batch := list(islice(rows, size)):
                lines, cells = zip(*batch, strict=True)
                columns = list(zip(*cells, strict=True))
                yield Block(
                    range(number, number + len(batch)),
                    None if lines[0] is None else lines,
                    frozenset(),
                    len(columns),
                    columns.__getitem__,
                    decode,
                )
                number, size = number + len(batch), _BLOCK


def decode(key: Hashable) -> Cell:
    if isinstance(key, Cell):
        return key
    return Cell(Kind.TEXT, str(key)) if key != "" else BLANK
