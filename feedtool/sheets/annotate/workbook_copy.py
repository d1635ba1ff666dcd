"""Write the annotated copy of a workbook: some parts are patched, all others copied unchanged."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZipInfo

from feedtool.model.cells import Block, Cells, letters
from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.annotate.cell_formats import FormatIndexes, add_styles, empty_styles
from feedtool.sheets.annotate.notes import Finish, SheetNotes, Summary
from feedtool.sheets.annotate.sheet_plan import SheetPlan, header_rows, plan_sheet
from feedtool.sheets.annotate.workbook_parts import BookParts, read_utf8, summary_sheet
from feedtool.sheets.annotate.zip_copy import Repack, compressed, new_member
from feedtool.sheets.atomic_write import Digest, NotAsWritten, not_as_written
from feedtool.sheets.read.cell_decoder import Decoder, SharedStrings
from feedtool.sheets.read.package import ZipPackage, part_key
from feedtool.sheets.read.sheet_rows import WIDEST
from feedtool.sheets.read.workbook import WorkbookParts, read_workbook
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import XmlParser


def annotate_workbook(
    source: Path,
    result: Path,
    sheets: Sequence[SheetNotes],
    summary: Summary | None,
    finish: Finish,
    limits: ReadingLimits,
) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom, no such sheet), FileProblem, NotAsWritten, OSError.
    """
    with ZipPackage(source, limits) as package:
        book = read_workbook(package)
        plans = [
            plan_sheet(package, book, book.worksheet(notes.sheet), notes, finish)
            for notes in sheets
        ]
        parts = BookParts(package, book)
        for plan in plans:
            plan.prepare(package, parts)
        styles = _add_styles_and_summary(package, book, parts, summary, plans)
        with TemporaryFile() as patched, result.open("wb") as out:
            side = Repack(patched)
            # The sheets first: parts that precede them in the package depend on them.
            members = {
                part_key(plan.entry.part): side.write(
                    info, plan.patched(package, parts, styles, summary), is_sheet=True
                )
                for plan in plans
                if (info := package.part(plan.entry.part))
            }
            _write(package, Repack(out), parts, members, patched)
        try:
            check_package(result, package, plans, parts)
        except NotAsWritten:
            # Patterns do not find every fault in the user's XML; the parser reports it here.
            for plan in plans:
                deque(_sheet_blocks(package, plan), maxlen=0)
            raise


def is_annotated_workbook(
    path: Path, sheets: Sequence[SheetNotes], summary: Summary | None, limits: ReadingLimits
) -> bool:
    """True if a workbook has our summary, or our headings in one of the sheets.

    Raises FileProblem if it is no workbook.
    """
    with ZipPackage(path, limits) as package:
        book = read_workbook(package)
        if summary is not None and _summary_part(book, summary):
            return True
        return any(
            header_rows(package, book, entry, notes).columns
            for notes in sheets
            for entry in book.worksheets
            if entry.name == notes.sheet
        )


def _add_styles_and_summary(
    package: ZipPackage,
    book: WorkbookParts,
    parts: BookParts,
    summary: Summary | None,
    plans: Sequence[SheetPlan],
) -> FormatIndexes:
    """Add our styles and the summary to the parts, and return the indexes of our styles."""
    if book.styles is None:
        data, styles = add_styles(empty_styles(parts.namespace), "styles.xml")
        parts.changed[parts.add_styles()] = data
    else:
        data, styles = add_styles(read_utf8(package, book.styles), book.styles)
        parts.changed[book.styles] = data
    if summary is not None:
        name = _summary_part(book, summary) or parts.add_sheet(summary.name)
        statuses = {plan.entry.name: plan.columns[0] for plan in plans}
        parts.changed[name] = summary_sheet(summary, styles, parts.namespace, statuses)
    return styles


def _summary_part(book: WorkbookParts, summary: Summary) -> str | None:
    """Return the part of an earlier summary; names of sheets are compared without case."""
    name = summary.name.casefold()
    parts = (entry.part for entry in book.sheets if entry.name.casefold() == name)
    return next(parts, None)


def _write(
    package: ZipPackage,
    repack: Repack,
    parts: BookParts,
    sheets: Mapping[str, ZipInfo],
    patched: IO[bytes],
) -> None:
    """Write the members in the order of the source, new ones last; `sheets` are in `patched`."""
    changed = {part_key(name): data for name, data in parts.changed.items()}
    like = package.infos[0]
    with package.path.open("rb") as file:
        for info in package.infos:
            key = part_key(info.filename)
            if key in sheets:
                repack.copy(sheets[key], patched)
                like = info
            elif key in parts.dropped:
                continue
            elif key in changed:
                repack.write(info, (changed[key],))
            else:
                repack.copy(info, file)
    for name, data in parts.changed.items():
        if package.part(name) is None or part_key(name) in parts.dropped:
            repack.write(new_member(name, like), (data,))
    repack.finish(package.comment)


def check_package(
    path: Path, source: ZipPackage, plans: Collection[SheetPlan], parts: BookParts
) -> None:
    """Raise NotAsWritten if a package differs from its source in other sheets or parts.

    Or if it cannot be read, or lacks a text that was written.
    """
    sheets = {part_key(plan.entry.part) for plan in plans}
    try:
        with ZipPackage(path, source.limits) as written:
            anew = sheets | {part_key(name) for name in parts.changed}
            _check_copies(written, source, anew, parts.dropped)
            for name in parts.changed:
                parser = XmlParser(name, source.limits)
                for piece in written.stream(name):
                    parser.feed(piece)
                parser.finish()
            for plan in plans:
                digest = Digest()
                for block in _sheet_blocks(written, plan):
                    digest.add_rows(block, plan.columns)
                    _check_changed(block, plan)
                digest.require_same(plan.digest, plan.entry.part)
    except FileProblem as problem:
        # The copy cannot be read, not the user's file.
        raise not_as_written(problem.message) from problem


def _check_changed(block: Block, plan: SheetPlan) -> None:
    """Raise NotAsWritten unless each changed cell has its new text."""
    if not plan.changed:
        return
    cells = Cells(block)
    for position, row in enumerate(block.rows):
        for column, text in plan.changed.get(row, {}).items():
            if cells.at(position, column).text != text:
                raise not_as_written(f"{plan.entry.part}, {letters(column)}{row}")


def _check_copies(
    written: ZipPackage, source: ZipPackage, anew: Collection[str], dropped: Collection[str]
) -> None:
    """Raise NotAsWritten unless every copied member has its old bytes and its old place."""
    kept = [info for info in source.infos if part_key(info.filename) not in dropped]
    with written.path.open("rb") as new, source.path.open("rb") as old:
        for place, before in enumerate(kept):
            if place == len(written.infos):
                raise not_as_written(before.filename)
            after = written.infos[place]
            is_same = before.orig_filename == after.orig_filename
            if is_same and part_key(before.filename) not in anew:
                pieces = zip(compressed(after, new), compressed(before, old), strict=True)
                is_same = before.CRC == after.CRC and all(left == right for left, right in pieces)
            if not is_same:
                raise not_as_written(before.filename)


def _sheet_blocks(package: ZipPackage, plan: SheetPlan) -> Iterator[Block]:
    """Yield the rows of an annotated sheet, or of its source, from the headings on."""
    decode = Decoder(SharedStrings, (), date1904=False)
    first = 0 if plan.changed else min(plan.columns)
    width = max(plan.scan.used, *plan.columns) + 1
    sheet = XlsxSheet(package, plan.entry, decode, first, width if width <= WIDEST else 0)
    return sheet.blocks(plan.notes.header_row - 1)
