"""The columns of an earlier annotation of a sheet, known by its headings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from feedtool.sheets.annotate.notes import SheetNotes
from feedtool.sheets.annotate.part_encoding import utf8
from feedtool.sheets.read.cell_decoder import Decoder
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.shared_strings import SharedStrings
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts
from feedtool.sheets.read.xlsx import XlsxSheet


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
    """Whether one of the texts stands in a part.

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
