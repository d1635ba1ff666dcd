"""The annotated copy of a workbook: patched where ours goes in, copied as it is everywhere else."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import compress
from pathlib import Path

from feedtool.model.cells import Block, Cells, letters
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.cell_formats import FormatIndexes, add_styles, empty_styles
from feedtool.sheets.annotate.cell_notes import add_cell_notes
from feedtool.sheets.annotate.notes import Finish, NoteCells, SheetNotes, Summary
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.annotate.sheet_patch import SheetScan, patch_rows, scan_sheet
from feedtool.sheets.annotate.workbook_parts import BookParts, read_utf8, summary_sheet
from feedtool.sheets.annotate.xml_offsets import Edit, utf8
from feedtool.sheets.annotate.zip_copy import LEVEL, Repack, named, raw
from feedtool.sheets.atomic_write import Digest, NotAsWritten, not_as_written
from feedtool.sheets.read.cell_decoder import Decoder, SharedStrings
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage, part_key
from feedtool.sheets.read.source import LAST_COLUMN, CellRange, cell_range
from feedtool.sheets.read.workbook import (
    SheetEntry,
    WorkbookParts,
    read_relationships,
    read_workbook,
)
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import XmlParser, parse_part


class NoRoom(UsageProblem):
    """The sheet is used up to its last columns."""


@dataclass(slots=True)
class SheetPlan:
    """The decisions on how a sheet is annotated, made before the first byte is written."""

    notes: SheetNotes
    entry: SheetEntry
    scan: SheetScan
    envelope: SheetEnvelope
    columns: tuple[int, ...]
    """Of status, message and code, 0-based."""
    earlier: frozenset[int]
    """The columns under our headings now: what they hold below is taken out."""
    finish: Finish
    edits: list[Edit] = field(default_factory=list)
    """Those around the rows that other parts make necessary."""
    digest: Digest = field(default_factory=Digest)
    """Of the cells of ours that were written, once they are."""
    changed: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    """The text that cells of the user's were given, by row and column, once they were."""

    def patched(self, package: ZipPackage, styles: FormatIndexes) -> Iterator[bytes]:
        """The sheet's part with the annotation in it."""
        is_styled = self.finish != "bare"
        cells = NoteCells(self.notes, self.columns, styles, is_styled=is_styled)
        top = self.notes.header_row
        written = CellRange(top, min(self.columns), max(self.scan.last_row, top), max(self.columns))
        was_here = self.earlier.issuperset(self.columns)
        envelope = self.envelope
        edits = envelope.resize(written) + envelope.widen(self.columns, earlier=was_here)
        yield envelope.head(edits)
        stream = utf8(package.stream(self.entry.part), self.entry.part)
        yield from patch_rows(stream, self.scan, cells, self.earlier)
        cells.finish()
        self.digest, self.changed = cells.digest, cells.changed
        yield envelope.tail(edits + envelope.recolour(cells.guilty, styles) + self.edits)


def plan_sheet(
    package: ZipPackage,
    book: WorkbookParts,
    entry: SheetEntry,
    notes: SheetNotes,
    finish: Finish = "full",
) -> SheetPlan:
    """The plan of a sheet that was looked through. Raises NoRoom, FileProblem."""
    scan = SheetScan(entry.part, notes.header_row, package.limits)
    scan_sheet(utf8(package.stream(entry.part), entry.part), scan)
    if not scan.has_header:
        raise ValueError(f"the sheet has no row {notes.header_row} for the headings")
    envelope = SheetEnvelope(scan.head, scan.tail, entry.part)
    by_heading = _earlier_columns(package, book, entry, notes)
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if all(by_heading.values()):
        # In place: they may have become part of a table, or columns may have come after them.
        columns = tuple(columns[0] for columns in by_heading.values())
    else:
        areas = (*envelope.ranges(notes.header_row), *_tables(package, entry))
        last = max(scan.used, *(area.last_column for area in areas), -1)
        columns = tuple(range(last + 1, last + 4))
        if columns[-1] > LAST_COLUMN:
            raise NoRoom(
                f"Sheet “{entry.name}” is used up to column {letters(last)}, which leaves no room "
                "for the three columns of the result.",
                "Delete what stands in its last columns, or end its merged cells, table or filter "
                "before them.",
            )
    return SheetPlan(notes, entry, scan, envelope, columns, earlier, finish)


