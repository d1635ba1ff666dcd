"""A preview of a plan: its rows with the change that each makes, the biggest first."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.delivery.plan import Plan
from feedtool.feeds.export import KeyedRow, PlainTable
from feedtool.feeds.memory import ChangeColumn, Changes, OpenAccepted
from feedtool.feeds.template import CellEntry, Field
from feedtool.ledger.database import CHUNK
from feedtool.model.limits import ReadingLimits
from feedtool.model.nouns import Item, Status
from feedtool.model.text import Translator, tr
from feedtool.report.sheet_result import SheetResult
from feedtool.templates.rows import RowBuffer, SheetRows, write

SHEET = tr("Changes")
FILE = ChangeColumn("file", tr("File"), 30, is_optional=True)
"""The file of a row, if there are several; behind the columns of the change."""


class Preview(Struct):
    """The changes that the rows of a plan would make, by file and sheet."""

    changes: Changes
    open_accepted: OpenAccepted
    _sheets: dict[tuple[str, str | None], RowBuffer]

    def add(self, plan: Plan) -> None:
        """Look up the changes of all rows of a plan, and of those that guards hold."""
        for sheet in plan.sheets:
            if sheet.error:
                continue
            rows = self._sheets.setdefault((sheet.file, sheet.sheet), _largest_first())
            held = {
                (result.row, result.channel): ", ".join(
                    message.code for message in result.messages if message.code
                )
                for result in sheet.selected.withheld or ()
                if result.status is Status.HELD
            }
            others = (item for item in sheet.rows.items if held.get((item.row, item.channel)))
            sent = () if plan.blocked else (upload.items for _, upload in plan.uploads(sheet))

            def next_held(items: Iterator[Item] = others) -> list[Item]:
                return [*islice(items, CHUNK)]

            every = chain(sent, iter(next_held, []))
            for row in self.changes.rows(every, self.open_accepted, held):
                rows.put(None, row)

    def attach(self, results: Sequence[SheetResult]) -> None:
        for result in results:
            rows = self._sheets.get((result.checked.file, result.checked.sheet))
            result.changes = () if rows is None else map(self._as_json, rows)

    def _as_json(self, row: KeyedRow) -> dict[str, Any]:
        """Return a row of `changes`, with money as text to keep every cent."""
        fields = {
            column.key: row.get(column.key)
            for column in self.changes.columns
            if not column.is_optional or (column.key == "heldBy" and "heldBy" in row)
        }
        return {
            key: str(value) if isinstance(value, Decimal) else value
            for key, value in fields.items()
        }

    def write(self, target: Path, limits: ReadingLimits, say: Translator) -> int:
        """Write the workbook of all changes, and return their number."""
        with _largest_first() as rows:
            for (file, _), changes in self._sheets.items():
                name = {FILE.key: file} if len(self._sheets) > 1 else {}
                for row in changes:
                    texts = {"change": say(self.changes.words[str(row["change"])]), **name}
                    rows.put(None, {**row, **texts})
            fields = [
                Field(
                    column.key, say(column.label), "", CellEntry(column.number_format, column.width)
                )
                for column in (*self.changes.columns, FILE)
                if column.key in rows.columns or not column.is_optional
            ]
            table = PlainTable(say(SHEET), fields, has_labels=True)
            write(target, [SheetRows(table, rows)], limits)
            return len(rows)


def _largest_first() -> RowBuffer:
    return RowBuffer(position=lambda row: -float(str(row["size"])))


@contextmanager
def preview_of(open_accepted: OpenAccepted) -> Iterator[Preview]:
    """Yield a preview; its rows are dropped at the end."""
    sheets: dict[tuple[str, str | None], RowBuffer] = {}
    try:
        yield Preview(load().memory.changes, open_accepted, sheets)
    finally:
        for rows in sheets.values():
            rows.__exit__()
