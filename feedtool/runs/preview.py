"""A preview of a plan: a row for each offer, with what would happen to it, the biggest first."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from feedtool.areas.offers.changes.effects import TYPES, Change, OpenAccepted, change_of, looked_up
from feedtool.delivery.plan import Plan
from feedtool.feeds.export import PlainTable
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.limits import ReadingLimits
from feedtool.model.nouns import Item
from feedtool.model.text import MessageText, Translator, tr
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.export import RowBuffer
from feedtool.templates.rows import SheetRows, write

MONEY, WHOLE, PERCENT, TEXT = "#,##0.00", "#,##0", "+0.0%;-0.0%;0.0%", "General"
SHEET = "Changes"


class PreviewColumn(NamedTuple):
    """A column of the preview."""

    key: str
    label: MessageText
    width: int
    number_format: str = TEXT


COLUMNS = (
    PreviewColumn("row", tr("Row"), 8, WHOLE),
    PreviewColumn("sellerExternalReference", tr("Your reference"), 26),
    PreviewColumn("salesChannelId", tr("Sales channel"), 16),
    PreviewColumn("change", tr("What happens"), 18),
    PreviewColumn("oldPrice", tr("Old price"), 12, MONEY),
    PreviewColumn("newPrice", tr("New price"), 12, MONEY),
    PreviewColumn("priceChange", tr("Price change"), 13, PERCENT),
    PreviewColumn("oldStock", tr("Old stock"), 11, WHOLE),
    PreviewColumn("newStock", tr("New stock"), 11, WHOLE),
    PreviewColumn("stockChange", tr("Stock change"), 13, WHOLE),
    PreviewColumn("file", tr("File"), 30),
)
WORDS = {
    "created": tr("created"),
    "changed": tr("changed"),
    "unchanged": tr("unchanged"),
    "removed": tr("removed"),
    "absent": tr("not there any more"),
    "unknown": tr("not known here"),
}
"""The words for a change, as people read them."""


@dataclass(slots=True)
class Preview:
    """What the rows of a plan would do, by the file and sheet that they stand in."""

    open_accepted: OpenAccepted
    _sheets: dict[tuple[str, str | None], RowBuffer]

    def add(self, plan: Plan) -> None:
        """Look up what all rows of a plan would do."""
        for sheet in plan.sent:
            rows = self._sheets.setdefault((sheet.file, sheet.sheet), RowBuffer())
            uploads = (upload.items for _, upload in plan.uploads(sheet))
            for item, (offer, _, quantity) in looked_up(uploads, self.open_accepted):
                if item.package_type in TYPES:
                    change = change_of(item, offer, quantity)
                    rows.put(None, _row(item, change), change.size)

    def attach(self, results: Sequence[SheetResult]) -> None:
        """Show the changes of each sheet in its result."""
        for result in results:
            rows = self._sheets.get((result.checked.file, result.checked.sheet))
            result.changes = () if rows is None else map(_as_json, rows)

    def write(self, target: Path, limits: ReadingLimits, say: Translator) -> int:
        """Write the workbook of all changes; how many there are."""
        with RowBuffer() as rows:
            for (file, _), changes in self._sheets.items():
                name = {"file": file} if len(self._sheets) > 1 else {}
                for row in changes:
                    what, size = row["change"], row["size"]
                    said = {"change": say(WORDS[str(what)]), **name}
                    rows.put(None, {**row, **said}, float(str(size)))
            fields = [
                Field(it.key, say(it.label), "", CellEntry(it.number_format, it.width))
                for it in COLUMNS
                if it.key in rows.columns or it.key not in {"file", "priceChange", "stockChange"}
            ]
            table = PlainTable(SHEET, fields)
            return write(target, [SheetRows(table, rows)], limits).rows


@contextmanager
def preview_of(open_accepted: OpenAccepted) -> Iterator[Preview]:
    """A preview, for as long as its rows are needed."""
    sheets: dict[tuple[str, str | None], RowBuffer] = {}
    try:
        yield Preview(open_accepted, sheets)
    finally:
        for rows in sheets.values():
            rows.__exit__()


def _row(item: Item, change: Change) -> dict[str, Any]:
    """The row of a preview; whatever is not known is None."""
    old, new = _money(change.old_price), _money(change.price)
    is_both_stocks = change.old_stock is not None and change.stock is not None
    return {
        "row": item.row,
        "sellerExternalReference": item.reference,
        "salesChannelId": item.channel,
        "change": change.what,
        "oldPrice": old,
        "newPrice": new,
        "priceChange": round((new - old) / old, 4) if old and new is not None else None,
        "oldStock": change.old_stock,
        "newStock": change.stock,
        "stockChange": (change.stock or 0) - (change.old_stock or 0) if is_both_stocks else None,
        "size": str(change.size),
    }


def _money(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _as_json(row: Any) -> dict[str, Any]:
    """A row of `changes`: money as text, so that no cent is lost."""
    names = [it.key for it in COLUMNS if it.key not in {"file", "priceChange", "stockChange"}]
    fields = {name: row.get(name) for name in names}
    return {
        name: str(value) if isinstance(value, Decimal) else value for name, value in fields.items()
    }
