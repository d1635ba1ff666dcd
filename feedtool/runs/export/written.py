"""The file: a workbook of a template's shape, or of a plain table, or a CSV of the same columns."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from openpyxl import Workbook

from feedtool.model.cells import letters
from feedtool.model.limits import Limits
from feedtool.model.spool import temporary_folder
from feedtool.runs.export.gathered import Gathered
from feedtool.sheets.atomic_write import atomic_write, cannot_write
from feedtool.sheets.fill import Value, fill_csv, fill_workbook
from feedtool.templates import limits as excel
from feedtool.templates import look
from feedtool.templates.contents import Contents, Need
from feedtool.templates.workbook import FIRST_ROW, KEY_ROW, LABEL_ROW, build, save

CSV = ".csv"
ENDINGS = (".xlsx", CSV)


def is_csv(target: Path) -> bool:
    """Whether the name asks for a CSV."""
    return target.suffix.lower() == CSV


def write(target: Path, contents: Contents, rows: Gathered, limits: Limits) -> int:
    """Write the rows under the columns of a template; the number of the row with the keys.

    In a workbook what is folded away is shown if any row fills it, unless all rows have the same
    to say there; a CSV leaves such columns out where they are empty.

    Raises:
        UsageProblem: the file cannot be written, or has no room for them.
        NotAsWritten: it does not read back as it was written.
    """
    if is_csv(target):
        keys = [
            field.key
            for field in contents.fields
            if field.key in rows.columns or not field.is_folded
        ]
        return _write_csv(target, keys, rows)
    keys = [field.key for field in contents.fields]
    _write_workbook(target, build(contents), contents.sheet, _values(rows, keys), limits)
    return KEY_ROW


class Head(NamedTuple):
    """The head of a column of a plain table."""

    key: str
    label: str
    width: float
    number_format: str


def write_table(
    target: Path, name: str, heads: Sequence[Head], rows: Gathered, limits: Limits
) -> int:
    """Write a plain table, to be looked at and filtered; the number of the row with the keys.

    Raises what `write` raises.
    """
    keys = [head.key for head in heads]
    if is_csv(target):
        return _write_csv(target, keys, rows)
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = name
    for column, head in enumerate(heads, start=1):
        label = excel.put(sheet, LABEL_ROW, column, head.label)
        label.fill, label.font = look.HEADER_FILLS[Need.ALWAYS], look.header_font(Need.ALWAYS)
        label.alignment, label.border = look.HEADER_ALIGNMENT, look.HEADER_GAP
        key = excel.put(sheet, KEY_ROW, column, head.key)
        key.font, key.fill, key.border = look.KEY_FONT, look.KEY_FILL, look.LINE
        excel.shape(sheet, letters(column - 1), head.width)
        sheet.column_dimensions[letters(column - 1)].number_format = head.number_format
    sheet.freeze_panes = f"B{FIRST_ROW}"
    sheet.auto_filter.ref = f"A{KEY_ROW}:{letters(len(heads) - 1)}{KEY_ROW + len(rows)}"
    _write_workbook(target, book, name, _values(rows, keys), limits)
    return KEY_ROW


def _write_csv(target: Path, keys: Sequence[str], rows: Gathered) -> int:
    with atomic_write(target) as place, _telling(target, place):
        fill_csv(place, keys, _values(rows, keys))
    return 1


def _write_workbook(
    target: Path, book: Workbook, sheet: str, rows: Iterator[list[Value]], limits: Limits
) -> None:
    with atomic_write(target) as place, temporary_folder() as folder:
        empty = folder / "empty.xlsx"
        save(book, empty)
        with _telling(target, place):
            fill_workbook(empty, place, sheet, rows, limits)


@contextmanager
def _telling(target: Path, place: Path) -> Iterator[None]:
    """A refusal of the system's is told of the file that was asked for."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(place)):
            raise
        raise cannot_write(target, error) from error


def unfolded(contents: Contents, rows: Gathered, kept: frozenset[str]) -> Contents:
    """Contents whose filled columns are all in sight, but for those in `kept`."""
    fields = tuple(
        replace(
            field,
            is_folded=field.is_folded and (field.key not in rows.columns or field.key in kept),
        )
        for field in contents.fields
    )
    return replace(contents, fields=fields)


def _values(rows: Gathered, keys: Sequence[str]) -> Iterator[list[Value]]:
    return ([row.get(key) for key in keys] for row in rows)
