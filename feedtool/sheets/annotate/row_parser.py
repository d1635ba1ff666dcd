"""Split the rows of any sheet into cells with a parser, and write them with our cells.

The parser reads rows and cells without `r`, comments, CDATA, unusual quotes and blanks. It only
gives the places at which rows and cells begin; the bytes are cut there and written unchanged.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from feedtool.model.cells import index_of
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.notes import OUR_FRACTION
from feedtool.sheets.annotate.xml_offsets import Edit, PlaceParser, splice
from feedtool.sheets.read.sheet_rows import DATA
from feedtool.sheets.read.xml_parser import Node, corrupt, whole

_COLUMN = re.compile("[A-Z]{1,4}")
_PAIR = re.compile(rb"([0-9]{1,9}):([0-9]{1,9})")
_HEIGHT = re.compile(rb"\sht\s*=")
_OUR_HEIGHT = re.compile(rb'\sht="[0-9]+%b"(?: customHeight="1")?' % re.escape(OUR_FRACTION))
_END = re.compile(rb"\s*/?>\Z")
_SPANS = re.compile(rb"""(\sspans\s*=\s*["'])([^"']*)(["'])""")


class CellSpan(NamedTuple):
    """The place of a cell in its row's bytes."""

    column: int
    start: int
    end: int
    is_used: bool
    """True if it has a value, a formula or a text, not only a format."""


class RawRow(NamedTuple):
    """The bytes of a row, and the places in them."""

    number: int
    data: bytes
    prefix: bytes
    """The prefix of the workbook's namespace: `x:` or empty."""
    inner: int
    """The end of the start tag."""
    close: int
    """The beginning of the end tag or of the row's extensions before it; in `<row/>` the end."""
    cells: Sequence[CellSpan]
    """All cells from the first of our columns on, or more."""


class RowParser(PlaceParser):
    """A parser of a sheet, from which complete rows may be left out.

    Feeding raises CorruptXml, XmlDoctype, ZipBomb.
    """

    def __init__(self, part: str, limits: ReadingLimits) -> None:
        self.head = b""
        """All bytes up to the rows; complete when the first row is."""
        self.last_row = 0
        """The number of the last row so far, also of rows that were left out."""
        self._ready: list[tuple[int, RawRow]] = []
        self._data: Node | None = None
        self._tail_start: int | None = None
        rows = {f"{DATA}/row": self._add_row}
        ends = {DATA: self._close_data}
        super().__init__(part, limits, rows, starts={DATA: self._open_data}, ends=ends)

    def rows(self, data: bytes) -> Iterator[RawRow | bytes]:
        """Yield the rows that end in the next piece, and the bytes between them."""
        self.feed(data)
        if self._data is not None and not self.head:
            self.head = self.take(self._data.inner)
        ready, self._ready = self._ready, []
        for start, row in ready:
            yield self.take(start)
            self.take(start + len(row.data))
            yield row

    def flush(self) -> bytes:
        """Return the bytes since the last row; called before rows that are left out."""
        return self.take(self.done + len(self.buffer))

    def rest(self) -> tuple[bytes, bytes]:
        """Return the bytes from the last row to the end of the rows, and all after it."""
        self.finish()
        if self._tail_start is None:
            raise corrupt(self.part, "it has no sheetData")
        return self.take(self._tail_start), self.buffer

    def _open_data(self, node: Node) -> None:
        self._data = self._data or node

    def _close_data(self) -> None:
        # The parser gives the place of the end tag, but for `<sheetData/>` its beginning.
        inner = self._data.inner if self._data else 0
        self._tail_start = max(self.position, inner)

    def _add_row(self, node: Node) -> None:
        stated = node.attributes.get("r")
        number = self.last_row + 1 if stated is None else whole(stated)
        if number is None:
            raise corrupt(self.part, f"a row calls itself {(stated or '')[:20]!r}")
        self.last_row = number
        cells: list[CellSpan] = []
        column, close = -1, None
        for child in node.children:
            if child.is_main and child.name == "c":
                column, close = self._column(child, column), None
                span = (child.start - node.start, child.end - node.start)
                cells.append(CellSpan(column, *span, bool(child.children)))
            elif close is None:
                close = child.start
        data = self.buffer[node.start - self.done : node.end - self.done]
        close = (close or node.close) - node.start
        row = RawRow(number, data, node.prefix, node.inner - node.start, close, cells)
        self._ready.append((node.start, row))

    def _column(self, cell: Node, last: int) -> int:
        """Return the 0-based column of a cell; without `r` it is the next column."""
        reference = cell.attributes.get("r")
        if reference is None:
            return last + 1
        name = reference.rstrip("0123456789").upper()
        if not _COLUMN.fullmatch(name):
            raise corrupt(self.part, f"a cell calls itself {reference!r}")
        return index_of(name)


def rewrite(
    row: RawRow, added: Sequence[tuple[int, bytes]], stale: Collection[int], height: bytes = b""
) -> bytes:
    """Return the row with the `added` cells, without the used cells in `stale` columns.

    An added cell replaces the one at its place. All other bytes stay, except that a row without a
    height gets `height`, and one of an earlier annotation is removed.
    """
    edits = []
    written = {column for column, _ in added}
    present = {cell.column: cell for cell in row.cells}
    for column, markup in added:
        old = present.get(column)
        right = (cell.start for cell in row.cells if cell.column > column)
        place = old.start if old else next(right, row.close)
        edits.append(Edit(place, old.end if old else place, markup))
    edits += (
        Edit(cell.start, cell.end, b"")
        for cell in row.cells
        if cell.is_used and cell.column in stale and cell.column not in written
    )
    tag = row.data[: row.inner]
    tag = with_height(_OUR_HEIGHT.sub(b"", tag) if stale else tag, height)
    if added:
        tag = with_spans(tag, min(written), max(written))
    if added and row.inner == len(row.data):
        inner = b"".join(markup for _, markup in added)
        return b"%b>%b</%brow>" % (tag[:-2].rstrip(), inner, row.prefix)  # was `<row/>`
    return tag + splice(row.data, edits, row.inner)


def with_height(tag: bytes, height: bytes) -> bytes:
    """Return a row's start tag, or its attributes, with a height unless it has one."""
    if not height or _HEIGHT.search(tag):
        return tag
    end = _END.search(tag)
    place = end.start() if end else len(tag)
    return tag[:place] + height + tag[place:]


@lru_cache(4096)
def with_spans(tag: bytes, first: int, last: int) -> bytes:
    """Return a row's start tag; its `spans` include the columns (0-based) `first` and `last`."""
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
