"""Plan the annotation of a sheet before the first byte is written, and write its new part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, compress
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.cell_notes import add_notes, remove_notes
from feedtool.sheets.annotate.notes import Finish, NoteCells, SheetNotes, Summary
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.annotate.sheet_patch import patch_rows
from feedtool.sheets.annotate.sheet_scan import SheetScan, scan_sheet
from feedtool.sheets.annotate.workbook_parts import BookParts, relations_of
from feedtool.sheets.annotate.xml_offsets import Edit, utf8
from feedtool.sheets.atomic_write import Digest
from feedtool.sheets.cell_text import escaped
from feedtool.sheets.read.cell_decoder import Decoder, SharedStrings
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import LAST_COLUMN, CellRange, cell_range
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts, read_relationships
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import Node, parse_part

# Add a filter to the table of a sheet without one, and mark it as ours with a hidden name.


MARK = "_feedtool_filter"
_EXCEL_NAME = "_xlnm._FilterDatabase"
_BEFORE_NAMES = frozenset(
    {"fileVersion", "fileSharing", "workbookPr", "workbookProtection", "bookViews", "sheets",
     "functionGroups", "externalReferences"}
)  # fmt: skip
_BEFORE_FILTER = frozenset(
    {"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
     "sheetProtection", "protectedRanges", "scenarios"}
)  # fmt: skip
"""Elements that the schema puts before the names of a workbook and the filter of a sheet."""
_EXCLUDING = ("autoFilter", "sortState", "tableParts", "sheetProtection", "customSheetViews")
"""Elements of a sheet that have their own filter, or with which ours could not be used."""


def remove_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope
) -> list[Edit] | None:
    """Return the edits of a sheet that remove our filter; None if it has the user's filter."""
    root = parts.root(parts.workbook)
    group = root.child("definedNames")
    number = str(parts.sheets.index(entry))
    names = [
        node
        for node in (group.children if group else ())
        if node.attributes.get("name") in (MARK, _EXCEL_NAME)
        and node.attributes.get("localSheetId") == number
    ]
    old = envelope.root.child("autoFilter")
    if not any(node.attributes.get("name") == MARK for node in names):
        has_filter = names or any(map(envelope.root.child, _EXCLUDING))
        return None if has_filter else []
    if old and not old.is_empty_tag and old.inner < old.close:
        return None
    # The list of names is removed, too, if it looks like one that we have added.
    is_ours = group and not group.text.strip() and group.start == _end_before_names(root)
    parts.remove(parts.workbook, names, parent="definedNames" if is_ours else "")
    return [Edit(old.start, old.end, b"")] if old else []


def _end_before_names(root: Node) -> int:
    """Return the place for names in a workbook without any."""
    return max(node.end for node in root.children if node.name in _BEFORE_NAMES)


def add_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope, area: CellRange
) -> list[Edit]:
    """Add a filter over a range, whose first row has its buttons; return the sheet's edits.

    A range with merged cells gets no filter, since they cannot be sorted.
    """
    if any(merge.last_row >= area.first_row for merge in envelope.merges()):
        return []
    sheet = entry.name.replace("'", "''")
    first, last = (
        f"${letters(column)}${row}"
        for row, column in ((area.first_row, area.first_column), (area.last_row, area.last_column))
    )
    root = parts.root(parts.workbook)
    place = escaped(f"'{sheet}'!{first}:{last}")
    markup = b"".join(
        b'<%bdefinedName name="%b" localSheetId="%d" hidden="1">%b</%bdefinedName>'
        % (root.prefix, name.encode(), parts.sheets.index(entry), place, root.prefix)
        for name in (MARK, _EXCEL_NAME)
    )
    group = root.child("definedNames")
    if group:
        parts.append(parts.workbook, group, markup)
    else:
        tags = root.prefix + b"definedNames"
        element = b"<%b>%b</%b>" % (tags, markup, tags)
        parts.insert(parts.workbook, _end_before_names(root), element)
    after = envelope.end_of(_BEFORE_FILTER)
    ref = str(area).encode()
    return [Edit(after, after, b'<%bautoFilter ref="%b"/>' % (envelope.root.prefix, ref))]


class NoRoom(UsageProblem):
    """The sheet is used up to its last columns."""


