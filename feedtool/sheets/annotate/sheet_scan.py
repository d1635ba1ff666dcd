"""Scan a sheet before its first row is written.

Sheets of all usual programs are read by patterns. In XML without comments, CDATA and processing
instructions every `<` begins a tag. So if each `<row` of a chunk begins `<row r="…"`, each `<c`
begins `<c r="…"`, and each row that is opened is closed by a plain `</row>`, then patterns find
every row and every cell. The parser (`row_parser`) reads all other chunks, with the same results.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.cells import index_of, letters
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.annotate.notes import OUR_FRACTION
from feedtool.sheets.annotate.xml_offsets import Edit, PlaceParser, splice
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.sheet_rows import DATA
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, Chunk, Node, chunks, corrupt, whole

# Split the rows of any sheet into cells with a parser, and write them with our cells.


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


_NAMESPACE = re.compile("|".join(map(re.escape, MAIN_NAMESPACES)).encode())

column_index = lru_cache(1 << 15)(lambda name: index_of(name.decode()))


class SheetScan(Struct):
    """The facts about a sheet that are needed before its first row can be written."""

    part: str
    header_row: int
    limits: ReadingLimits
    head: bytes = b""
    tail: bytes = b""
    used: int = -1
    """The rightmost column (0-based) with a cell that is not empty; -1 without such a cell."""
    widest: int = -1
    """The rightmost column with any cell, also an empty one with a format."""
    last_row: int = 0
    has_header: bool = False
    """True if the sheet has the row of the headings."""
    plain: list[int | None] = field(default_factory=list)
    """For each chunk the number of its last row; None if only the parser can read it."""

    def note_rows(self, numbers: Sequence[int]) -> None:
        """Note rows, which must ascend. Raises CorruptXml, GridOutOfRange."""
        last = self.last_row
        for number in numbers:
            if number <= last:
                raise corrupt(self.part, f"row {number} comes after row {last}")
            if number > LAST_ROW:
                raise GridOutOfRange(
                    tr("the sheet has a row {number}", number=number),
                    tr("delete what lies beyond it"),
                )
            last = number
        self.last_row = last
        self.has_header = self.has_header or self.header_row in numbers

    def note_columns(self, columns: set[int], used: set[int]) -> None:
        """Note columns with cells, and those with cells that are not empty."""
        self.widest = max(self.widest, *columns, -1)
        self.used = max(self.used, *used, -1)
        if self.widest > LAST_COLUMN:
            raise GridOutOfRange(
                tr("the sheet has a column {column}", column=letters(self.widest)),
                tr("delete what lies beyond XFD"),
            )


class Tags(NamedTuple):
    """Tags and patterns to find in a sheet's bytes, for the prefix that its program uses."""

    prefix: bytes
    """The prefix of the workbook's namespace: `x:` or empty."""
    row_start: bytes
    row_end: bytes
    cell_start: bytes
    row: re.Pattern[bytes]
    """A row's start tag: its number, and the rest, which ends with a slash in `<row/>`."""
    opened: re.Pattern[bytes]
    """The start tag of a row that is not `<row/>`: none may be inside another."""
    cell: re.Pattern[bytes]
    """The beginning of a cell: the letters of its column."""
    used: re.Pattern[bytes]
    """The same for a cell that is not empty."""
    whole_cell: re.Pattern[bytes]
    """A cell: the letters of its column, its content if any, its end; then blanks."""


@lru_cache(8)
def tags_of(prefix: bytes) -> Tags:
    """Return the tags and patterns for a prefix of the workbook's namespace."""
    start, end = rb"<" + re.escape(prefix), rb"</" + re.escape(prefix)
    cell = start + rb'c r="([A-Z]{1,4})[0-9]+"'
    return Tags(
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
def cell_beyond(prefix: bytes, column: int) -> re.Pattern[bytes]:
    """Return a pattern for cells not known to be in the columns up to this one (-1: any cell)."""
    name = letters(column)
    within = [
        f"{name[:place]}[A-{chr(ord(letter) - 1)}][A-Z]{{{len(name) - place - 1}}}"
        for place, letter in enumerate(name)
        if letter > "A"
    ]
    shorter = [f"[A-Z]{{1,{len(name) - 1}}}"] if len(name) > 1 else []
    columns = "|".join([name, *within, *shorter]).encode()
    return re.compile(rb"<" + re.escape(prefix) + rb'c(?! r="(?:' + columns + rb")[0-9])")


def scan_sheet(stream: Iterator[bytes], scan: SheetScan) -> None:
    """Fill in the facts about a sheet. Raises CorruptXml, XmlDoctype, GridOutOfRange, ZipBomb."""
    parser = RowParser(scan.part, scan.limits)
    for chunk in chunks(stream):
        if _scan_by_patterns(chunk, parser, scan):
            scan.plain.append(scan.last_row)
            parser.flush()
            parser.last_row = scan.last_row
            continue
        scan.plain.append(None)
        for row in parser.rows(chunk.data):
            if isinstance(row, RawRow):
                scan.note_rows((row.number,))
                used = {cell.column for cell in row.cells if cell.is_used}
                scan.note_columns({cell.column for cell in row.cells}, used)
    _, scan.tail = parser.rest()
    scan.head = parser.head


def _scan_by_patterns(chunk: Chunk, parser: RowParser, scan: SheetScan) -> bool:
    """Note a chunk's rows and columns by patterns; False if they are not proven to find all."""
    if chunk.prefix is None or not parser.is_right_inside(DATA, chunk.prefix):
        return False
    block, tags = chunk.data, tags_of(chunk.prefix.encode())
    rows = tags.row.findall(block)
    opened = len(rows) - sum(rest.endswith(b"/") for _, rest in rows)
    *parts, _ = block.split(tags.row_end)
    if (
        # A second prefix for the workbook's namespace would hide cells.
        b"xmlns" in block
        or len(_NAMESPACE.findall(parser.head)) > 1
        or block.count(tags.row_start) != len(rows)
        or len(parts) != opened
        or not all(map(tags.opened.search, parts))
    ):
        return False
    cells, used = set[int](), set[int]()
    # One search for the beginning of a cell outside the known columns: if it finds none, no cell
    # has to be counted, which took a third of the time of a scan.
    if cell_beyond(tags.prefix, scan.used).search(block):
        names = tags.cell.findall(block)
        if block.count(tags.cell_start) != len(names):
            return False
        cells = {column_index(name) for name in set(names)}
        used = {column_index(name) for name in set(tags.used.findall(block))}
    scan.note_rows([int(number) for number, _ in rows])
    scan.note_columns(cells, used)
    return True
