"""A sheet made of what is no sheet: a header of keys in row 1, its rows from row 2 on."""

from abc import abstractmethod
from collections.abc import Generator, Hashable, Sequence
from contextlib import closing
from itertools import islice

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.sheets.read.source import Sheet

HEADER = 1
"""The number of the header's row."""
_BLOCK = 1000
"""Rows of a block."""

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
