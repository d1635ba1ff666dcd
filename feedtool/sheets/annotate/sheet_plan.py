"""The plan of a sheet's annotation, made before the first byte is written."""

from collections.abc import Iterator
from dataclasses import dataclass

from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.sheets.annotate import parser_patch, pattern_patch
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.earlier_columns import earlier_columns
from feedtool.sheets.annotate.highlights import recolour
from feedtool.sheets.annotate.note_cells import NoteCells
from feedtool.sheets.annotate.notes import SheetNotes
from feedtool.sheets.annotate.part_encoding import Coding, utf8
from feedtool.sheets.annotate.sheet_envelope import CellRange, SheetEnvelope, cell_range
from feedtool.sheets.annotate.sheet_scan import SheetScan
from feedtool.sheets.annotate.tag_patterns import NotCanonical
from feedtool.sheets.annotate.workbook_parts import SmallPart
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import LAST_COLUMN
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts, read_relationships
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
    digest: Digest | None = None
    """Of the cells that were written, once they are."""

    def patched(self, package: ZipPackage, styles: FormatIndexes) -> Iterator[bytes]:
        """The sheet's part with the annotation in it."""
        return self.coding.encode(self._pieces(package, styles))

    def _pieces(self, package: ZipPackage, styles: FormatIndexes) -> Iterator[bytes]:
        cells = NoteCells(self.notes, self.columns, styles, self.coding)
        bottom = max(self.scan.last_row, self.notes.header_row)
        written = CellRange(min(self.columns), self.notes.header_row, max(self.columns), bottom)
        was_here = self.earlier.issuperset(self.columns)
        envelope = self.envelope
        edits = envelope.resize(written) + envelope.widen(self.columns, earlier=was_here)
        yield envelope.head(edits)
        path = pattern_patch if self.scan.is_canonical else parser_patch
        _, stream = utf8(package.stream(self.entry.part), self.entry.part)
        yield from path.patch(stream, self.scan, cells, self.earlier)
        cells.finish()
        self.digest = cells.digest
        yield envelope.tail(edits + recolour(envelope.root, cells.guilty, styles))


def plan_sheet(
    package: ZipPackage, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> SheetPlan:
    """The plan of a sheet that was looked through. Raises NoRoom, FileProblem."""
    coding, scan = look_through(package, entry.part, notes.header_row)
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


def look_through(package: ZipPackage, part: str, header_row: int) -> tuple[Coding, SheetScan]:
    """A sheet's coding and scan, by patterns if they will do. Raises FileProblem."""
    coding, stream = utf8(package.stream(part), part)
    scan = SheetScan(part, header_row, package.limits)
    try:
        pattern_patch.scan_sheet(stream, scan)
    except NotCanonical:
        return coding, parse_sheet(package, part, header_row)
    return coding, scan


def parse_sheet(package: ZipPackage, part: str, header_row: int) -> SheetScan:
    """A sheet's scan by the parser. Raises FileProblem for whatever is wrong with it."""
    scan = SheetScan(part, header_row, package.limits)
    parser_patch.scan_sheet(utf8(package.stream(part), part)[1], scan)
    return scan


def _ranges(
    package: ZipPackage, entry: SheetEntry, envelope: SheetEnvelope, header_row: int
) -> Iterator[int]:
    """The last columns of merged cells, of the autofilter and of tables."""
    yield from (merged.right for merged in envelope.ranges(header_row))
    folder, _, name = entry.part.replace("\\", "/").rpartition("/")
    rels = f"{folder}/_rels/{name}.rels".lstrip("/")
    for relation in read_relationships(package, rels):
        if relation.kind == "table" and package.part(relation.target):
            root = SmallPart.read(package, relation.target).outline()
            table = cell_range(root.attributes.get("ref", ""))
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
