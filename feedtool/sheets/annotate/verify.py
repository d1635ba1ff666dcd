"""A copy that was written is read again before it takes its place."""

from collections.abc import Collection, Iterator
from pathlib import Path

from feedtool.model.cells import Block
from feedtool.model.errors import FileProblem
from feedtool.sheets.annotate.part_encoding import utf8
from feedtool.sheets.annotate.sheet_plan import SheetPlan
from feedtool.sheets.annotate.zip_copy import raw
from feedtool.sheets.read.cell_decoder import Decoder
from feedtool.sheets.read.package import ZipPackage, part_key
from feedtool.sheets.read.shared_strings import SharedStrings
from feedtool.sheets.read.xlsx import XlsxSheet
from feedtool.sheets.read.xml_parser import hardened_parser, parse
from feedtool.sheets.read_back import Digest, not_as_written


def check_package(
    path: Path, source: ZipPackage, plans: Collection[SheetPlan], changed: Collection[str]
) -> None:
    """Compare a written package with its source and with what was to be written.

    Args:
        path: The package that was written.
        source: The package that it was made from.
        plans: The sheets that were annotated.
        changed: The names of the other parts that were written anew.

    Raises:
        NotAsWritten: They differ in anything else, or it cannot be read.
    """
    try:
        _check_package(path, source, plans, changed)
    except FileProblem as problem:
        # It is the copy that cannot be read, not the user's file.
        raise not_as_written(problem.message) from problem


def _check_package(
    path: Path, source: ZipPackage, plans: Collection[SheetPlan], changed: Collection[str]
) -> None:
    sheets = {part_key(plan.entry.part) for plan in plans}
    anew = sheets | {part_key(name) for name in changed}
    with ZipPackage(path, source.limits) as written:
        _check_copies(written, source, anew)
        for name in changed:
            parser = hardened_parser(name, " ")
            for piece in utf8(written.stream(name), name)[1]:
                parse(parser, piece, name, final=False)
            parse(parser, b"", name, final=True)
        for plan in plans:
            _check_sheet(written, plan)


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


def _check_sheet(written: ZipPackage, plan: SheetPlan) -> None:
    """The sheet is well-formed, and our columns read as they were written."""
    digest = Digest()
    for block in sheet_blocks(written, plan):
        digest.add_block(block, [column for column in plan.columns if column < block.width])
    digest.require_same(plan.digest, plan.entry.part)


def sheet_blocks(package: ZipPackage, plan: SheetPlan) -> Iterator[Block]:
    """The rows of an annotated sheet, or of its source, from the headings on."""
    decode = Decoder(SharedStrings, (), date1904=False)
    return XlsxSheet(package, plan.entry, decode).blocks(plan.notes.header_row - 1)
