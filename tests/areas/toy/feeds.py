"""The sheet: rows of an order are one parcel, and a row may go to several channels."""

from collections.abc import Sequence
from decimal import Decimal

from feedtool.feeds.columns.number import Whole
from feedtool.feeds.columns.text import Reference, Text
from feedtool.feeds.feed import Feed, Recognition, Requests, Row, SheetDesign, Travel, always
from feedtool.model.cells import Column
from tests.areas.toy.settings import ToySettings
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


def split(row: Row) -> Sequence[Row]:
    """A row for each channel that it names."""
    channels = str(row.values.get("channels") or row.channel).split()
    return [row._replace(channel=channel) for channel in channels]


def request(*rows: Row) -> dict[str, object]:
    """A parcel of the toys of an order."""
    toys = [{"toy": row.values["toy"], "quantity": row.values["quantity"]} for row in rows]
    settings = rows[0].sheet.context.settings.of(ToySettings)
    return {
        "order": rows[0].values["order"],
        "channel": rows[0].channel,
        "wrapping": settings.wrapping,
        "toys": toys,
    }


FEED = Feed(
    kind="toy-parcels",
    area="tests.areas.toy",
    summary="Parcels of toys.",
    sheet=SheetDesign(name="Parcels", columns=always(*COLUMNS)),
    recognition=Recognition(needs=NEEDED),
    requests=Requests(
        make=request, reference="order", required=NEEDED, group_by=("order",), split=split
    ),
    travel=Travel(package_type="Parcel", protocol=DELIVERY),
)
