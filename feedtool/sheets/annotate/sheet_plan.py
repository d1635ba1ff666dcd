"""The plan of a sheet's annotation, made before the first byte is written."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.highlights import recolour
from feedtool.sheets.annotate.note_cells import NoteCells
from feedtool.sheets.annotate.notes import SheetNotes
from feedtool.sheets.annotate.part_encoding import Coding, utf8
from feedtool.sheets.annotate.sheet_envelope import CellRange, SheetEnvelope, cell_range
from feedtool.sheets.annotate.sheet_patch import SheetScan, patch_rows, scan_sheet
from feedtool.sheets.read.cell_decoder import Decoder
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.shared_strings import SharedStrings
from feedtool.sheets.read.source import LAST_COLUMN
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts, read_relationships
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import parse_part
from feedtool.sheets.read_back import Digest


class NoRoom(UsageProblem):
    """The sheet is used up to its last columns."""


@dataclass(slots=True)
class SheetPlan:
    """The decisions on how a sheet is annotated."""

    notes: SheetNotes
    entry: SheetEntry
    coding: Coding
    scan: SheetScan
    envelope: SheetEnvelope
    columns: tuple[int, ...]
    """Of status, message and code, 0-based."""
    earlier: frozenset[int]
    """The columns under our headings now: what they hold below is taken out."""
    digest: Digest = field(default_factory=Digest)
    """Of the cells that were written, once they are."""

    def patched(self, package: ZipPackage, styles: FormatIndexes) -> Iterator[bytes]:
        """The sheet's part with the annotation in it."""
        return self.coding.encode(self._pieces(package, styles))

    def _pieces(self, package: ZipPackage, styles: FormatIndexes) -> Iterator[bytes]:
        cells = NoteCells(self.notes, self.columns, styles)
        bottom = max(self.scan.last_row, self.notes.header_row)
        written = CellRange(min(self.columns), self.notes.header_row, max(self.columns), bottom)
        was_here = self.earlier.issuperset(self.columns)
        envelope = self.envelope
        edits = envelope.resize(written) + envelope.widen(self.columns, earlier=was_here)
        yield envelope.head(edits)
        _, stream = utf8(package.stream(self.entry.part), self.entry.part)
        yield from patch_rows(stream, self.scan, cells, self.earlier)
        cells.finish()
        self.digest = cells.digest
        yield envelope.tail(edits + recolour(envelope.root, cells.guilty, styles))


def plan_sheet(
    package: ZipPackage, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> SheetPlan:
    """The plan of a sheet that was looked through. Raises NoRoom, FileProblem."""
    coding, stream = utf8(package.stream(entry.part), entry.part)
    scan = SheetScan(entry.part, notes.header_row, package.limits)
    scan_sheet(stream, scan)
    if not scan.has_header:
        raise ValueError(f"the sheet has no row {notes.header_row} for the headings")
    envelope = SheetEnvelope(scan.head, scan.tail, entry.part)
    by_heading = earlier_columns(package, book, entry, notes)
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if all(by_heading.values()):
        # In place: they may have become part of a table, or columns may have come after them.
        columns = tuple(columns[0] for columns in by_heading.values())
    else:
        last = max(scan.used, *_ranges(package, entry, envelope, notes.header_row), -1)
        columns = _behind(last, entry.name)
    return SheetPlan(notes, entry, coding, scan, envelope, columns, earlier)


def _ranges(
    package: ZipPackage, entry: SheetEntry, envelope: SheetEnvelope, header_row: int
) -> Iterator[int]:
    """The last columns of merged cells, of the autofilter and of tables."""
    yield from (merged.right for merged in envelope.ranges(header_row))
    folder, _, name = entry.part.replace("\\", "/").rpartition("/")
    rels = f"{folder}/_rels/{name}.rels".lstrip("/")
    for relation in read_relationships(package, rels):
        if relation.kind == "table" and package.part(relation.target):
            table = cell_range(parse_part(package, relation.target).attributes.get("ref", ""))
            if table:
                yield table.right


def _behind(last: int, sheet: str) -> tuple[int, ...]:
    """The three columns after the last used one. Raises NoRoom."""
    columns = tuple(range(last + 1, last + 4))
    if columns[-1] > LAST_COLUMN:
        raise NoRoom(
            f"Sheet “{sheet}” is used up to column {letters(last)}, which leaves no room for "
            "the three columns of the result.",
            "Delete what stands in its last columns, or end its merged cells, table or filter "
            "before them.",
        )
    return columns


def earlier_columns(
    package: ZipPackage, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> dict[str, list[int]]:
    """The columns (0-based) under each of our headings. Raises FileProblem."""
    columns: dict[str, list[int]] = {heading: [] for heading in notes.headings}
    texts = cache(lambda: _texts(package, book, notes.headings))
    decode = Decoder(texts, (), date1904=False)
    sheet = XlsxSheet(package, entry, decode)
    block = next(sheet.blocks(notes.header_row - 1), None)
    if block is None or block.rows[0] != notes.header_row:
        return columns
    for column in range(block.width):
        text = decode(next(iter(block.column(column)))).text.strip()
        if text in columns:
            columns[text].append(column)
    return columns


def _texts(
    package: ZipPackage, book: WorkbookParts, wanted: Iterable[str]
) -> SharedStrings | Mapping[int, str]:
    """The shared strings; all of them empty where none of the wanted texts can be among them."""
    part = book.shared_strings
    if part is None or not _may_hold(package, part, [text.encode() for text in wanted]):
        return defaultdict(str)
    return SharedStrings.read(package.stream(part), part, package.limits)


def _may_hold(package: ZipPackage, part: str, texts: list[bytes]) -> bool:
    """True if one of the texts stands in a part.

    Most workbooks never saw us: looking through the bytes spares reading the texts.
    """
    overlap = max(map(len, texts))
    before = b""
    for data in utf8(package.stream(part), part)[1]:
        window = before + data
        if any(text in window for text in texts):
            return True
        before = data[-overlap:]
    return False
