"""A copy that was written is read again before it takes its place."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from xml.parsers import expat

from feedtool.model.cells import letters
from feedtool.model.errors import FileProblem
from feedtool.sheets.annotate.parser_patch import RowParser
from feedtool.sheets.annotate.part_encoding import utf8
from feedtool.sheets.annotate.pattern_patch import Blocks
from feedtool.sheets.annotate.row_edit import RawRow
from feedtool.sheets.annotate.sheet_plan import SheetPlan
from feedtool.sheets.annotate.tag_patterns import NotCanonical
from feedtool.sheets.annotate.zip_copy import raw
from feedtool.sheets.read.package import ZipPackage, part_key
from feedtool.sheets.read.xml_parser import hardened_parser, parse
from feedtool.sheets.read_back import Digest, not_as_written

_LETTERS = ascii_uppercase.encode()


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
    try:
        digest = _read_blocks(_stream(written, plan), plan)
    except NotCanonical:
        digest = _read_events(_stream(written, plan), plan)
    if plan.digest is None:
        raise not_as_written(plan.entry.part)
    digest.require_same(plan.digest, plan.entry.part)


def _stream(written: ZipPackage, plan: SheetPlan) -> Iterator[bytes]:
    return utf8(written.stream(plan.entry.part), plan.entry.part)[1]


def _read_blocks(stream: Iterator[bytes], plan: SheetPlan) -> Digest:
    """By patterns, while a parser watches over the whole. Raises NotCanonical."""
    if not plan.scan.is_canonical:
        raise NotCanonical
    digest = Digest()
    blocks = Blocks(stream)
    our_cells = _our_cell(plan.columns, blocks.tags.prefix).findall
    is_above = True
    parser = hardened_parser(plan.entry.part)
    try:
        parser.Parse(blocks.head, False)
        for block in blocks:
            parser.Parse(block, False)
            cells = our_cells(block)
            if is_above:
                cells = [cell for cell in cells if _row_of(cell) >= plan.notes.header_row]
                is_above = not cells
            digest.add(cells)
        parser.Parse(blocks.tail, True)
    except expat.ExpatError as error:
        raise not_as_written(f"{plan.entry.part} ({error})") from error
    return digest


def _read_events(stream: Iterator[bytes], plan: SheetPlan) -> Digest:
    """By a parser, which says where the cells are."""
    digest = Digest()
    for row in RowParser(stream, plan.entry.part, plan.scan.limits):
        if not isinstance(row, RawRow) or row.number < plan.notes.header_row:
            continue
        pattern = _our_cell(plan.columns, row.prefix)
        for cell in row.cells:
            if cell.is_used and cell.column in plan.columns:
                written = pattern.fullmatch(row.data, cell.start, cell.end)
                if written is None:
                    raise not_as_written(f"{plan.entry.part}, row {row.number}")
                digest.add((written[0],))
    return digest


@lru_cache(16)
def _our_cell(columns: tuple[int, ...], prefix: bytes) -> re.Pattern[bytes]:
    """A cell as we write it."""
    names = b"|".join(letters(column).encode() for column in sorted(columns))
    markup = (
        rb'<%(p)bc r="(?:%(names)b)[0-9]+" s="[0-9]+" t="inlineStr"><%(p)bis>'
        rb'<%(p)bt(?: xml:space="preserve")?>[^<]*</%(p)bt></%(p)bis></%(p)bc>'
    )
    return re.compile(markup % {b"p": re.escape(prefix), b"names": names})


def _row_of(cell: bytes) -> int:
    """The row of a cell as we write it, which holds its reference between the first quotes."""
    reference = cell.split(b'"', 2)[1]
    return int(reference.lstrip(_LETTERS))
