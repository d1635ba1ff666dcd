"""The places of rows and cells in a sheet of any writing: a parser says where each begins.

Rows and cells without `r`, comments, CDATA, odd quotes and blanks: the parser knows them. Nothing
is written from what it says; the bytes are cut there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from feedtool.model.cells import index_of
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.row_edit import CellSpan, RawRow
from feedtool.sheets.annotate.xml_offsets import TAG
from feedtool.sheets.read.xml_parser import Node, XmlParser, corrupt, whole

_DATA = "/worksheet/sheetData"
_ROW = f"{_DATA}/row"
_COLUMN = re.compile("[A-Z]{1,4}")


@dataclass(slots=True)
class _OpenRow:
    """A row of which the start tag has been read. Places are bytes of what the parser was fed."""

    number: int
    prefix: bytes
    start: int
    extensions: int | None = None
    """The place behind the cells."""
    cells: list[CellSpan] = field(default_factory=list)
    column: int = -1


class RowParser:
    """A parser that is fed the sheet, or all of it but some whole rows.

    Raises on feeding: CorruptXml, XmlDoctype, ZipBomb.
    """

    def __init__(self, part: str, limits: ReadingLimits) -> None:
        self.head = b""
        """All up to the rows; complete when the first row is."""
        self.last_row = 0
        """The number of the last row so far, whoever looked at it."""
        self._part = part
        self._buffer = b""
        self._done = 0
        """Bytes that have been given out; there the buffer begins."""
        self._ready: list[tuple[int, RawRow]] = []
        self._head_end: int | None = None
        self._tail_start: int | None = None
        self._row = _OpenRow(0, b"", 0)
        self._columns: dict[str, int] = {}
        self._parser = XmlParser(
            part,
            limits,
            {f"{_ROW}/c": self._add_cell},
            starts={_DATA: self._open_data, _ROW: self._open_row, f"{_ROW}/*": self._extend},
            ends={_DATA: self._close_data, _ROW: self._close_row},
        )

    def expects_rows(self, prefix: str) -> bool:
        """True if a `row` with this prefix (`x:` or none) would be a row of the sheet now."""
        return self._parser.is_right_inside(_DATA, prefix)

    def feed(self, data: bytes) -> Iterator[RawRow | bytes]:
        """The rows that end in `data`, and the bytes between them."""
        self._buffer += data
        self._parser.feed(data)
        if self._head_end is not None and not self.head:
            self.head = self._take(self._head_end)
        ready, self._ready = self._ready, []
        for start, row in ready:
            yield self._take(start)
            self._take(start + len(row.data))
            yield row

    def flush(self) -> bytes:
        """The bytes since the last row, before rows that are not fed."""
        return self._take(self._done + len(self._buffer))

    def finish(self) -> tuple[bytes, bytes]:
        """The bytes from the last row to the end of the rows, and all from there on."""
        self._parser.finish()
        if self._tail_start is None:
            raise corrupt(self._part, "it has no sheetData")
        return self._take(self._tail_start), self._buffer

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
        close = self._parser.position
        return close, self._buffer.index(b">", close - self._done) + 1 + self._done

    def _open_data(self, node: Node) -> None:
        self._data_inner = self._tag_end(node.start)
        if self._head_end is None:
            self._head_end = self._data_inner

    def _close_data(self) -> None:
        self._tail_start = self._end_of(self._data_inner)[0]

    def _open_row(self, node: Node) -> None:
        stated = node.attributes.get("r")
        number = self.last_row + 1 if stated is None else whole(stated)
        if number is None:
            raise corrupt(self._part, f"a row calls itself {(stated or '')[:20]!r}")
        self.last_row = number
        self._row = _OpenRow(number, node.prefix, node.start)

    def _close_row(self) -> None:
        row = self._row
        inner = self._tag_end(row.start)
        close, end = self._end_of(inner)
        data = self._buffer[row.start - self._done : end - self._done]
        close = (row.extensions or close) - row.start
        raw = RawRow(row.number, data, row.prefix, inner - row.start, close, row.cells)
        self._ready.append((row.start, raw))

    def _add_cell(self, node: Node) -> None:
        row = self._row
        row.extensions = None
        reference = node.attributes.get("r")
        if reference is None:
            row.column += 1
        else:
            name = reference.rstrip("0123456789").upper()
            column = self._columns.get(name)
            if column is None:
                if not _COLUMN.fullmatch(name):
                    raise corrupt(self._part, f"a cell calls itself {reference!r}")
                column = self._columns[name] = index_of(name)
            row.column = column
        is_used = bool(node.children)
        # What has content is no `<c/>`, and its start tag need not be looked for.
        _, end = self._end_tag() if is_used else self._end_of(self._tag_end(node.start))
        row.cells.append(CellSpan(row.column, node.start - row.start, end - row.start, is_used))

    def _extend(self, node: Node) -> None:
        if self._row.extensions is None:
            self._row.extensions = node.start
