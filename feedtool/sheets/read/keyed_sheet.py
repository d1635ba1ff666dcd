"""A sheet made of what is no sheet: a header of keys in row 1, its rows from row 2 on."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.sheets.read.source import HeadRow, MergedArea, first_rows, rows_after

HEADER = 1
"""The number of the header's row."""
_BLOCK = 1000
"""Rows of a block."""

KeyedLine = tuple[int | None, Sequence[Hashable]]
"""The physical line of a row, if there are lines, and its cells: each a text or a Cell."""


class KeyedSheet(ABC):
    """A `Sheet` of rows under a header of keys. It may be read several times."""

    name: str
    last_column = -1
    merges: Sequence[MergedArea] = ()

    @abstractmethod
    def rows(self) -> Generator[KeyedLine]:
        """The header, then each row, all of the same width; read anew each time."""

    def head(self, count: int) -> list[HeadRow]:
        """The header and the first rows."""
        with closing(self._blocks()) as blocks:
            return first_rows(blocks, count)

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after this one, in blocks. Raises a FileProblem where they become unreadable."""
        for block in self._blocks():
            rest = rows_after(block, after_row)
            if rest.rows:
                yield rest

    def _blocks(self) -> Generator[Block]:
        with closing(self.rows()) as rows:
            number, size = HEADER, 1
            while some := list(islice(rows, size)):
                lines, cells = zip(*some, strict=True)
                columns = list(zip(*cells, strict=True))
                self.last_column = len(columns) - 1
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