class SheetPlan(Struct):
    """The decisions about the annotation of a sheet, and later its results."""

    notes: SheetNotes
    entry: SheetEntry
    scan: SheetScan
    envelope: SheetEnvelope
    columns: tuple[int, ...]
    """The columns of status, message and code, 0-based."""
    header: "HeaderRows"
    finish: Finish
    has_notes: bool = False
    """True if its cells get notes."""
    edits: list[Edit] = field(default_factory=list)
    """Edits around the rows, for notes in cells and the filter."""
    digest: Digest = field(default_factory=Digest)
    """The digest of our cells, once they are written."""
    changed: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    """The new texts of the user's cells, by row and column, once they are written."""

    def prepare(self, package: ZipPackage, parts: BookParts) -> None:
        """Remove an earlier annotation from other parts, and add a new filter."""
        note_edits = remove_notes(parts, package, self.entry, self.envelope)
        filter_edits = remove_filter(parts, self.entry, self.envelope)
        self.has_notes = note_edits is not None and self.finish == "full"
        top, last = self.notes.header_rows[-1], self.scan.last_row
        if filter_edits is not None and self.finish == "full" and not self.header.is_hidden:
            right = self.scan.used
            while right in self.header.earlier.difference(self.columns):
                right -= 1  # an earlier column of ours that is emptied
            area = CellRange(top, self.header.first_column, last, max(*self.columns, right))
            filter_edits += add_filter(parts, self.entry, self.envelope, area) if last > top else []
        self.edits = [*(filter_edits or ()), *(note_edits or ())]

    def patched(
        self, package: ZipPackage, parts: BookParts, styles: FormatIndexes, summary: Summary | None
    ) -> Iterator[bytes]:
        """Yield the sheet's part with the annotation; notes in cells are added at its end."""
        is_styled = self.finish != "bare"
        cells = NoteCells(self.notes, self.columns, styles, is_styled=is_styled)
        top, earlier = self.notes.header_row, self.header.earlier
        written = CellRange(top, min(self.columns), max(self.scan.last_row, top), max(self.columns))
        was_annotated = earlier.issuperset(self.columns)
        envelope = self.envelope
        edits = envelope.resize(written) + envelope.widen(self.columns, earlier=was_annotated)
        yield envelope.head(edits)
        stream = utf8(package.stream(self.entry.part), self.entry.part)
        yield from patch_rows(stream, self.scan, cells, earlier)
        cells.finish()
        self.digest, self.changed = cells.digest, cells.changed
        edits += self.edits + envelope.recolour(cells.guilty, styles)
        if summary is not None:
            is_linked = is_styled and cells.first_bad is not None
            place = (cells.first_bad or 0, self.columns[0]) if is_linked else None
            edits += envelope.link_back(place, summary.name, earlier)
        if self.has_notes:
            edits += add_notes(parts, self.entry, envelope, cells.comments)
        yield envelope.tail(edits)


def plan_sheet(
    package: ZipPackage,
    book: WorkbookParts,
    entry: SheetEntry,
    notes: SheetNotes,
    finish: Finish = "full",
) -> SheetPlan:
    """Scan a sheet, and return its plan. Raises NoRoom, FileProblem."""
    scan = SheetScan(entry.part, notes.header_row, package.limits)
    scan_sheet(utf8(package.stream(entry.part), entry.part), scan)
    if not scan.has_header:
        raise ValueError(f"the sheet has no row {notes.header_row} for the headings")
    envelope = SheetEnvelope(scan.head, scan.tail, entry.part)
    header = header_rows(package, book, entry, notes)
    columns = header.columns
    # Earlier columns are used again, also in a table or with other columns after them.
    if not columns:
        areas = (*envelope.ranges(notes.header_row), *_tables(package, entry))
        last = max(scan.used, *(area.last_column for area in areas), -1)
        columns = tuple(range(last + 1, last + 4))
        if columns[-1] > LAST_COLUMN:
            raise NoRoom(
                tr(
                    "sheet “{sheet}” is used up to column {column}, which leaves no room for the"
                    " three columns of the result",
                    sheet=entry.name,
                    column=letters(last),
                ),
                tr(
                    "delete what stands in its last columns, or end its merged cells, table or"
                    " filter before them"
                ),
            )
    return SheetPlan(notes, entry, scan, envelope, columns, header, finish)


def _tables(package: ZipPackage, entry: SheetEntry) -> Iterator[CellRange]:
    for relation in read_relationships(package, relations_of(entry.part)):
        if relation.kind == "table" and package.part(relation.target):
            table = cell_range(parse_part(package, relation.target).attributes.get("ref", ""))
            if table:
                yield table


class HeaderRows(NamedTuple):
    """The rows of headings and keys in the source."""

    by_heading: Mapping[str, Sequence[int]]
    """The columns (0-based) under each of our headings."""
    first_column: int = 0
    """The first column that has a heading."""
    is_hidden: bool = False
    """True if the last of these rows is hidden."""

    @property
    def earlier(self) -> frozenset[int]:
        """The columns under our headings in the source: their cells below are removed."""
        return frozenset(chain.from_iterable(self.by_heading.values()))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of status, message and code; () unless all are there."""
        present = all(self.by_heading.values())
        return tuple(columns[0] for columns in self.by_heading.values()) if present else ()


def header_rows(
    package: ZipPackage, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> HeaderRows:
    """Read the rows that may have our headings. Raises FileProblem."""
    columns: dict[str, list[int]] = {heading: [] for heading in notes.headings}
    texts = cache(lambda: _texts(package, book.shared_strings, notes.headings))
    decode = Decoder(texts, (), date1904=False)
    block = next(XlsxSheet(package, entry, decode).blocks(notes.header_row - 1), None)
    if block is None:
        return HeaderRows(columns)
    header = [row in notes.header_rows for row in block.rows[: len(notes.header_rows)]]
    used = []
    for column in range(block.width):
        cells = {decode(key).text.strip() for key in compress(block.column(column), header)}
        used += [column] * any(cells)
        for text in cells.intersection(columns):
            columns[text].append(column)
    return HeaderRows(columns, min(used, default=0), notes.header_rows[-1] in block.hidden)


def _texts(
    package: ZipPackage, part: str | None, headings: Sequence[str]
) -> SharedStrings | Mapping[int, str]:
    """Return the shared strings; all of them are `?` if none of the headings is among them.

    Most workbooks were never annotated: searching the bytes saves reading the texts.
    """
    texts = [text.encode() for text in headings]
    overlap, before = max(map(len, texts)), b""
    for data in utf8(package.stream(part), part) if part else ():
        window = before + data
        if part and any(text in window for text in texts):
            return SharedStrings.read(package.stream(part), part, package.limits)
        before = data[-overlap:]
    return defaultdict(lambda: "?")
