"""The rows of a sheet with ours in them: looked through first, then written.

Sheets as all usual programs write them are patched by patterns. In XML without comments, CDATA and
processing instructions every `<` begins a tag. So if each `<row` of a chunk begins `<row r="…"`,
each `<c` begins `<c r="…"`, and each row that is opened is closed by a plain `</row>`, then
patterns see every row and every cell. Whatever does not hold up to that is left to the parser
(`row_parser`), with the same results.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from feedtool.model.cells import index_of, letters
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.annotate.notes import NoteCells
from feedtool.sheets.annotate.row_parser import CellSpan, RawRow, RowParser, rewrite, widened
from feedtool.sheets.cell_text import inline, shown
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.sheet_rows import DATA
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW
from feedtool.sheets.read.xml_chunks import Chunk, chunks
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, corrupt

_NAMESPACE = re.compile("|".join(map(re.escape, MAIN_NAMESPACES)).encode())
_NOTHING: frozenset[int] = frozenset()
_STYLE = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*?\ss\s*=\s*["']([0-9]+)["']""")
_FORMULA = re.compile(rb"<(?:[^\s<>:/]+:)?f[\s/>]")

column_index = lru_cache(1 << 15)(lambda name: index_of(name.decode()))


@dataclass(slots=True)
class SheetScan:
    """A sheet looked through once: what must be known before its first row can be written."""

    part: str
    header_row: int
    limits: ReadingLimits
    head: bytes = b""
    tail: bytes = b""
    used: int = -1
    """The rightmost column (0-based) with a cell that holds something; -1 if there is none."""
    widest: int = -1
    """The rightmost column with any cell at all, formatted-but-empty ones included."""
    last_row: int = 0
    has_header: bool = False
    """The row of the headings is there."""
    plain: list[int | None] = field(default_factory=list)
    """Of each chunk the number of its last row, if patterns see all of it."""

    def see_row(self, number: int) -> None:
        """Rows ascend. Raises CorruptXml, GridOutOfRange."""
        if number <= self.last_row:
            raise corrupt(self.part, f"row {number} comes after row {self.last_row}")
        if number > LAST_ROW:
            raise GridOutOfRange(
                tr("the sheet has a row {number}", number=number), tr("delete what lies beyond it")
            )
        self.last_row = number
        self.has_header = self.has_header or number == self.header_row

    def see_columns(self, columns: set[int], used: set[int]) -> None:
        """Columns with cells, and those of them whose cells hold something."""
        self.widest = max(self.widest, *columns, -1)
        self.used = max(self.used, *used, -1)
        if self.widest > LAST_COLUMN:
            raise GridOutOfRange(
                tr("the sheet has a column {column}", column=letters(self.widest)),
                tr("delete what lies beyond XFD"),
            )


class _Tags(NamedTuple):
    """Tags and patterns to look for in a sheet's bytes, with the prefix its writer chose."""

    prefix: bytes
    """Of the workbook's namespace: `x:` or nothing."""
    row_start: bytes
    row_end: bytes
    cell_start: bytes
    row: re.Pattern[bytes]
    """A row's start tag: its number, and the rest, which in `<row/>` ends with a slash."""
    opened: re.Pattern[bytes]
    """The start tag of a row that is not `<row/>`: none may be inside another."""
    cell: re.Pattern[bytes]
    """The beginning of a cell: the letters of its column."""
    used: re.Pattern[bytes]
    """The same of a cell in which there is something."""
    whole_cell: re.Pattern[bytes]
    """A cell: the letters of its column, what is in it if it is used, its end; then blanks."""


@lru_cache(8)
def _tags(prefix: bytes) -> _Tags:
    start, end = rb"<" + re.escape(prefix), rb"</" + re.escape(prefix)
    cell = start + rb'c r="([A-Z]{1,4})[0-9]+"'
    return _Tags(
        prefix,
        b"<%brow" % prefix,
        b"</%brow>" % prefix,
        b"<%bc" % prefix,
        re.compile(start + rb'row r="([1-9][0-9]{0,9})"([^>]*)>'),
        re.compile(start + rb"row[^>]*+(?<!/)>"),
        re.compile(start + rb'c r="([A-Z]{1,4})'),
        re.compile(cell + rb"[^>]*(?<!/)>(?!\s*" + end + rb"c)"),
        re.compile(
            cell + rb"[^>]*+(?:(?<=/)>|>\s*+(<(?!/)(?:[^<]++|<(?!" + end[1:] + rb"c>))*+)?+"
            rb"[^<]*+" + end + rb"c>)()\s*+"
        ),
    )


