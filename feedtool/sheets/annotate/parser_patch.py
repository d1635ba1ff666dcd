"""The path for any XML: a parser says where rows and cells are, and the bytes are cut there.

Rows and cells without `r`, comments, CDATA, odd quotes and blanks: the parser knows them, and
gives the byte where each begins. Nothing is written from its events.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from feedtool.model.cells import index_of
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.note_cells import NoteCells
from feedtool.sheets.annotate.row_edit import CellSpan, RawRow, rewrite
from feedtool.sheets.annotate.sheet_scan import SheetScan
from feedtool.sheets.annotate.xml_offsets import TAG
from feedtool.sheets.read.xml_parser import corrupt, whole
from feedtool.sheets.read.xml_walker import Attributes, XmlElement, XmlWalker

_COLUMN = re.compile("[A-Z]{1,4}")
_PREFIX = re.compile(rb"<((?:[^\s:/>]+:)?)")
_DIGITS = "0123456789"


@dataclass(slots=True)
class _OpenRow:
    """A row of which the start tag has been read. Places are bytes of the part."""

    number: int = 0
    start: int = 0
    extensions: int | None = None
    """The place behind the cells."""
    cells: list[CellSpan] = field(default_factory=list)
    column: int = -1
    cell: int = 0
    """The beginning of the open cell."""
    is_used: bool = False
    """Something is in the open cell."""


class RowParser:
    """A sheet as head, rows with what stands between them, and tail.

    Raises on iterating: CorruptXml, XmlDoctype, ZipBomb.
    """

    def __init__(self, stream: Iterator[bytes], part: str, limits: ReadingLimits) -> None:
        self.head = b""
        """All up to the rows; there from the first row on."""
        self.tail = b""
        """All from the end of the rows on; there once all rows have been taken."""
        self._stream = stream
        self._part = part
        self._buffer = b""
        self._done = 0
        """Bytes of the part that have been given out; there the buffer begins."""
        self._ready: list[tuple[int, RawRow]] = []
        self._head_end: int | None = None
        self._data_inner = 0
        self._tail_start: int | None = None
        self._row = _OpenRow()
        self._columns: dict[str, int] = {}
        cell = XmlElement(
            start=self._open_cell, end=self._close_cell, others=XmlElement(start=self._use_cell)
        )
        extension = XmlElement(start=self._open_extension)
        row = XmlElement({"c": cell}, start=self._open_row, end=self._close_row, others=extension)
        data = XmlElement({"row": row}, start=self._open_data, end=self._close_data)
        self._walker = XmlWalker({"worksheet": XmlElement({"sheetData": data})}, part, limits)

    def __iter__(self) -> Iterator[RawRow | bytes]:
        """Rows, and the bytes between them."""
        for data in self._stream:
            self._buffer += data
            self._walker.feed(data)
            yield from self._rows()
        self._walker.finish()
        if self._tail_start is None:
            raise corrupt(self._part, "it has no sheetData")
        yield from self._rows()
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

    def _tag_end(self, start: int) -> int:
        tag = TAG.match(self._buffer, start - self._done)
        return tag.end() + self._done if tag else start

    def _end_of(self, inner: int) -> tuple[int, int]:
        """The beginning and the end of the end tag of the element that ends now."""
        at = inner - self._done
        if at > 0 and self._buffer[at - 2 : at] == b"/>":
            return inner, inner
        return self._end_tag()

    def _end_tag(self) -> tuple[int, int]:
        close = self._walker.position
        return close, self._buffer.index(b">", close - self._done) + 1 + self._done

    def _open_data(self, _attributes: Attributes) -> None:
        self._data_inner = self._tag_end(self._walker.position)
        if self._head_end is None:
            self._head_end = self._data_inner

    def _close_data(self) -> None:
        self._tail_start = self._end_of(self._data_inner)[0]

    def _open_row(self, attributes: Attributes) -> None:
        number = self._row.number + 1
        if "r" in attributes:
            stated = whole(attributes["r"])
            if stated is None:
                raise corrupt(self._part, f"a row calls itself {attributes['r'][:20]!r}")
            number = stated
        self._row = _OpenRow(number, self._walker.position)

    def _close_row(self) -> None:
        row = self._row
        inner = self._tag_end(row.start)
        close, end = self._end_of(inner)
        data = self._buffer[row.start - self._done : end - self._done]
        prefix = _PREFIX.match(data)
        close = (row.extensions or close) - row.start
        raw = RawRow(
            row.number, data, prefix[1] if prefix else b"", inner - row.start, close, row.cells
        )
        self._ready.append((row.start, raw))

    def _open_cell(self, attributes: Attributes) -> None:
        row = self._row
        row.extensions, row.is_used = None, False
        row.cell = self._walker.position
        reference = attributes.get("r")
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

    def _use_cell(self, _attributes: Attributes) -> None:
        self._row.is_used = True

    def _close_cell(self) -> None:
        row = self._row
        # What has content is no `<c/>`, and its start tag need not be looked for.
        _, end = self._end_tag() if row.is_used else self._end_of(self._tag_end(row.cell))
        span = CellSpan(row.column, row.cell - row.start, end - row.start, row.is_used)
        row.cells.append(span)

    def _open_extension(self, _attributes: Attributes) -> None:
        if self._row.extensions is None:
            self._row.extensions = self._walker.position


def parse_row(data: bytes, scan: SheetScan) -> RawRow:
    """One row of a sheet, taken apart; the sheet's head declares its namespaces."""
    parser = RowParser(iter((scan.head + data,)), scan.part, scan.limits)
    return next(row for row in parser if isinstance(row, RawRow))


def scan_sheet(stream: Iterator[bytes], scan: SheetScan) -> None:
    """Look through a sheet. Raises CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb."""
    scan.is_canonical = False
    parser = RowParser(stream, scan.part, scan.limits)
    for row in parser:
        if isinstance(row, bytes):
            continue
        scan.see_row(row.number)
        scan.see_columns(
            {cell.column for cell in row.cells},
            {cell.column for cell in row.cells if cell.is_used},
        )
    scan.head, scan.tail = parser.head, parser.tail


def patch(
    stream: Iterator[bytes], scan: SheetScan, notes: NoteCells, stale: frozenset[int]
) -> Iterator[bytes]:
    """The sheet's rows with ours in them: all between head and tail."""
    for row in RowParser(stream, scan.part, scan.limits):
        if isinstance(row, bytes):
            yield row
        else:
            ours = notes.cells(row.number, row.prefix)
            yield rewrite(row, ours, stale if row.number >= notes.header_row else frozenset())
