"""The fast path: sheets as all usual programs write them, patched by patterns.

In XML without comments, CDATA and processing instructions every `<` begins a tag. So if each
`<row` of a block begins `<row r="…"`, each `<c` begins `<c r="…"`, and each row that is opened is
closed by a plain `</row>`, then patterns see every row and every cell. Whatever does not hold up
to that is left to the parser (`events`), with the same results.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from feedtool.cells import index_of, letters
from feedtool.sheets.annotate.events import one_row
from feedtool.sheets.annotate.ink import Ink
from feedtool.sheets.annotate.rows import CellSpan, RawRow, rewrite, widened
from feedtool.sheets.annotate.survey import Survey
from feedtool.sheets.markup import MAIN_NAMESPACES

_OPENING = re.compile(rb"<sheetData(?:\s[^>]*)?(?<!/)>")
_ROOT = re.compile(rb'<worksheet(?=[ \r\n\t])[^>]*?\sxmlns="([^"]*)"[^>]*>')
_NAMESPACE = re.compile("|".join(map(re.escape, MAIN_NAMESPACES)).encode())
_ROW = re.compile(rb'<row r="([1-9][0-9]{0,9})"([^>]*)>')
_CELL = re.compile(rb'<c r="([A-Z]{1,4})')
_USED = re.compile(rb'<c r="([A-Z]{1,4})[0-9]+"[^>]*(?<!/)>(?!\s*</c>)')
_HEAD = 1 << 20
_LONGEST_ROW = 1 << 23
"""Bytes of a head or a row that are worth waiting for; longer ones are the parser's."""

_SHAPES = 4096
"""Which columns a row has is much the same in most rows; so many cases are remembered."""
_NOTHING: frozenset[int] = frozenset()

column_index = lru_cache(1 << 15)(lambda name: index_of(name.decode()))


class NotCanonical(Exception):
    """Patterns might miss something here; internal, and always answered by the parser."""


class Blocks:
    """A sheet as head, blocks of whole rows, and tail; together they are the part."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        """Read as far as the rows. Raises NotCanonical."""
        buffer, opened = b"", None
        for piece in stream:
            buffer += piece
            opened = _OPENING.search(buffer)
            if opened or len(buffer) > _HEAD:
                break
        if opened is None:
            raise NotCanonical
        self.head = buffer[: opened.end()]
        self.tail = b""
        self._rest = buffer[opened.end() :]
        self._stream = stream
        _check_head(self.head)

    def __iter__(self) -> Iterator[bytes]:
        """The blocks, each cut behind a `</row>`; the last may end otherwise."""
        buffer = self._rest
        while True:
            end = buffer.find(b"</sheetData>")
            if end >= 0:
                break
            cut = buffer.rfind(b"</row>") + 6
            if cut > 5:  # noqa: PLR2004 — found
                yield buffer[:cut]
                buffer = buffer[cut:]
            piece = next(self._stream, b"")
            if not piece or len(buffer) > _LONGEST_ROW:
                raise NotCanonical
            buffer += piece
        if end:
            yield buffer[:end]
        self.tail = b"".join((buffer[end:], *self._stream))


def _check_head(head: bytes) -> None:
    """The worksheet's namespace is the default one and has no prefix as well."""
    root = _ROOT.search(head)
    if root is None or root[1].decode("latin-1") not in MAIN_NAMESPACES:
        raise NotCanonical
    if len(_NAMESPACE.findall(head)) > 1 or b"<!" in head or head.count(b"<?") > 1:
        raise NotCanonical


def survey(stream: Iterator[bytes], part: str, header_row: int) -> Survey:
    """Look through a sheet. Raises NotCanonical, CorruptXml, GridOutOfRange."""
    found = Survey(part, header_row)
    blocks = Blocks(stream)
    found.head = blocks.head
    for block in blocks:
        _survey_block(block, found)
    found.tail = blocks.tail
    return found


def _survey_block(block: bytes, found: Survey) -> None:
    """Prove that patterns see all of a block, then look at its rows and columns."""
    if b"<!" in block or b"<?" in block or b"xmlns" in block:
        raise NotCanonical
    rows = _ROW.findall(block)
    closed = sum(rest.endswith(b"/") for _, rest in rows)
    if block.count(b"<row") != len(rows) or block.count(b"</row>") != len(rows) - closed:
        raise NotCanonical
    first = found.last_row + 1
    for name, _ in rows:
        found.see_row(int(name))
    if first <= found.header_row <= found.last_row:
        found.header = _header_row(block, found)
    if block.count(b"<c") != block.count(b'<c r="'):
        raise NotCanonical
    if not _beyond(found.used).search(block):
        return
    cells = _CELL.findall(block)
    if block.count(b"<c") != len(cells):
        raise NotCanonical
    used = {column_index(name) for name in set(_USED.findall(block))}
    found.see_columns({column_index(name) for name in set(cells)}, used)


