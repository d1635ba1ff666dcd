"""Scan a sheet before its first row is written.

Sheets of all usual programs are read by patterns. In XML without comments, CDATA and processing
instructions every `<` begins a tag. So if each `<row` of a chunk begins `<row r="…"`, each `<c`
begins `<c r="…"`, and each row that is opened is closed by a plain `</row>`, then patterns find
every row and every cell. The parser (`row_parser`) reads all other chunks, with the same results.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.cells import index_of, letters
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.annotate.row_parser import RawRow, RowParser
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.sheet_rows import DATA
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW
from feedtool.sheets.read.xml_chunks import Chunk, chunks
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, corrupt

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
