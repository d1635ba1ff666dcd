"""The fast path: sheets as all usual programs write them, patched by patterns.

In XML without comments, CDATA and processing instructions every `<` begins a tag. So if each
`<row` of a block begins `<row r="…"`, each `<c` begins `<c r="…"`, and each row that is opened is
closed by a plain `</row>`, then patterns see every row and every cell. Whatever does not hold up
to that is left to the parser (`parser_patch`), with the same results.
"""

import re
from collections.abc import Iterator

from feedtool.sheets.annotate.note_cells import NoteCells
from feedtool.sheets.annotate.parser_patch import parse_row
from feedtool.sheets.annotate.row_edit import CellSpan, RawRow, rewrite, widened
from feedtool.sheets.annotate.sheet_scan import SheetScan
from feedtool.sheets.annotate.tag_patterns import (
    OPENING,
    NotCanonical,
    Tags,
    column_index,
    tags_of,
)

_HEAD = 1 << 20
_LONGEST_ROW = 1 << 23
"""Bytes of a head or a row that are worth waiting for; longer ones are the parser's."""
_NOTHING: frozenset[int] = frozenset()


class Blocks:
    """A sheet as head, blocks of whole rows, and tail; together they are the part."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        """Read as far as the rows. Raises NotCanonical."""
        buffer, opened = b"", None
        for data in stream:
            buffer += data
            opened = OPENING.search(buffer)
            if opened or len(buffer) > _HEAD:
                break
        if opened is None:
            raise NotCanonical
        self.head = buffer[: opened.end()]
        self.tail = b""
        self.tags = tags_of(self.head)
        self._rest = buffer[opened.end() :]
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        """The blocks, each cut behind a `</row>`; the last may end otherwise."""
        buffer, row_end = self._rest, self.tags.row_end
        while True:
            end = buffer.find(self.tags.data_end)
            if end >= 0:
                break
            last = buffer.rfind(row_end)
            if last >= 0:
                cut = last + len(row_end)
                yield buffer[:cut]
                buffer = buffer[cut:]
            data = next(self._stream, b"")
            if not data or len(buffer) > _LONGEST_ROW:
                raise NotCanonical
            buffer += data
        if end:
            yield buffer[:end]
        self.tail = b"".join((buffer[end:], *self._stream))


def scan_sheet(stream: Iterator[bytes], scan: SheetScan) -> None:
    """Look through a sheet. Raises NotCanonical, CorruptXml, GridOutOfRange."""
    blocks = Blocks(stream)
    scan.head = blocks.head
    for block in blocks:
        _scan_block(block, blocks.tags, scan)
    scan.tail = blocks.tail


def _scan_block(block: bytes, tags: Tags, scan: SheetScan) -> None:
    """Prove that patterns see all of a block, then look at its rows and columns."""
    if b"<!" in block or b"<?" in block or b"xmlns" in block:
        raise NotCanonical
    rows = tags.row.findall(block)
    opened = len(rows) - sum(rest.endswith(b"/") for _, rest in rows)
    if block.count(tags.row_start) != len(rows) or block.count(tags.row_end) != opened:
        raise NotCanonical
    if not all(_opens_a_row(part, tags.row_start) for part in block.split(tags.row_end)[:-1]):
        raise NotCanonical
    for number, _ in rows:
        scan.see_row(int(number))
    count = block.count(tags.cell_start)
    if count != block.count(tags.cell_start + b' r="'):
        raise NotCanonical
    if tags.beyond(scan.used).search(block):
        cells = tags.cell.findall(block)
        if count != len(cells):
            raise NotCanonical
        used = {column_index(name) for name in set(tags.used.findall(block))}
        scan.see_columns({column_index(name) for name in set(cells)}, used)


def _opens_a_row(part: bytes, row_start: bytes) -> bool:
    """Whether a row opens in what stands before an end tag of one: none is inside another."""
    start = part.find(row_start)
    while start >= 0:
        end = part.find(b">", start)
        if part[end - 1 : end] != b"/":
            return True
        start = part.find(row_start, end)
    return False


def patch(
    stream: Iterator[bytes], scan: SheetScan, notes: NoteCells, stale: frozenset[int]
) -> Iterator[bytes]:
    """The sheet's rows with ours in them, block by block: all between head and tail."""
    blocks = Blocks(stream)
    patcher = _Patcher(blocks.tags, scan, notes, stale)
    for block in blocks:
        yield patcher.block(block)


