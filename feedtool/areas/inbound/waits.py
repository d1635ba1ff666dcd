"""What waits for the seller at the warehouses."""

from collections.abc import Iterator

from feedtool.areas.inbound import wire
from feedtool.areas.inbound.shipments import REFUSED
from feedtool.feeds.area import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr

RECEIVED = ("PartiallyDone", "Done")


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Shipments that were refused, and those with quantities in dispute."""
    yield Wait(
        "inbound-refused",
        tr("Inbound refused"),
        wire.read_count(("status", REFUSED)),
        wire.counted,
        _shipments,
        ("export", "inbound-shipments", "--status", REFUSED),
    )
    # Nothing counts them.
    yield Wait(
        "inbound-in-dispute",
        tr("Inbound in dispute"),
        wire.read_shipments([("status", ",".join(RECEIVED))]),
        disputed,
        _shipments,
        ("export", "inbound-shipments", "--in-dispute"),
    )


def _shipments(count: int) -> MessageText:
    return plural("{count:,} shipment", "{count:,} shipments", count)


def disputed(reply: Reply) -> int:
    """The shipments of a page with a quantity in dispute."""
    return sum(
        any(item.disputed for item in shipment.items) for shipment in wire.shipments_of(reply)
    )