@lru_cache(64)
def _beyond(column: int) -> re.Pattern[bytes]:
    """Finds a cell that is not in the columns up to this one (-1: any cell)."""
    name = letters(column)
    within = [
        f"{name[:place]}[A-{chr(ord(letter) - 1)}][A-Z]{{{len(name) - place - 1}}}"
        for place, letter in enumerate(name)
        if letter > "A"
    ]
    shorter = [f"[A-Z]{{1,{len(name) - 1}}}"] if len(name) > 1 else []
    columns = "|".join([name, *within, *shorter])
    return re.compile(rf'<c r="(?!(?:{columns})[0-9])'.encode())


def _header_row(block: bytes, found: Survey) -> RawRow | None:
    """The row of the headings, if it is in this block."""
    start = block.find(b'<row r="%d"' % found.header_row)
    if start < 0:
        return None
    tag = _ROW.match(block, start)
    is_empty = tag is None or tag[2].endswith(b"/")
    end = tag.end() if tag and is_empty else block.index(b"</row>", start) + 6
    return one_row(block[start:end], found.head, found.part)


def patch(
    stream: Iterator[bytes], found: Survey, ink: Ink, stale: frozenset[int]
) -> Iterator[bytes]:
    """The sheet's rows with ours in them, block by block: all between head and tail."""
    patcher = _Patcher(found, ink, stale)
    for block in Blocks(stream):
        yield patcher.block(block)


class _Patcher:
    """Rewrites rows of canonical XML."""

    def __init__(self, found: Survey, ink: Ink, stale: frozenset[int]) -> None:
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
        *parts, rest = block.split(b"</row>")
        for row in parts:
            part, tag = row, _ROW.match(row)
            if tag is None or tag[2].endswith(b"/"):
                # Rows written `<row/>`, or blanks, are in front of the row that ends here.
                start = row.rfind(b"<row ")
                done += self._empty_rows(row[:start])
                part = row[start:]
                tag = _ROW.match(part)
            if tag is None:
                raise NotCanonical
            done.append(self._row(part, tag))
        done += self._empty_rows(rest)
        return b"".join(done)

    def _row(self, part: bytes, tag: re.Match[bytes]) -> bytes:
        """A row without its end tag, rewritten."""
        number, inner = int(tag[1]), tag.end()
        ours = self._ink.cells(number)
        if not self._appends or not _is_plain(part, inner):
            stale = self._stale if number >= self._ink.header_row else _NOTHING
            return rewrite(self._raw_row(number, part, inner), ours, stale)
        if not ours:
            return part + b"</row>"
        opened = b'<row r="%b"%b>' % (tag[1], widened(tag[2], self._left, self._right))
        return b"".join((opened, part[inner:], *[markup for _, markup in ours], b"</row>"))

    def _raw_row(self, number: int, part: bytes, inner: int) -> RawRow:
        """The row with those of its cells that begin at our columns."""
        names = tuple(_CELL.findall(part))
        count = self._shapes.get(names)
        if count is None:
            if len(self._shapes) > _SHAPES:
                self._shapes.clear()
            count = self._shapes[names] = self._count_to_see(names)
        data = part + b"</row>"
        if count < 0 or not _is_plain(part, inner):
            return one_row(data, self._found.head, self._found.part)
        spans: list[CellSpan] = []
        end = len(part)
        for name in names[: -count - 1 : -1]:
            start = part.rfind(b'<c r="', 0, end)
            raw = part[start:end].rstrip()
            inside = raw.find(b"<", 1)
            is_used = inside >= 0 and not raw.startswith(b"</c", inside)
            spans.append(CellSpan(column_index(name), start, start + len(raw), is_used))
            end = start
        return RawRow(number, data, b"", inner, len(part), spans[::-1])

    def _count_to_see(self, names: tuple[bytes, ...]) -> int:
        """How many cells of a row are at our columns or beyond; -1 if they are in no order."""
        columns = [column_index(name) for name in names]
        if any(left >= right for left, right in pairwise(columns)):
            return -1
        return sum(column >= self._first for column in columns)

    def _empty_rows(self, data: bytes) -> Iterator[bytes]:
        """Rows written `<row/>`, and blanks between rows."""
        end = 0
        for tag in _ROW.finditer(data):
            yield data[end : tag.start()]
            end = tag.end()
            number = int(tag[1])
            row = RawRow(number, tag[0], b"", len(tag[0]), len(tag[0]), ())
            yield rewrite(row, self._ink.cells(number), _NOTHING)
        yield data[end:]


def _is_plain(part: bytes, inner: int) -> bool:
    """Whether a row (without its end tag) ends with a cell, or has none: no extensions."""
    return (
        part.endswith((b"</c>", b"/>"))
        or not part[inner:].strip()
        or part.rstrip().endswith((b"</c>", b"/>"))
    )