class _Patcher:
    """Rewrites rows of canonical XML."""

    def __init__(
        self, tags: Tags, scan: SheetScan, notes: NoteCells, stale: frozenset[int]
    ) -> None:
        self._tags = tags
        self._cell_ends = (tags.cell_end, b"/>")
        self._scan = scan
        self._notes = notes
        self._stale = stale
        self._left, self._right = min(notes.columns), max(notes.columns)
        first = min(self._left, *stale, self._left)
        self._beyond = tags.beyond(first - 1)
        """Finds a cell at our columns or to the right of them."""
        self._appends = scan.widest < first
        """No row has such a cell."""

    def block(self, block: bytes) -> bytes:
        """The same rows, ours in them."""
        done: list[bytes] = []
        match = self._tags.row.match
        *parts, rest = block.split(self._tags.row_end)
        for row in parts:
            part, tag = row, match(row)
            if tag is None or tag[2].endswith(b"/"):
                # Rows written `<row/>`, or blanks, are in front of the row that ends here.
                start = row.rfind(self._tags.row_start)
                done += self._empty_rows(row[:start])
                part = row[start:]
                tag = match(part)
            if tag is None:
                raise NotCanonical
            done.append(self._row(part, tag))
        done += self._empty_rows(rest)
        return b"".join(done)

    def _row(self, part: bytes, tag: re.Match[bytes]) -> bytes:
        """A row without its end tag, rewritten."""
        number, inner, tags = int(tag[1]), tag.end(), self._tags
        ours = self._notes.cells(number, tags.prefix)
        if not self._appends or not self._is_plain(part, inner):
            stale = self._stale if number >= self._notes.header_row else _NOTHING
            return rewrite(self._raw_row(number, part, inner), ours, stale)
        if not ours:
            return part + tags.row_end
        rest = widened(tag[2], self._left, self._right)
        opened = b'%b r="%b"%b>' % (tags.row_start, tag[1], rest)
        return b"".join((opened, part[inner:], *[markup for _, markup in ours], tags.row_end))

    def _raw_row(self, number: int, part: bytes, inner: int) -> RawRow:
        """The row with those of its cells that begin at our columns."""
        data = part + self._tags.row_end
        first = self._beyond.search(part, inner)
        end = first.start() if first else len(part)
        is_in_order, last, cells = first is not None or self._is_plain(part, inner), -1, []
        for cell in self._tags.whole_cell.finditer(part, end):
            column = column_index(cell[1])
            is_in_order = is_in_order and cell.start() == end and column > last
            end, last = cell.end(), column
            cells.append(CellSpan(column, cell.start(), cell.start(3), cell[2] is not None))
        if not is_in_order or end != len(part):
            return parse_row(data, self._scan)
        return RawRow(number, data, self._tags.prefix, inner, len(part), cells)

    def _empty_rows(self, data: bytes) -> Iterator[bytes]:
        """Rows written `<row/>`, and blanks between rows."""
        end = 0
        for tag in self._tags.row.finditer(data):
            yield data[end : tag.start()]
            end = tag.end()
            number = int(tag[1])
            prefix = self._tags.prefix
            row = RawRow(number, tag[0], prefix, len(tag[0]), len(tag[0]), ())
            yield rewrite(row, self._notes.cells(number, prefix), _NOTHING)
        yield data[end:]

    def _is_plain(self, part: bytes, inner: int) -> bool:
        """Whether a row (without its end tag) ends with a cell, or has none: no extensions."""
        return (
            part.endswith(self._cell_ends)
            or not part[inner:].strip()
            or part.rstrip().endswith(self._cell_ends)
        )
