"""The path for any XML: a parser says where rows and cells are, and the bytes are cut there.

Prefixed names, rows and cells without `r`, comments, CDATA, odd quotes and blanks: the parser
knows them, and tells the byte where each begins. Nothing is written from its events.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from feedtool.model.cells import index_of
from feedtool.sheets.annotate.ink import Ink
from feedtool.sheets.annotate.outline import TAG, split_name
from feedtool.sheets.annotate.rows import CellSpan, RawRow, rewrite
from feedtool.sheets.annotate.survey import Survey
from feedtool.sheets.markup import MAIN_NAMESPACES, corrupt, hardened_parser, whole

_COLUMN = re.compile("[A-Z]{1,4}")
_DIGITS = "0123456789"
_PATH = ("worksheet", "sheetData", "row", "c")
_DATA, _ROW, _CELL, _CONTENT = 1, 2, 3, 4
"""How deep they are; the worksheet is at 0."""


@dataclass(slots=True)
class _OpenRow:
    """A row of which the start tag has been read. Places are bytes of the part."""

    number: int = 0
    prefix: bytes = b""
    start: int = 0
    extensions: int | None = None
    """Where begins what follows the cells."""
    cells: list[CellSpan] = field(default_factory=list)
    column: int = -1
    cell: int = 0
    """Where the open cell begins."""
    is_used: bool = False
    """Something is in the open cell."""


class Events:
    """A sheet as head, rows with what stands between them, and tail, by a parser."""

    def __init__(self, stream: Iterator[bytes], part: str) -> None:
        self.head = b""
        """All up to the rows; there from the first row on."""
        self.tail = b""
        """All from the end of the rows on; there once all rows have been taken."""
        self._stream = stream
        self._part = part
        self._buffer = b""
        self._done = 0
        """How much of the part has been given out; there the buffer begins."""
        self._ready: list[tuple[int, RawRow]] = []
        self._head_end: int | None = None
        self._tail_start: int | None = None
        self._depth = -1
        self._matched = -1
        """How deep the open elements are those of `_PATH`."""
        self._row = _OpenRow()
        self._names: dict[str, tuple[int, bytes]] = {}
        """By an element's name as the parser says it: where in `_PATH` it is, and its prefix."""
        self._columns: dict[str, int] = {}
        self._parser = hardened_parser(part, " ")
        self._parser.namespace_prefixes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def __iter__(self) -> Iterator[RawRow | bytes]:
        """Rows, and the bytes between them. Raises CorruptXml, XmlDoctype."""
        for piece in self._stream:
            self._parse(piece, final=False)
            yield from self._rows()
        self._parse(b"", final=True)
        yield from self._rows()
        if self._tail_start is None:
            raise corrupt(self._part, "it has no sheetData")
        between = self._take(self._tail_start)
        if between:
            yield between
        self.tail = self._buffer

    def _rows(self) -> Iterator[RawRow | bytes]:
        if self._head_end is None:
            return
        if not self.head:
            self.head = self._take(self._head_end)
        ready, self._ready = self._ready, []
        for start, row in ready:
            between = self._take(start)
            if between:
                yield between
            self._take(start + len(row.data))
            yield row

    def _take(self, end: int) -> bytes:
        """The bytes up to a place, out of the buffer."""
        size = end - self._done
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        self._done = end
        return taken

    def _parse(self, data: bytes, *, final: bool) -> None:
        self._buffer += data
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            raise corrupt(self._part, error) from error

    def _tag_end(self, start: int) -> int:
        tag = TAG.match(self._buffer, start - self._done)
        return tag.end() + self._done if tag else start

    def _end_of(self, inner: int) -> tuple[int, int]:
        """Where the end tag of the element that ends now begins, and where it ends."""
        at = inner - self._done
        if self._buffer[at - 2 : at] == b"/>":
            return inner, inner
        return self._end_tag()

    def _end_tag(self) -> tuple[int, int]:
        close = self._parser.CurrentByteIndex
        return close, self._buffer.index(b">", close - self._done) + 1 + self._done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth = depth = self._depth + 1
        if depth >= _CONTENT:
            self._row.is_used = True
            return
        if self._matched != depth - 1:
            return
        place, prefix = self._names.get(name) or self._look_at(name)
        if place == depth == _CELL:
            self._matched = depth
            self._open_cell(attributes.get("r"))
        elif place == depth == _ROW:
            self._matched = depth
            number = self._number(attributes.get("r"))
            self._row = _OpenRow(number, prefix, self._parser.CurrentByteIndex)
        elif depth == _CELL and self._row.extensions is None:
            self._row.extensions = self._parser.CurrentByteIndex
        elif place == depth == _DATA and self._head_end is None:
            self._matched = depth
            self._head_end = self._tag_end(self._parser.CurrentByteIndex)
        elif place == depth == 0:
            self._matched = depth

    def _look_at(self, name: str) -> tuple[int, bytes]:
        """Understand a name that is new."""
        namespace, local, prefix = split_name(name)
        is_known = namespace in MAIN_NAMESPACES and local in _PATH
        self._names[name] = _PATH.index(local) if is_known else -1, prefix
        return self._names[name]

    def _open_cell(self, reference: str | None) -> None:
        row = self._row
        row.extensions, row.is_used = None, False
        row.cell = self._parser.CurrentByteIndex
        if reference is None:
            row.column += 1
            return
        name = reference.rstrip(_DIGITS).upper()
        column = self._columns.get(name)
        if column is None:
            if not _COLUMN.fullmatch(name):
                raise corrupt(self._part, f"a cell calls itself {reference!r}")
            column = self._columns[name] = index_of(name)
        row.column = column

    def _number(self, stated: str | None) -> int:
        if stated is None:
            return self._row.number + 1
        number = whole(stated)
        if number is None:
            raise corrupt(self._part, f"a row calls itself {stated[:20]!r}")
        return number

    def _end(self, _name: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        if depth != self._matched:
            return
        self._matched = depth - 1
        if depth == _CELL:
            row = self._row
            # What has content is no `<c/>`, and its start tag need not be looked for.
            _, end = self._end_tag() if row.is_used else self._end_of(self._tag_end(row.cell))
            place = CellSpan(row.column, row.cell - row.start, end - row.start, row.is_used)
            row.cells.append(place)
        elif depth == _ROW:
            self._close_row(self._row)
        elif depth == _DATA and self._head_end is not None:
            self._tail_start = self._end_of(self._head_end)[0]

    def _close_row(self, row: _OpenRow) -> None:
        inner = self._tag_end(row.start)
        close, end = self._end_of(inner)
        data = self._buffer[row.start - self._done : end - self._done]
        close = (row.extensions or close) - row.start
        raw = RawRow(row.number, data, row.prefix, inner - row.start, close, row.cells)
        self._ready.append((row.start, raw))


def one_row(data: bytes, head: bytes, part: str) -> RawRow:
    """One row, taken apart; `head` is that of its sheet, for the namespaces."""
    events = Events(iter((head + data,)), part)
    return next(row for row in events if isinstance(row, RawRow))


def survey(stream: Iterator[bytes], part: str, header_row: int) -> Survey:
    """Look through a sheet. Raises CorruptXml, XmlDoctype, GridOutOfRange."""
    found = Survey(part, header_row, is_canonical=False)
    events = Events(stream, part)
    for row in events:
        if isinstance(row, bytes):
            continue
        found.see_row(row.number)
        found.see_columns(
            {cell.column for cell in row.cells},
            {cell.column for cell in row.cells if cell.is_used},
        )
        if row.number == header_row:
            found.header = row
    found.head, found.tail = events.head, events.tail
    return found


def patch(
    stream: Iterator[bytes], found: Survey, ink: Ink, stale: frozenset[int]
) -> Iterator[bytes]:
    """The sheet's rows with ours in them: all between head and tail."""
    for row in Events(stream, found.part):
        if isinstance(row, bytes):
            yield row
        else:
            ours = ink.cells(row.number, row.prefix)
            yield rewrite(row, ours, stale if row.number >= ink.header_row else frozenset())
