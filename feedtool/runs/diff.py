"""The differences between what two sheets would send, offer by offer, or product by product."""

import json
import pickle
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.feeds.export import PlainTable
from feedtool.feeds.feed import ACTION
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.cells import Cell, Kind
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import INVALID, CheckedSheet
from feedtool.model.text import Translator, tr
from feedtool.runs.row_notes import refused_rows
from feedtool.runs.workspace import Workspace, check_again, options_of
from feedtool.templates.rows import RowBuffer, SheetRows, write

Values = Mapping[str, str]

COLUMNS = (
    ("reference", tr("Reference"), 26),
    ("channel", tr("Channel"), 16),
    ("rowA", tr("Row in A"), 10),
    ("rowB", tr("Row in B"), 10),
    ("field", tr("Field"), 34),
    ("a", "A", 26),
    ("b", "B", 26),
)
SHEET = tr("Differences")


class Difference(NamedTuple):
    """The difference of a reference on a channel; the row of a side without it is None."""

    reference: str
    channel: str
    row_a: int | None
    row_b: int | None
    fields: Mapping[str, tuple[str | None, str | None]]
    """Both values by the column's key; empty if only one side has the reference."""


class Diff(NamedTuple):
    """The differences between two sides."""

    differences: Spool[Difference]
    same: int
    invalid: int
    """The number of rows of both sides that cannot be sent, and are not compared."""


def sheets_of_file(file: Input, reading: ReadOptions) -> list[CheckedSheet]:
    """Return the sheets of a file; raise the error of an unreadable one."""
    return _readable(check([file], reading, load()))


def sheets_of_run(run: int, workspace: Workspace) -> list[CheckedSheet]:
    """Return the sheets of an earlier run, from its snapshots; UsageProblem for no such run."""
    return _readable(check_again(options_of(run, workspace), workspace))


def _readable(sheets: list[CheckedSheet]) -> list[CheckedSheet]:
    for sheet in sheets:
        if sheet.error:
            raise sheet.error
    return sheets


def compare(
    before: Sequence[CheckedSheet], after: Sequence[CheckedSheet], settings: AccountSettings
) -> Diff:
    """Return the differences between the valid rows of two sides, in the order of the second.

    A reference whose row is invalid on one side is not compared.
    """
    differences, same = Spool(Difference), 0
    invalid_before, invalid_after = map(_invalid, (before, after))
    with closing(sqlite3.connect("", isolation_level=None)) as db:
        db.execute("CREATE TABLE row(channel, reference, number, fields BLOB)")
        db.execute("CREATE UNIQUE INDEX row_by_key ON row(channel, reference)")
        db.execute("BEGIN")
        for item, values in _rows(before, settings):
            row = (item.channel, item.reference, item.row, pickle.dumps(values))
            db.execute("INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)", row)
        for item, values in _rows(after, settings):
            key = (item.channel, item.reference)
            take_row = (
                "DELETE FROM row WHERE channel = ? AND reference = ? RETURNING number, fields"
            )
            old = db.execute(take_row, key).fetchone()
            if old is None:
                if key in invalid_before:
                    continue
                differences.append(Difference(item.reference, item.channel, None, item.row, {}))
                continue
            fields = _changed_fields(pickle.loads(old[1]), values)  # noqa: S301  # our own, in memory
            if fields:
                differences.append(
                    Difference(item.reference, item.channel, old[0], item.row, fields)
                )
            same += not fields
        for channel, reference, number in db.execute(
            "SELECT channel, reference, number FROM row ORDER BY number"
        ):
            if (channel, reference) not in invalid_after:
                differences.append(Difference(reference, channel, number, None, {}))
    invalid = sum(sheet.rows.marks.count(INVALID) for sheet in (*before, *after))
    return Diff(differences, same, invalid)


def _invalid(sheets: Iterable[CheckedSheet]) -> set[tuple[str, str]]:
    """Return the channels and references of the rows that cannot be sent."""
    return {
        (row.channel, row.reference)
        for sheet in sheets
        for row in refused_rows(sheet)
        if row.reference
    }


def _rows(
    sheets: Iterable[CheckedSheet], settings: AccountSettings
) -> Iterator[tuple[Item, Values]]:
    """Yield the valid rows, each with its values by the column's key."""
    feeds = load().feeds
    for sheet in sheets:
        form = feeds[sheet.kind or ""].json
        if form is None:
            raise UsageProblem(
                tr("{kind} cannot be compared", kind=sheet.kind),
                tr("turn it into another kind with `feedtool convert --to KIND`"),
            )
        for item in sheet.valid_items():
            read = form.cells(json.loads(item.body, parse_float=Decimal), settings)
            left = {path: json.dumps(value, default=str) for path, value in read.left}
            cells = {key: _text(cell) for key, cell in read.cells.items()}
            yield item, {ACTION: item.package_type, **cells, **left}


def _text(cell: Cell) -> str:
    """Return the text of a cell; equal numbers give the same text."""
    if cell.kind is not Kind.NUMBER:
        return cell.text
    number = Decimal(cell.text)
    return f"{number.normalize():f}"


def _changed_fields(old: Values, new: Values) -> dict[str, tuple[str | None, str | None]]:
    names = dict.fromkeys((*old, *new))
    pairs = {name: (old.get(name), new.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def write_diff(diff: Diff, target: Path, limits: ReadingLimits, say: Translator) -> None:
    """Write a workbook or CSV with a row for each field that differs."""
    with RowBuffer() as rows:
        for difference in diff.differences:
            place = {
                "reference": difference.reference,
                "channel": difference.channel,
                "rowA": difference.row_a,
                "rowB": difference.row_b,
            }
            for field, (before, after) in (difference.fields or {"": (None, None)}).items():
                rows.put(None, {**place, "field": field, "a": before, "b": after})
        fields = [
            Field(key, say(label), "", CellEntry("General", width)) for key, label, width in COLUMNS
        ]
        write(target, [SheetRows(PlainTable(say(SHEET), fields, has_labels=True), rows)], limits)
