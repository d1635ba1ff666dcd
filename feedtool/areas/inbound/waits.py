"""What waits for the seller at the warehouses."""

from collections.abc import Iterator

from feedtool.areas.inbound import wire
from feedtool.areas.inbound.shipments import REFUSED
from feedtool.feeds.area import Wait, lately
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import as_whole, counted

RECEIVED = ("PartiallyDone", "Done")


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Shipments that were refused, and those with quantities in dispute."""
    yield Wait(
        "inbound-refused",
        tr("Inbound refused"),
        lambda now: wire.read_count(("status", REFUSED), ("updatedAtMin", lately(now))),
        counted,
        _shipments,
        ("export", "inbound-shipments", "--status", REFUSED),
    )
    # Nothing counts them.
    yield Wait(
        "inbound-in-dispute",
        tr("Inbound in dispute"),
        lambda now: as_whole(
            wire.read_shipments([("status", ",".join(RECEIVED)), ("updatedAtMin", lately(now))])
        ),
        disputed,
        _shipments,
        ("export", "inbound-shipments", "--in-dispute"),
    )


def _shipments(count: int) -> MessageText:
    return plural("{count:,} shipment", "{count:,} shipments", count)


def disputed(replies: Reply | tuple[Reply, ...]) -> int:
    """The shipments of a list with a quantity in dispute."""
    pages = replies if isinstance(replies, tuple) else (replies,)
    shipments = (shipment for page in pages for shipment in wire.shipments_of(page))
    return sum(any(item.disputed for item in shipment.items) for shipment in shipments)
