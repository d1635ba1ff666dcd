"""The rows of a preview: the effect of a plan on each offer, in columns."""

from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.areas.offers import columns
from feedtool.areas.offers.changes.effects import OfferChange
from feedtool.model.nouns import Item
from feedtool.model.text import MessageText, tr

MONEY, WHOLE, PERCENT, TEXT = "#,##0.00", "#,##0", "+0.0%;-0.0%;0.0%", "General"


class PreviewColumn(NamedTuple):
    """A column of the preview."""

    key: str
    label: MessageText
    width: int
    number_format: str = TEXT


COLUMNS = (
    PreviewColumn("row", tr("Row"), 8, WHOLE),
    PreviewColumn(columns.REFERENCE, tr("Your reference"), 26),
    PreviewColumn(columns.CHANNEL, tr("Sales channel"), 16),
    PreviewColumn("change", tr("What happens"), 18),
    PreviewColumn("oldPrice", tr("Old price"), 12, MONEY),
    PreviewColumn("newPrice", tr("New price"), 12, MONEY),
    PreviewColumn("priceChange", tr("Price change"), 13, PERCENT),
    PreviewColumn("oldStock", tr("Old stock"), 11, WHOLE),
    PreviewColumn("newStock", tr("New stock"), 11, WHOLE),
    PreviewColumn("stockChange", tr("Stock change"), 13, WHOLE),
    PreviewColumn("heldBy", tr("Held by"), 24),
    PreviewColumn("file", tr("File"), 30),
)
WORDS = {
    "created": tr("created"),
    "changed": tr("changed"),
    "unchanged": tr("unchanged"),
    "removed": tr("removed"),
    "absent": tr("not there any more"),
    "unknown": tr("not known here"),
    "held": tr("held back"),
}
"""The user's words for a change."""


OPTIONAL = frozenset({"file", "priceChange", "stockChange", "heldBy"})
"""The columns that appear only if a row fills them."""


def change_row(item: Item, change: OfferChange, held_by: str = "") -> dict[str, Any]:
    """Return the row of a preview, with None for unknown; `held_by` lists codes of guards."""
    old, new = _money(change.old_price), _money(change.price)
    is_both_stocks = change.old_stock is not None and change.stock is not None
    return {
        "row": item.row,
        columns.REFERENCE: item.reference,
        columns.CHANNEL: item.channel,
        "change": "held" if held_by else change.effect,
        "oldPrice": old,
        "newPrice": new,
        "priceChange": round((new - old) / old, 4) if old and new is not None else None,
        "oldStock": change.old_stock,
        "newStock": change.stock,
        "stockChange": (change.stock or 0) - (change.old_stock or 0) if is_both_stocks else None,
        "size": str(change.size),
        **({"heldBy": held_by} if held_by else {}),
    }


def _money(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def json_of_row(row: Any) -> dict[str, Any]:
    """Return a row of `changes`, with money as text to keep every cent."""
    keys = [column.key for column in COLUMNS]
    names = [key for key in keys if key not in OPTIONAL or key == "heldBy" in row]
    fields = {name: row.get(name) for name in names}
    return {
        name: str(value) if isinstance(value, Decimal) else value for name, value in fields.items()
    }
