"""The fast path: sheets as all usual programs write them, patched by patterns.

In XML without comments, CDATA and processing instructions every `<` begins a tag. So if each
`<row` of a block begins `<row r="…"`, each `<c` begins `<c r="…"`, and each row that is opened is
closed by a plain `</row>`, then patterns see every row and every cell. Whatever does not hold up
to that is left to the parser (`events`), with the same results.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from feedtool.sheets.annotate.events import one_row
from feedtool.sheets.annotate.ink import Ink
from feedtool.sheets.annotate.rows import CellSpan, RawRow, rewrite, widened
from feedtool.sheets.annotate.survey import Survey
from feedtool.sheets.annotate.tags import OPENING, NotCanonical, Tags, column_index, tags_of

_HEAD = 1 << 20
_LONGEST_ROW = 1 << 23
"""Bytes of a head or a row that are worth waiting for; longer ones are the parser's."""

_SHAPES = 4096
"""Which columns a row has is much the same in most rows; so many cases are remembered."""
_NOTHING: frozenset[int] = frozenset()


class Blocks:
    """A sheet as head, blocks of whole rows, and tail; together they are the part."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        """Read as far as the rows. Raises NotCanonical."""
        buffer, opened = b"", None
        for piece in stream:
            buffer += piece
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
            piece = next(self._stream, b"")
            if not piece or len(buffer) > _LONGEST_ROW:
                raise NotCanonical
            buffer += piece
        if end:
            yield buffer[:end]
        self.tail = b"".join((buffer[end:], *self._stream))


def survey(stream: Iterator[bytes], part: str, header_row: int) -> Survey:
    """Look through a sheet. Raises NotCanonical, CorruptXml, GridOutOfRange."""
    found = Survey(part, header_row)
    blocks = Blocks(stream)
    found.head = blocks.head
    for block in blocks:
        _survey_block(block, blocks.tags, found)
    found.tail = blocks.tail
    return found


def _survey_block(block: bytes, tags: Tags, found: Survey) -> None:
    """Prove that patterns see all of a block, then look at its rows and columns."""
    if b"<!" in block or b"<?" in block or b"xmlns" in block:
        raise NotCanonical
    rows = tags.row.findall(block)
    opened = len(rows) - sum(rest.endswith(b"/") for _, rest in rows)
    if block.count(tags.row_start) != len(rows) or block.count(tags.row_end) != opened:
        raise NotCanonical
    first = found.last_row + 1
    if not all(_opens_a_row(part, tags.row_start) for part in block.split(tags.row_end)[:-1]):
        raise NotCanonical
    for name, _ in rows:
        found.see_row(int(name))
    if first <= found.header_row <= found.last_row:
        found.header = _header_row(block, tags, found)
    count = block.count(tags.cell_start)
    if count != block.count(tags.cell_start + b' r="'):
        raise NotCanonical
    if tags.beyond(found.used).search(block):
        cells = tags.cell.findall(block)
        if count != len(cells):
            raise NotCanonical
        used = {column_index(name) for name in set(tags.used.findall(block))}
        found.see_columns({column_index(name) for name in set(cells)}, used)


def _opens_a_row(part: bytes, row_start: bytes) -> bool:
    """Whether a row opens in what stands before an end tag of one: none is inside another."""
    start = part.find(row_start)
    while start >= 0:
        end = part.find(b">", start)
        if part[end - 1 : end] != b"/":
            return True
        start = part.find(row_start, end)
    return False


def _header_row(block: bytes, tags: Tags, found: Survey) -> RawRow | None:
    """The row of the headings, if it is in this block."""
    tag = tags.row.search(block, block.find(b'%b r="%d"' % (tags.row_start, found.header_row)))
    if tag is None or int(tag[1]) != found.header_row:
        return None
    end = tag.end() if tag[2].endswith(b"/") else block.index(tags.row_end, tag.end())
    data = block[tag.start() : end] + (b"" if end == tag.end() else tags.row_end)
    return one_row(data, found.head, found.part)


def patch(
    stream: Iterator[bytes], found: Survey, ink: Ink, stale: frozenset[int]
) -> Iterator[bytes]:
    """The sheet's rows with ours in them, block by block: all between head and tail."""
    blocks = Blocks(stream)
    patcher = _Patcher(blocks.tags, found, ink, stale)
    for block in blocks:
        yield patcher.block(block)


