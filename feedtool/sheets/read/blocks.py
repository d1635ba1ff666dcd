"""Functions over blocks of rows, wherever they came from."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from feedtool.model.cells import BLANK, Block, Kind
from feedtool.sheets.read.source import HeadRow


def rows_after(block: Block, row: int) -> Block:
    """The rows of a block behind a row."""
    start = bisect_right(block.rows, row)
    if not start:
        return block

    def column(index: int) -> Iterable[Hashable]:
        return list(islice(block.column(index), start, None))

    return Block(
        block.rows[start:],
        block.lines[start:] if block.lines is not None else None,
        frozenset(number for number in block.hidden if number > row),
        block.width,
        column,
        block.decode,
        block.occupied,
    )


_MOST = 1 << 16
"""Cells with a value that are enough: four rows as wide as the grid."""


def first_rows(blocks: Iterable[Block], count: int) -> list[HeadRow]:
    """The first rows that are not blank, at most `count`, decoded; fewer where they are wide."""
    first: list[HeadRow] = []
    filled = 0
    for row in islice((row for block in blocks for row in _rows(block)), count):
        first.append(row)
        filled += sum(cell is not BLANK for cell in row.cells)
        if filled >= _MOST:
            break
    return first


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