def _tables(package: ZipPackage, entry: SheetEntry) -> Iterator[CellRange]:
    folder, _, name = entry.part.replace("\\", "/").rpartition("/")
    for relation in read_relationships(package, f"{folder}/_rels/{name}.rels".lstrip("/")):
        if relation.kind == "table" and package.part(relation.target):
            table = cell_range(parse_part(package, relation.target).attributes.get("ref", ""))
            if table:
                yield table


def _earlier_columns(
    package: ZipPackage, book: WorkbookParts, entry: SheetEntry, notes: SheetNotes
) -> dict[str, list[int]]:
    """The columns (0-based) under each of our headings. Raises FileProblem."""
    columns: dict[str, list[int]] = {heading: [] for heading in notes.headings}
    texts = cache(lambda: _texts(package, book.shared_strings, notes.headings))
    decode = Decoder(texts, (), date1904=False)
    block = next(XlsxSheet(package, entry, decode).blocks(notes.header_row - 1), None)
    if block is None:
        return columns
    header = [row in notes.header_rows for row in block.rows[: len(notes.header_rows)]]
    for column in range(block.width):
        texts_below = {decode(key).text.strip() for key in compress(block.column(column), header)}
        for text in texts_below.intersection(columns):
            columns[text].append(column)
    return columns


def _texts(
    package: ZipPackage, part: str | None, wanted: Sequence[str]
) -> SharedStrings | Mapping[int, str]:
    """The shared strings; all of them empty where none of the wanted texts can be among them.

    Most workbooks never saw us: looking through the bytes spares reading the texts.
    """
    texts = [text.encode() for text in wanted]
    overlap, before = max(map(len, texts)), b""
    for data in utf8(package.stream(part), part) if part else ():
        window = before + data
        if part and any(text in window for text in texts):
            return SharedStrings.read(package.stream(part), part, package.limits)
        before = data[-overlap:]
    return defaultdict(str)


