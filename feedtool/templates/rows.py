"""Writes rows: into a workbook of a template's shape, or a plain table, or a CSV of the same."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.utils import get_column_letter

from feedtool.feeds.export import KeyedRow, KeyedRows, PlainTable
from feedtool.feeds.template import FIRST_ROW, KEY_ROW, Contents, Need
from feedtool.model.cells import Value
from feedtool.model.limits import ReadingLimits
from feedtool.model.markers import LISTED
from feedtool.model.spool import temporary_folder
from feedtool.sheets.atomic_write import atomic_write, cannot_write
from feedtool.sheets.fill import PLAIN, Formats, fill_csv, fill_tabbed, fill_workbook
from feedtool.templates import limits as excel
from feedtool.templates.workbook import LISTS, build, packed, put_header

CSV = ".csv"
TEXT_FORMS = {CSV: fill_csv, ".txt": fill_tabbed}
"""Forms of files without sheets, by their endings."""

COPIED_FORMATS = ("yyyy-mm-dd", "0.##%")
"""Of cells of another file that do not look like their column: dates and percentages."""


class SheetRows(NamedTuple):
    """A sheet, and what goes into it."""

    contents: Contents | PlainTable
    rows: KeyedRows


class TableRows:
    """The few rows of a sheet, from memory."""

    def __init__(self, rows: Sequence[KeyedRow]) -> None:
        self._rows = rows
        self.columns = dict.fromkeys(key for row in rows for key in row)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[KeyedRow]:
        return iter(self._rows)


class WrittenRows(NamedTuple):
    """The place of the rows of the first sheet."""

    sheet: str | None
    """None in a CSV."""
    header_row: int
    rows: int


def is_csv(target: Path) -> bool:
    """True if the name asks for a CSV."""
    return target.suffix.lower() == CSV


def write(
    target: Path,
    sheets: Sequence[SheetRows],
    limits: ReadingLimits,
    *,
    copies_cells: bool = False,
    is_private: bool = False,
    on_whole: Callable[[Path], None] = lambda _: None,
) -> WrittenRows:
    """Write rows under the columns of their sheets, into a file that is replaced whole.

    The sheets are all plain tables, or none is; a .csv and a .txt hold the first. `limits` says
    how far a workbook is unpacked by whoever reads it; with `copies_cells` cells of another file
    keep their dates and percentages; with `is_private` a new file is its owner's alone. `on_whole`
    is called with the finished file, before it takes its place.

    Raises:
        UsageProblem: the file cannot be written, or has no room for them.
        NotAsWritten: it does not read back as it was written.
    """
    contents, rows = sheets[0]
    opened = atomic_write(target, on_whole, is_private=is_private)
    if fill_text := TEXT_FORMS.get(target.suffix.lower()):
        keys = [
            field.key
            for field in contents.fields
            if not field.is_folded or field.key in rows.columns
        ]
        with opened as place, _naming(target, place):
            fill_text(place, _heads(contents, keys), _values(rows, keys))
        return WrittenRows(None, 1, len(rows))
    with temporary_folder() as folder:
        book, other = folder / "1.xlsx", folder / "2.xlsx"
        empty = _empty_book(sheets, copies_cells=copies_cells)
        book.write_bytes(empty.content)
        names, formats = empty.names, empty.formats
        with opened as place, _naming(target, place):
            for number, (name, sheet) in enumerate(zip(names, sheets, strict=True), start=1):
                into = place if number == len(sheets) else other
                keys = [field.key for field in sheet.contents.fields]
                fill_workbook(book, into, name, _values(sheet.rows, keys), limits, formats)
                book, other = other, book
    return WrittenRows(contents.sheet, KEY_ROW, len(rows))


def unfolded(contents: Contents, columns: Collection[str], kept: Collection[str] = ()) -> Contents:
    """Contents whose filled columns are all in sight, but for those in `kept`."""
    shown = set(columns).difference(kept)
    fields = (
        replace(field, is_folded=field.is_folded and field.key not in shown)
        for field in contents.fields
    )
    return replace(contents, fields=tuple(fields))


class EmptyBook(NamedTuple):
    """A workbook without its rows."""

    content: bytes
    names: Sequence[str]
    """The sheets that rows go into."""
    formats: Formats


def _empty_book(sheets: Sequence[SheetRows], *, copies_cells: bool) -> EmptyBook:
    """The workbook without its rows."""
    contents = [sheet.contents for sheet in sheets if isinstance(sheet.contents, Contents)]
    if contents:
        return empty_template(*contents, copies_cells=copies_cells)
    book = Workbook()
    book.remove(book.worksheets[0])
    for table, rows in sheets:
        _add_table(book, table, len(rows))
    table = sheets[0].contents
    if isinstance(table, PlainTable) and table.export:
        entry = StringProperty(name=LISTED, value=table.export)
        book.custom_doc_props.append(entry)  # type: ignore[attr-defined]  # the stubs lag
    return EmptyBook(packed(book), book.sheetnames, PLAIN)


@lru_cache(maxsize=16)
def empty_template(*contents: Contents, copies_cells: bool) -> EmptyBook:
    """A template's workbook, which takes longer to make than to fill with a few rows."""
    book = build(*contents)
    formats = PLAIN
    if copies_cells:
        # Cells that hold nothing, of a sheet that nobody sees: they make formats known.
        lists = book[LISTS]
        last = lists.max_row + 1
        styles = []
        for column, number_format in enumerate(COPIED_FORMATS, start=1):
            cell = lists.cell(last, column)
            cell.number_format = number_format
            styles.append(cell.style_id)
        formats = Formats(*styles)
    content, names = packed(book), book.sheetnames
    return EmptyBook(content, names[-1 - len(contents) : -1], formats)


def _add_table(book: Workbook, table: Contents | PlainTable, count: int) -> None:
    """Adds a sheet with the header of a plain table of so many rows."""
    sheet = book.create_sheet(table.sheet)
    last = ""
    for column, field in enumerate(table.fields, start=1):
        put_header(sheet, column, field, Need.ALWAYS)
        last = get_column_letter(column)
        excel.shape(sheet, last, field.entry.width)
        sheet.column_dimensions[last].number_format = field.entry.number_format
    sheet.freeze_panes = f"B{FIRST_ROW}"
    sheet.auto_filter.ref = f"A{KEY_ROW}:{last}{KEY_ROW + count}"


@contextmanager
def _naming(target: Path, place: Path) -> Iterator[None]:
    """Tells the system's refusals by the name of the file that was asked for."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(place)):
            raise
        raise cannot_write(target, error) from error


def _heads(contents: Contents | PlainTable, keys: Sequence[str]) -> Sequence[str]:
    """The header of a text file."""
    if not isinstance(contents, PlainTable) or not contents.has_labels:
        return keys
    labels = {field.key: field.label for field in contents.fields}
    return [labels[key] for key in keys]


def _values(rows: KeyedRows, keys: Sequence[str]) -> Iterator[list[Value]]:
    return ([row.get(key) for key in keys] for row in rows)
