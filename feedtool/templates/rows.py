"""Write rows into a workbook shaped like a template, a plain table, or a text file of either."""

import pickle
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self

from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.utils import get_column_letter

from feedtool.feeds.export import KeyedRow, KeyedRows, ListedItem, PlainTable
from feedtool.feeds.template import FIRST_ROW, KEY_ROW, Contents, Field, Need
from feedtool.model.cells import Value
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError
from feedtool.model.files import LISTED
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.atomic_write import atomic_write, cannot_write
from feedtool.sheets.fill import PLAIN, Formats, fill_csv, fill_tabbed, fill_workbook
from feedtool.templates import limits as excel
from feedtool.templates.workbook import LISTS, build, packed, put_header

TEXT_FORMS = {".csv": fill_csv, ".txt": fill_tabbed}
"""Forms of files without sheets, by their endings."""

COPIED_FORMATS = ("yyyy-mm-dd", "0.##%")
"""Formats of copied cells that differ from their column: dates and percentages."""


class SheetRows(NamedTuple):
    contents: Contents | PlainTable
    rows: KeyedRows


class TableRows(list[KeyedRow]):
    """A few rows of a sheet, in memory."""

    @property
    def columns(self) -> Collection[str]:
        return dict.fromkeys(key for row in self for key in row)


ROWS_BETWEEN_STOPS = 1000
"""The number of rows that are read between two checks for a stop."""


class RowBuffer:
    """Rows in the order of their positions; a later one of the same key takes its place.

    Rows of the same position stay in the order in which they came first.

    A list may change while its pages are read, so that one entry is on two of them. The rows are in
    a temporary database, which is gone when the process is.
    """

    def __init__(
        self,
        stopping: Callable[[], FeedtoolError | None] = lambda: None,
        position: Callable[[KeyedRow], float | str] = lambda _: "",
    ) -> None:
        self._stopping, self._position = stopping, position
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute(
            "CREATE TABLE row(key TEXT UNIQUE, cells BLOB NOT NULL, position, thing TEXT)"
        )
        self._db.execute("CREATE INDEX row_by_thing ON row(thing) WHERE thing IS NOT NULL")
        self._db.execute("BEGIN")
        self.columns: dict[str, None] = {}
        """The keys of the columns that any row fills, in the order of their first row."""

    def put_thing(self, thing: ListedItem) -> None:
        """Add the rows of a thing in place of its former rows, if any."""
        self._db.execute("DELETE FROM row WHERE thing = ?", (thing.key,))
        for row in thing.rows:
            self.put(None, row, thing.key)

    def put(self, key: str | None, row: KeyedRow, thing: str | None = None) -> None:
        """Add a row, or replace the one with the same key; None never replaces."""
        filled = {name: value for name, value in row.items() if value is not None and value != ""}
        self.columns.update(dict.fromkeys(filled))
        self._db.execute(
            "INSERT INTO row VALUES (?, ?, ?, ?)"
            " ON CONFLICT(key) DO UPDATE SET cells = excluded.cells",
            (key, pickle.dumps(filled), self._position(row), thing),
        )

    def clear(self) -> None:
        self._db.execute("DELETE FROM row")
        self.columns.clear()

    def __len__(self) -> int:
        (count,) = self._db.execute("SELECT COUNT(*) FROM row").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[KeyedRow]:
        """Yield all rows; raise the error of `stopping`."""
        rows = self._db.execute("SELECT cells FROM row ORDER BY position, rowid")
        for number, (cells,) in enumerate(rows):
            if number % ROWS_BETWEEN_STOPS == 0 and (reason := self._stopping()):
                raise reason
            yield pickle.loads(cells)  # noqa: S301  # our own file, which no one else sees

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()


def write(
    target: Path,
    sheets: Sequence[SheetRows],
    limits: ReadingLimits,
    *,
    copies_cells: bool = False,
    is_private: bool = False,
    on_whole: Callable[[Path], None] = lambda _: None,
) -> Sequence[str]:
    """Write rows under the columns of their sheets into a file, which is replaced atomically.

    Either all sheets are plain tables or no sheet is; a .csv or .txt gets the first sheet alone.
    Returns the names of the sheets of a workbook, which differ; none for another file.

    With `copies_cells` cells of another file keep their formats of dates and percentages. `limits`
    count when the workbook is read again. `on_whole` is called with the finished file, before it
    replaces the target.

    Raises:
        UsageProblem: the file cannot be written, or the rows do not fit in it.
        NotAsWritten: the file does not read back as it was written.
    """
    contents, rows = sheets[0]
    opened = atomic_write(target, on_whole, is_private=is_private)
    if fill_text := TEXT_FORMS.get(target.suffix.lower()):
        fields = [
            field for field in contents.fields if not field.is_folded or field.key in rows.columns
        ]
        has_labels = isinstance(contents, PlainTable) and contents.has_labels
        heads = [field.label if has_labels else field.key for field in fields]
        with opened as place, _naming(target, place):
            fill_text(place, heads, _values(rows, fields))
        return ()
    with temporary_folder() as folder:
        book = _empty_book(sheets, copies_cells=copies_cells)
        (empty := folder / "empty.xlsx").write_bytes(book.content)
        filled = {
            name: _values(sheet.rows, sheet.contents.fields)
            for name, sheet in zip(book.names, sheets, strict=True)
        }
        with opened as place, _naming(target, place):
            fill_workbook(empty, place, filled, limits, book.formats)
    return book.names


class EmptyBook(NamedTuple):
    """A workbook without its rows."""

    content: bytes
    names: Sequence[str]
    """The sheets to fill."""
    formats: Formats


def _empty_book(sheets: Sequence[SheetRows], *, copies_cells: bool) -> EmptyBook:
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


@lru_cache(maxsize=4)
def empty_template(*contents: Contents, copies_cells: bool) -> EmptyBook:
    """Return a template's workbook; cached, since it takes longer to make than to fill."""
    book = build(*contents)
    formats = PLAIN
    if copies_cells:
        # Empty cells of the hidden sheet declare the formats, so that other cells can use them.
        lists = book[LISTS]
        last = lists.max_row + 1
        styles = []
        for column, number_format in enumerate(COPIED_FORMATS, start=1):
            cell = lists.cell(last, column)
            cell.number_format = number_format
            styles.append(cell.style_id)
        formats = Formats(*styles)
    content, names = packed(book), book.sheetnames
    return EmptyBook(content, tuple(names[-1 - len(contents) : -1]), formats)


def _add_table(book: Workbook, table: Contents | PlainTable, count: int) -> None:
    """Add a sheet with the header of a plain table of `count` rows."""
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
def _naming(target: Path, temporary: Path) -> Iterator[None]:
    """Name the target, not the temporary file, in errors of the system."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(temporary)):
            raise
        raise cannot_write(target, error) from error


def _values(rows: KeyedRows, fields: Sequence[Field]) -> Iterator[list[Value]]:
    keys = [field.key for field in fields]
    return ([row.get(key) for key in keys] for row in rows)
