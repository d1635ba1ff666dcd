"""The annotated copy of a workbook: patched where ours goes in, copied as it is everywhere else."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from feedtool.model.cells import Block
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.cell_formats import FormatIndexes, add_styles, empty_styles
from feedtool.sheets.annotate.notes import SheetNotes, Summary
from feedtool.sheets.annotate.part_encoding import utf8
from feedtool.sheets.annotate.sheet_plan import SheetPlan, earlier_columns, plan_sheet
from feedtool.sheets.annotate.workbook_parts import BookParts, SmallPart, summary_sheet
from feedtool.sheets.annotate.zip_copy import LEVEL, Repack, named, raw
from feedtool.sheets.read.cell_decoder import Decoder
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage, part_key
from feedtool.sheets.read.shared_strings import SharedStrings
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts, read_workbook
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import XmlParser
from feedtool.sheets.read_back import Digest, NotAsWritten, not_as_written


def annotate_workbook(
    source: Path,
    result: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None,
    limits: ReadingLimits = DEFAULT_LIMITS,
) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom, no such sheet), FileProblem, NotAsWritten, OSError.
    """
    with ZipPackage(source, limits) as package:
        book = read_workbook(package)
        plans = [plan_sheet(package, book, _entry(book, notes), notes) for notes in sheets]
        changed, styles = _small_parts(package, book, summary)
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
            all(earlier_columns(package, book, entry, notes).values())
            for notes in sheets
            for entry in book.sheets
            if entry.name == notes.sheet and entry.is_worksheet
        )


def _entry(book: WorkbookParts, notes: SheetNotes) -> SheetEntry:
    for entry in book.sheets:
        if entry.name == notes.sheet and entry.is_worksheet:
            return entry
    raise UsageProblem(
        f"The workbook has no sheet “{notes.sheet}”.",
        "Its sheets are " + ", ".join(repr(entry.name) for entry in book.sheets) + ".",
    )


def _small_parts(
    package: ZipPackage, book: WorkbookParts, summary: Summary | None
) -> tuple[dict[str, bytes], FormatIndexes]:
    """All parts but the sheets that are written anew, by name, and where our styles are."""
    parts = BookParts(package, book)
    if book.styles is None:
        data, styles = add_styles(empty_styles(parts.namespace()), "styles.xml")
        changed = {parts.add_styles(): data}
    else:
        small = SmallPart.read(package, book.styles)
        small.data, styles = add_styles(small.data, small.name)
        changed = {small.name: small.encoded()}
    if summary is not None:
        name = _summary_part(book, summary) or parts.add_sheet(summary.name)
        changed[name] = summary_sheet(summary, styles, parts.namespace())
    return changed | parts.changed(), styles


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
    anew = sheets | {part_key(name) for name in changed}
    try:
        with ZipPackage(path, source.limits) as written:
            _check_copies(written, source, anew)
            for name in changed:
                parser = XmlParser(name, source.limits)
                for piece in utf8(written.stream(name), name)[1]:
                    parser.feed(piece)
                parser.finish()
            for plan in plans:
                digest = Digest()
                for block in _sheet_blocks(written, plan):
                    columns = (column for column in plan.columns if column < block.width)
                    digest.add_block(block, columns)
                digest.require_same(plan.digest, plan.entry.part)
    except FileProblem as problem:
        # It is the copy that cannot be read, not the user's file.
        raise not_as_written(problem.message) from problem


def _check_copies(written: ZipPackage, source: ZipPackage, anew: Collection[str]) -> None:
    """Every copied member has the bytes it had, in the order it had."""
    with written.path.open("rb") as new, source.path.open("rb") as old:
        for before, after in zip(source.infos, written.infos, strict=False):
            if before.orig_filename != after.orig_filename:
                raise not_as_written(before.filename)
            if part_key(before.filename) in anew:
                continue
            if before.CRC != after.CRC or any(
                mine != theirs
                for mine, theirs in zip(raw(after, new), raw(before, old), strict=True)
            ):
                raise not_as_written(before.filename)


def _sheet_blocks(package: ZipPackage, plan: SheetPlan) -> Iterator[Block]:
    """The rows of an annotated sheet, or of its source, from the headings on."""
    decode = Decoder(SharedStrings, (), date1904=False)
    return XlsxSheet(package, plan.entry, decode).blocks(plan.notes.header_row - 1)
