"""The sheet: rows of an order are one parcel, and a row may go to several channels."""

from collections.abc import Sequence
from decimal import Decimal

from feedtool.feeds.columns.number import Whole
from feedtool.feeds.columns.text import Reference, Text
from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings
from tests.areas.toy.wire import DELIVERY

NEEDED = ("order", "toy", "quantity")

COLUMNS = tuple(
    Column(key, cell_type, (label,) * 3, (text,) * 3, example)
    for key, cell_type, label, text, example in (
        ("order", Reference(), "Order number", "Rows of an order are one parcel.", "O-1"),
        ("toy", Text(), "Name of the toy", "What is in it.", "Kite"),
        ("quantity", Whole(least=Decimal(1)), "Number of toys", "How many.", "2"),
        ("channels", Text(), "Sales channels", "Blank is the usual one.", "FIRST SECOND"),
    )
)


def columns(_: AccountSettings) -> tuple[Column, ...]:
    """All columns, in order."""
    return COLUMNS


def missing(sheet: SheetColumns) -> list[str]:
    """The keys that a header must have and this one has not."""
    return [key for key in NEEDED if key not in sheet.fields]


def split(row: Row) -> Sequence[Row]:
    """A row for each channel that it names."""
    channels = str(row.values.get("channels") or row.channel).split()
    return [row._replace(channel=channel) for channel in channels]


def request(*rows: Row) -> dict[str, object]:
    """A parcel of the toys of an order."""
    toys = [{"toy": row.values["toy"], "quantity": row.values["quantity"]} for row in rows]
    return {"order": rows[0].values["order"], "channel": rows[0].channel, "toys": toys}


FEED = Feed(
    kind="toy-parcels",
    area="tests.areas.toy",
    sheet="Parcels",
    package_type="Parcel",
    summary="Parcels of toys.",
    columns=columns,
    understood=columns,
    missing=missing,
    required=lambda row: row.blanks(NEEDED),
    group_by=("order",),
    split=split,
    request=request,
    reference="order",
    delivery=DELIVERY,
)
