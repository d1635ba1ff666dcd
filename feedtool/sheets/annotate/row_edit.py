"""One row, taken apart into its cells, and put together again with ours among them."""

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import NamedTuple

from feedtool.sheets.annotate.xml_offsets import Edit, splice


class CellSpan(NamedTuple):
    """The place of a cell in its row's bytes."""

    column: int
    start: int
    end: int
    is_used: bool
    """It holds a value, a formula or a text; else it has nothing but a format."""


class RawRow(NamedTuple):
    """One row as it is written."""

    number: int
    data: bytes
    prefix: bytes
    """Of the workbook's namespace: `x:` or nothing."""
    inner: int
    """The end of the start tag."""
    close: int
    """The beginning of the end tag or of the row's extensions before it; in `<row/>` the end."""
    cells: Sequence[CellSpan]
    """At least all from the first of our columns on."""


_PAIR = re.compile(rb"([0-9]{1,9}):([0-9]{1,9})")
_SPANS = re.compile(rb"""(\sspans\s*=\s*["'])([^"']*)(["'])""")


def rewrite(row: RawRow, ours: Sequence[tuple[int, bytes]], stale: Container[int]) -> bytes:
    """The row with our cells in their places, and what was used in `stale` columns taken out.

    An empty cell at the place of one of ours gives way; all other bytes stay.
    """
    edits = []
    written = {column for column, _ in ours}
    present = {cell.column: cell for cell in row.cells}
    for column, markup in ours:
        at = present.get(column)
        place = at.start if at else _place(row, column)
        edits.append(Edit(place, at.end if at else place, markup))
    edits += (
        Edit(cell.start, cell.end, b"")
        for cell in row.cells
        if cell.is_used and cell.column in stale and cell.column not in written
    )
    if not edits:
        return row.data
    if not ours:
        return splice(row.data, edits)
    tag = widened(row.data[: row.inner], min(written), max(written))
    if row.inner == len(row.data):
        return _opened(tag, row.prefix, ours)
    return tag + splice(row.data, edits, row.inner)


def _place(row: RawRow, column: int) -> int:
    """The place for a cell of this column: before the first cell to its right."""
    return next((cell.start for cell in row.cells if cell.column > column), row.close)


def _opened(tag: bytes, prefix: bytes, ours: Sequence[tuple[int, bytes]]) -> bytes:
    """A row that was written `<row/>`, with cells in it."""
    inner = b"".join(markup for _, markup in ours)
    return tag[:-2].rstrip() + b">" + inner + b"</" + prefix + b"row>"


@lru_cache(4096)
def widened(tag: bytes, first: int, last: int) -> bytes:
    """A row's start tag, its `spans` reaching from our first to our last column (0-based)."""
    spans = _SPANS.search(tag)
    if spans is None:
        return tag
    pairs = [_PAIR.fullmatch(pair) for pair in spans[2].split()]
    known = [(int(pair[1]), int(pair[2])) for pair in pairs if pair]
    if len(known) < len(pairs):
        return tag
    left = min([first + 1, *(left for left, _ in known)])
    right = max([last + 1, *(right for _, right in known)])
    new = b"%d:%d" % (left, right)
    return tag[: spans.start(2)] + new + tag[spans.end(2) :]
