"""What will be done to a sheet, decided before the first byte is written."""

from collections.abc import Iterator
from dataclasses import dataclass

from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.sheets.annotate import canonical, events
from feedtool.sheets.annotate.bookparts import SmallPart
from feedtool.sheets.annotate.coding import Coding, utf8
from feedtool.sheets.annotate.colours import recolour
from feedtool.sheets.annotate.earlier import earlier_columns
from feedtool.sheets.annotate.frame import Area, Frame, area
from feedtool.sheets.annotate.ink import Digest, Ink
from feedtool.sheets.annotate.notes import SheetNotes
from feedtool.sheets.annotate.rows import RawRow
from feedtool.sheets.annotate.styles import Styles
from feedtool.sheets.annotate.survey import Survey
from feedtool.sheets.annotate.tags import NotCanonical
from feedtool.sheets.events import LAST_COLUMN
from feedtool.sheets.package import Package
from feedtool.sheets.workbook import SheetEntry, WorkbookParts, read_relationships


class NoRoom(UsageProblem):
    """The sheet is used up to its last columns."""


@dataclass(slots=True)
class SheetPlan:
    """How one sheet is to be annotated."""

    notes: SheetNotes
    entry: SheetEntry
    coding: Coding
    found: Survey
    frame: Frame
    columns: tuple[int, ...]
    """Of status, message and code, 0-based."""
    earlier: frozenset[int]
    """The columns under our headings now: what they hold below is taken out."""
    digest: Digest | None = None
    """Of the cells that were written, once they are."""

    def patched(self, package: Package, styles: Styles) -> Iterator[bytes]:
        """The sheet's part with the annotation in it."""
        return self.coding.encode(self._pieces(package, styles))

    def _pieces(self, package: Package, styles: Styles) -> Iterator[bytes]:
        ink = Ink(self.notes, self.columns, styles, self.coding)
        bottom = max(self.found.last_row, self.notes.header_row)
        written = Area(min(self.columns), self.notes.header_row, max(self.columns), bottom)
        was_here = self.earlier.issuperset(self.columns)
        edits = self.frame.resize(written) + self.frame.widen(self.columns, earlier=was_here)
        yield self.frame.head(edits)
        path = canonical if self.found.is_canonical else events
        _, stream = utf8(package.stream(self.entry.part), self.entry.part)
        yield from path.patch(stream, self.found, ink, self.earlier)
        ink.finish()
        self.digest = ink.digest
        yield self.frame.tail(edits + recolour(self.frame.root, ink.guilty, styles))


def plan_sheet(
    package: Package, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> SheetPlan:
    """Look through a sheet and decide. Raises NoRoom, FileProblem."""
    coding, found = look_through(package, entry.part, notes.header_row)
    if found.header is None:
        raise ValueError(f"the sheet has no row {notes.header_row} for the headings")
    frame = Frame(found.head, found.tail, entry.part)
    by_heading = earlier_columns(package, book, found.header, notes.headings)
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if all(by_heading.values()):
        # In place: they may have become part of a table, or columns may have come after them.
        columns = tuple(found_at[0] for found_at in by_heading.values())
    else:
        last = max(found.used, *_ranges(package, entry, frame, notes.header_row), -1)
        columns = _behind(last, entry.name)
    return SheetPlan(notes, entry, coding, found, frame, columns, earlier)


def look_through(package: Package, part: str, header_row: int) -> tuple[Coding, Survey]:
    """A sheet's coding and survey, by patterns if they will do."""
    coding, stream = utf8(package.stream(part), part)
    try:
        return coding, canonical.survey(stream, part, header_row)
    except NotCanonical:
        return coding, parse_sheet(package, part, header_row)


def parse_sheet(package: Package, part: str, header_row: int) -> Survey:
    """Look through a sheet by the parser. Raises FileProblem for whatever is wrong with it."""
    _, stream = utf8(package.stream(part), part)
    return events.survey(stream, part, header_row)


def is_annotated(
    package: Package, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> bool:
    """Whether a sheet has all of our headings in its row of headings. Raises FileProblem."""
    _, stream = utf8(package.stream(entry.part), entry.part)
    rows = (row for row in events.Events(stream, entry.part) if isinstance(row, RawRow))
    header = next((row for row in rows if row.number >= notes.header_row), None)
    if header is None or header.number > notes.header_row:
        return False
    return all(earlier_columns(package, book, header, notes.headings).values())


def _ranges(package: Package, entry: SheetEntry, frame: Frame, header_row: int) -> Iterator[int]:
    """The last columns of merged cells, of the autofilter and of tables."""
    yield from (place.right for place in frame.ranges(header_row))
    folder, _, name = entry.part.replace("\\", "/").rpartition("/")
    rels = f"{folder}/_rels/{name}.rels".lstrip("/")
    for relation in read_relationships(package, rels):
        if relation.kind == "table" and package.part(relation.target):
            table = _table(package, relation.target)
            if table:
                yield table.right


def _table(package: Package, part: str) -> Area | None:
    return area(SmallPart.read(package, part).outline().attributes.get("ref", ""))


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