@lru_cache(64)
def _beyond(prefix: bytes, column: int) -> re.Pattern[bytes]:
    """Finds a cell that is not in the columns up to this one (-1: any cell)."""
    name = letters(column)
    within = [
        f"{name[:place]}[A-{chr(ord(letter) - 1)}][A-Z]{{{len(name) - place - 1}}}"
        for place, letter in enumerate(name)
        if letter > "A"
    ]
    shorter = [f"[A-Z]{{1,{len(name) - 1}}}"] if len(name) > 1 else []
    columns = "|".join([name, *within, *shorter]).encode()
    return re.compile(rb"<" + re.escape(prefix) + rb'c r="(?!(?:' + columns + rb")[0-9])")


def scan_sheet(stream: Iterator[bytes], scan: SheetScan) -> None:
    """Look through a sheet. Raises CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb."""
    parser = RowParser(scan.part, scan.limits)
    for chunk in chunks(stream):
        if _is_plain(chunk, parser, scan):
            scan.plain.append(scan.last_row)
            parser.flush()
            parser.last_row = scan.last_row
            continue
        scan.plain.append(None)
        for row in parser.rows(chunk.data):
            if isinstance(row, RawRow):
                scan.see_row(row.number)
                used = {cell.column for cell in row.cells if cell.is_used}
                scan.see_columns({cell.column for cell in row.cells}, used)
    _, scan.tail = parser.rest()
    scan.head = parser.head


def _is_plain(chunk: Chunk, parser: RowParser, scan: SheetScan) -> bool:
    """True if patterns are proven to see all of a chunk; then its rows and columns are noted."""
    if chunk.prefix is None or not parser.is_right_inside(DATA, chunk.prefix):
        return False
    block, tags = chunk.data, _tags(chunk.prefix.encode())
    rows = tags.row.findall(block)
    opened = len(rows) - sum(rest.endswith(b"/") for _, rest in rows)
    count = block.count(tags.cell_start)
    if (
        # With a second prefix for the workbook's namespace there might be cells of another look.
        b"xmlns" in block
        or len(_NAMESPACE.findall(parser.head)) > 1
        or block.count(tags.row_start) != len(rows)
        or block.count(tags.row_end) != opened
        or not all(map(tags.opened.search, block.split(tags.row_end)[:-1]))
        or count != block.count(tags.cell_start + b' r="')
    ):
        return False
    cells, used = set[int](), set[int]()
    if _beyond(tags.prefix, scan.used).search(block):
        names = tags.cell.findall(block)
        if count != len(names):
            return False
        cells = {column_index(name) for name in set(names)}
        used = {column_index(name) for name in set(tags.used.findall(block))}
    for number, _ in rows:
        scan.see_row(int(number))
    scan.see_columns(cells, used)
    return True


def patch_rows(
    stream: Iterator[bytes], scan: SheetScan, notes: NoteCells, stale: frozenset[int]
) -> Iterator[bytes]:
    """All between head and tail: the rows with ours in them, without what `stale` columns hold."""
    parser = RowParser(scan.part, scan.limits)
    for chunk, last_row in zip(chunks(stream), scan.plain, strict=True):
        if last_row is not None and chunk.prefix is not None:
            yield parser.flush()
            parser.last_row = last_row
            patcher = _PatternPatcher(_tags(chunk.prefix.encode()), scan, notes, stale)
            yield patcher.block(chunk.data)
            continue
        for row in parser.rows(chunk.data):
            if isinstance(row, bytes):
                yield row
            else:
                _match_heading(row, notes, stale)
                ours = _with_values(row, notes.cells(row.number, row.prefix), notes)
                yield rewrite(row, ours, stale if row.number >= notes.header_row else _NOTHING)
    yield parser.rest()[0]


def _match_heading(row: RawRow, notes: NoteCells, stale: frozenset[int]) -> None:
    """In the row of headings: gives ours the format of the last one before them that has one."""
    if row.number != notes.header_row or not notes.is_styled:
        return
    for cell in row.cells:
        if cell.is_used and cell.column not in stale and cell.column < min(notes.columns):
            style = _STYLE.match(row.data[cell.start : cell.end])
            if style and int(style[1]):
                notes.heading_style = int(style[1])