def annotate_workbook(
    source: Path,
    result: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None,
    finish: Finish = "full",
    limits: ReadingLimits = DEFAULT_LIMITS,
) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom, no such sheet), FileProblem, NotAsWritten, OSError.
    """
    with ZipPackage(source, limits) as package:
        book = read_workbook(package)
        plans = [plan_sheet(package, book, book.worksheet(it.sheet), it, finish) for it in sheets]
        changed, styles = _small_parts(package, book, summary, plans)
        with result.open("wb") as out:
            _write(package, Repack(out), plans, changed, styles)
        try:
            check_package(result, package, plans, changed)
        except NotAsWritten:
            # Patterns do not see every mistake in the user's own XML: then it is that.
            for plan in plans:
                deque(_sheet_blocks(package, plan), maxlen=0)
            raise


def is_annotated_workbook(
    path: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None,
    limits: ReadingLimits = DEFAULT_LIMITS,
) -> bool:
    """True if a workbook has our summary, or our headings in one of the sheets.

    Raises FileProblem for what is no workbook.
    """
    with ZipPackage(path, limits) as package:
        book = read_workbook(package)
        if summary is not None and _summary_part(book, summary):
            return True
        return any(
            all(_earlier_columns(package, book, entry, notes).values())
            for notes in sheets
            for entry in book.worksheets
            if entry.name == notes.sheet
        )


def _small_parts(
    package: ZipPackage,
    book: WorkbookParts,
    summary: Summary | None,
    plans: Sequence[SheetPlan],
) -> tuple[dict[str, bytes], FormatIndexes]:
    """All parts but the sheets that are written anew, by name, and where our styles are."""
    parts = BookParts(package, book)
    if book.styles is None:
        data, styles = add_styles(empty_styles(parts.namespace), "styles.xml")
        changed = {parts.add_styles(): data}
    else:
        data, styles = add_styles(read_utf8(package, book.styles), book.styles)
        changed = {book.styles: data}
    if summary is not None:
        name = _summary_part(book, summary) or parts.add_sheet(summary.name)
        changed[name] = summary_sheet(summary, styles, parts.namespace)
    for plan in plans:
        if comments := plan.notes.comments:
            plan.edits = add_cell_notes(parts, package, plan.entry, plan.envelope, comments)
    return changed | parts.changed, styles


def _summary_part(book: WorkbookParts, summary: Summary) -> str | None:
    """The part of an earlier summary; names of sheets differ in more than their case."""
    wanted = summary.name.casefold()
    parts = (entry.part for entry in book.sheets if entry.name.casefold() == wanted)
    return next(parts, None)


def _write(
    package: ZipPackage,
    repack: Repack,
    plans: Sequence[SheetPlan],
    changed: dict[str, bytes],
    styles: FormatIndexes,
) -> None:
    """All members in the order of the source, new ones at the end."""
    sheets = {part_key(plan.entry.part): plan for plan in plans}
    parts = {part_key(name): data for name, data in changed.items()}
    with package.path.open("rb") as file:
        for info in package.infos:
            key = part_key(info.filename)
            if key in sheets:
                repack.write(info, sheets[key].patched(package, styles), LEVEL)
            elif key in parts:
                repack.write(info, (parts[key],))
            else:
                repack.copy(info, file)
    like = package.part(plans[0].entry.part)
    for name, data in changed.items():
        if package.part(name) is None and like is not None:
            repack.write(named(name, like), (data,))
    repack.finish(package.comment)


def check_package(
    path: Path, source: ZipPackage, plans: Collection[SheetPlan], changed: Collection[str]
) -> None:
    """Raise NotAsWritten if a package differs from its source but in these sheets and parts.

    Or if it cannot be read, or does not hold what was to be written.
    """
    sheets = {part_key(plan.entry.part) for plan in plans}
    try:
        with ZipPackage(path, source.limits) as written:
            _check_copies(written, source, sheets | {part_key(name) for name in changed})
            # Excel's own drawings are no XML: it leaves elements open in them.
            for name in (name for name in changed if not name.endswith(".vml")):
                parser = XmlParser(name, source.limits)
                for piece in written.stream(name):
                    parser.feed(piece)
                parser.finish()
            for plan in plans:
                digest = Digest()
                for block in _sheet_blocks(written, plan):
                    columns = (column for column in plan.columns if column < block.width)
                    digest.add_block(block, columns)
                    _check_changed(block, plan)
                digest.require_same(plan.digest, plan.entry.part)
    except FileProblem as problem:
        # It is the copy that cannot be read, not the user's file.
        raise not_as_written(problem.message) from problem


def _check_changed(block: Block, plan: SheetPlan) -> None:
    """Raise NotAsWritten unless each changed cell holds the text that it was given."""
    if not plan.changed:
        return
    cells = Cells(block)
    for position, row in enumerate(block.rows):
        for column, text in plan.changed.get(row, {}).items():
            if cells.at(position, column).text != text:
                raise not_as_written(f"{plan.entry.part}, {letters(column)}{row}")


def _check_copies(written: ZipPackage, source: ZipPackage, anew: Collection[str]) -> None:
    """Raise NotAsWritten unless every copied member has the bytes it had, in the order it had."""
    with written.path.open("rb") as new, source.path.open("rb") as old:
        for place, before in enumerate(source.infos):
            if place == len(written.infos):
                raise not_as_written(before.filename)
            after = written.infos[place]
            is_same = before.orig_filename == after.orig_filename
            if is_same and part_key(before.filename) not in anew:
                pieces = zip(raw(after, new), raw(before, old), strict=True)
                is_same = before.CRC == after.CRC and all(mine == theirs for mine, theirs in pieces)
            if not is_same:
                raise not_as_written(before.filename)


def _sheet_blocks(package: ZipPackage, plan: SheetPlan) -> Iterator[Block]:
    """The rows of an annotated sheet, or of its source, from the headings on."""
    decode = Decoder(SharedStrings, (), date1904=False)
    return XlsxSheet(package, plan.entry, decode).blocks(plan.notes.header_row - 1)