class _Patcher:
    """Rewrites rows of canonical XML."""

    def __init__(self, tags: Tags, found: Survey, ink: Ink, stale: frozenset[int]) -> None:
        self._tags = tags
        self._prefix = tags.prefix
        self._row_start, self._row_end = tags.row_start, tags.row_end
        self._cell_ends = (tags.cell_end, b"/>")
        self._found = found
        self._ink = ink
        self._stale = stale
        self._left, self._right = min(ink.columns), max(ink.columns)
        self._first = min(self._left, *stale, self._left)
        self._appends = found.widest < self._first
        """No row has a cell at our columns or to the right of them."""
        self._shapes: dict[tuple[bytes, ...], int] = {}

    def block(self, block: bytes) -> bytes:
        """The same rows, ours in them."""
        done: list[bytes] = []
        match = self._tags.row.match
        *parts, rest = block.split(self._row_end)
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
        number, inner = int(tag[1]), tag.end()
        ours = self._ink.cells(number, self._prefix)
        if not self._appends or not self._is_plain(part, inner):
            stale = self._stale if number >= self._ink.header_row else _NOTHING
            return rewrite(self._raw_row(number, part, inner), ours, stale)
        if not ours:
            return part + self._row_end
        rest = widened(tag[2], self._left, self._right)
        opened = b'%b r="%b"%b>' % (self._row_start, tag[1], rest)
        return b"".join((opened, part[inner:], *[markup for _, markup in ours], self._row_end))

    def _raw_row(self, number: int, part: bytes, inner: int) -> RawRow:
        """The row with those of its cells that begin at our columns."""
        names = tuple(self._tags.cell.findall(part))
        count = self._shapes.get(names)
        if count is None:
            if len(self._shapes) > _SHAPES:
                self._shapes.clear()
            count = self._shapes[names] = self._count_to_see(names)
        data = part + self._row_end
        if count < 0 or not self._is_plain(part, inner):
            return one_row(data, self._found.head, self._found.part)
        spans: list[CellSpan] = []
        end = len(part)
        for name in names[: -count - 1 : -1]:
            start = part.rfind(self._tags.cell_start, 0, end)
            raw = part[start:end].rstrip()
            if not self._is_one_cell(raw):
                return one_row(data, self._found.head, self._found.part)
            inside = raw.find(b"<", 1)
            is_used = inside >= 0 and not raw.startswith(self._tags.cell_end[:-1], inside)
            spans.append(CellSpan(column_index(name), start, start + len(raw), is_used))
            end = start
        return RawRow(number, data, self._tags.prefix, inner, len(part), spans[::-1])

    def _is_one_cell(self, raw: bytes) -> bool:
        """Whether what reaches to the next cell is that cell alone, and nothing behind it."""
        tag_end = raw.find(b">")
        if raw[tag_end - 1 : tag_end] == b"/":
            return tag_end == len(raw) - 1
        return raw.endswith(self._tags.cell_end)

    def _count_to_see(self, names: tuple[bytes, ...]) -> int:
        """How many cells of a row are at our columns or beyond; -1 if they are in no order."""
        columns = [column_index(name) for name in names]
        if any(left >= right for left, right in pairwise(columns)):
            return -1
        return sum(column >= self._first for column in columns)

    def _empty_rows(self, data: bytes) -> Iterator[bytes]:
        """Rows written `<row/>`, and blanks between rows."""
        end = 0
        for tag in self._tags.row.finditer(data):
            yield data[end : tag.start()]
            end = tag.end()
            number = int(tag[1])
            prefix = self._tags.prefix
            row = RawRow(number, tag[0], prefix, len(tag[0]), len(tag[0]), ())
            yield rewrite(row, self._ink.cells(number, prefix), _NOTHING)
        yield data[end:]

    def _is_plain(self, part: bytes, inner: int) -> bool:
        """Whether a row (without its end tag) ends with a cell, or has none: no extensions."""
        return (
            part.endswith(self._cell_ends)
            or not part[inner:].strip()
            or part.rstrip().endswith(self._cell_ends)
        )
