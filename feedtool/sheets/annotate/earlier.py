"""Where an earlier annotation of the sheet stands: found by its headings."""

from collections.abc import Iterable, Iterator

from feedtool.sheets.annotate.coding import utf8
from feedtool.sheets.annotate.outline import Node, fragment
from feedtool.sheets.annotate.rows import RawRow
from feedtool.sheets.escapes import spreadsheet_text
from feedtool.sheets.markup import whole
from feedtool.sheets.package import Package
from feedtool.sheets.strings import SharedStrings
from feedtool.sheets.workbook import WorkbookParts


def earlier_columns(
    package: Package, book: WorkbookParts, header: RawRow | None, headings: tuple[str, str, str]
) -> dict[str, list[int]]:
    """The columns (0-based) under each of our headings. Raises CorruptXml."""
    columns: dict[str, list[int]] = {heading: [] for heading in headings}
    cells = list(_header_cells(header)) if header else []
    strings = None
    if any(kind == "s" for _, kind, _ in cells) and _may_hold(package, book, headings):
        part = book.shared_strings or ""
        strings = SharedStrings.read(package.stream(part), part, package.limits)
    for column, kind, text in cells:
        shown = text
        if kind == "s":
            index = whole(text)
            shown = strings[index] if strings and index is not None else ""
        if shown.strip() in columns:
            columns[shown.strip()].append(column)
    return columns


def _header_cells(header: RawRow) -> Iterator[tuple[int, str, str]]:
    """Column, type and text (or index) of each cell in the row of the headings."""
    row = fragment(header.data, "header")
    # Those that the sheet's own reading found: another namespace may have a `c` too.
    places = {place.start: place for place in header.cells}
    for cell in row.children:
        place = places.get(cell.start)
        if place is None:
            continue
        kind = cell.attributes.get("t", "n")
        value = cell.child("v")
        if kind == "inlineStr":
            yield place.column, kind, spreadsheet_text(_inline_text(cell))
        elif value is not None:
            yield place.column, kind, value.text if kind == "s" else spreadsheet_text(value.text)


def _inline_text(cell: Node) -> str:
    runs = [
        text.text
        for inline in cell.all("is")
        for run in inline.children
        for text in ([run] if run.name == "t" else run.all("t") if run.name == "r" else [])
    ]
    return "".join(runs)


def _may_hold(package: Package, book: WorkbookParts, texts: Iterable[str]) -> bool:
    """Whether one of our headings is among the shared strings.

    Most workbooks never saw us: looking through the bytes spares reading the texts.
    """
    if book.shared_strings is None:
        return False
    wanted = [text.encode() for text in texts]
    overlap = max(map(len, wanted))
    _, stream = utf8(package.stream(book.shared_strings), book.shared_strings)
    before = b""
    for piece in stream:
        window = before + piece
        if any(text in window for text in wanted):
            return True
        before = piece[-overlap:]
    return False