def _with_values(
    row: RawRow, ours: Sequence[tuple[int, bytes]], notes: NoteCells
) -> Sequence[tuple[int, bytes]]:
    """Our cells of a row, and those of the user's that get another value, in their format.

    A formula stays, since it would bring its own value back.
    """
    if not notes.values:
        return ours
    present = {cell.column: row.data[cell.start : cell.end] for cell in row.cells}
    cells = list(ours)
    for column, value in notes.values:
        cell = present.get(column, b"")
        if _FORMULA.search(cell):
            continue
        style = _STYLE.match(cell)
        start = b'<%bc r="%b%d"%b' % (
            row.prefix,
            letters(column).encode(),
            row.number,
            b' s="%b"' % style[1] if style else b"",
        )
        cells.append((column, start + _content(value, row.prefix)))
        text = shown(value) if isinstance(value, str) else f"{value:f}"
        notes.changed.setdefault(row.number, {})[column] = text
    return sorted(cells)


def _content(value: str | Decimal, prefix: bytes) -> bytes:
    """The rest of a cell's markup, after its format."""
    if isinstance(value, str):
        return inline(value, prefix) if value else b"/>"
    return b"><%bv>%b</%bv></%bc>" % (prefix, f"{value:f}".encode(), prefix, prefix)


class _PatternPatcher:
    """Rewrites rows of canonical XML."""

    def __init__(
        self, tags: _Tags, scan: SheetScan, notes: NoteCells, stale: frozenset[int]
    ) -> None:
        self._tags = tags
        self._cell_ends = (b"</%bc>" % tags.prefix, b"/>")
        self._scan = scan
        self._notes = notes
        self._stale = stale
        self._left, self._right = min(notes.columns), max(notes.columns)
        first = min(self._left, *stale, self._left)
        self._beyond = _beyond(tags.prefix, first - 1)
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
            if tag is not None:  # as the scan has proven
                done.append(self._row(part, tag))
        done += self._empty_rows(rest)
        return b"".join(done)

    def _row(self, part: bytes, tag: re.Match[bytes]) -> bytes:
        """A row without its end tag, rewritten."""
        number, inner, tags = int(tag[1]), tag.end(), self._tags
        if number == self._notes.header_row:
            whole = self._raw_row(number, part, inner, _beyond(tags.prefix, -1))
            _match_heading(whole, self._notes, self._stale)
        ours = self._notes.cells(number, tags.prefix)
        stale = self._stale if number >= self._notes.header_row else _NOTHING
        if self._notes.values:
            row = self._raw_row(number, part, inner, _beyond(tags.prefix, -1))
            return rewrite(row, _with_values(row, ours, self._notes), stale)
        if not self._appends or not self._is_plain(part, inner):
            return rewrite(self._raw_row(number, part, inner, self._beyond), ours, stale)
        if not ours:
            return part + tags.row_end
        rest = widened(tag[2], self._left, self._right)
        opened = b'%b r="%b"%b>' % (tags.row_start, tag[1], rest)
        return b"".join((opened, part[inner:], *[markup for _, markup in ours], tags.row_end))

    def _raw_row(self, number: int, part: bytes, inner: int, beyond: re.Pattern[bytes]) -> RawRow:
        """The row with its cells from the first one on that `beyond` finds."""
        data = part + self._tags.row_end
        first = beyond.search(part, inner)
        end = first.start() if first else len(part)
        is_in_order, last, cells = first is not None or self._is_plain(part, inner), -1, []
        for cell in self._tags.whole_cell.finditer(part, end):
            column = column_index(cell[1])
            is_in_order = is_in_order and cell.start() == end and column > last
            end, last = cell.end(), column
            cells.append(CellSpan(column, cell.start(), cell.start(3), cell[2] is not None))
        if not is_in_order or end != len(part):
            parser = RowParser(self._scan.part, self._scan.limits)  # the head has the namespaces
            rows = parser.rows(self._scan.head + data)
            return next(row for row in rows if isinstance(row, RawRow))
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
            ours = _with_values(row, self._notes.cells(number, prefix), self._notes)
            yield rewrite(row, ours, _NOTHING)
        yield data[end:]

    def _is_plain(self, part: bytes, inner: int) -> bool:
        """True if a row (without its end tag) ends with a cell, or has none: no extensions."""
        return (
            part.endswith(self._cell_ends)
            or not part[inner:].strip()
            or part.rstrip().endswith(self._cell_ends)
        )
