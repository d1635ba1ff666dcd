"""What waits for the seller at the warehouses."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from feedtool.areas.inbound import wire
from feedtool.areas.inbound.shipments import REFUSED
from feedtool.feeds.area import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import as_whole, counted

RECEIVED = ("PartiallyDone", "Done")
RECENT = timedelta(days=30)
"""What was told longer ago waits for nobody."""


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Shipments that were refused, and those with quantities in dispute."""
    yield Wait(
        "inbound-refused",
        tr("Inbound refused"),
        lambda now: wire.read_count(("status", REFUSED), ("updatedAtMin", _recent(now))),
        counted,
        _shipments,
        ("export", "inbound-shipments", "--status", REFUSED),
    )
    # Nothing counts them.
    yield Wait(
        "inbound-in-dispute",
        tr("Inbound in dispute"),
        lambda now: as_whole(
            wire.read_shipments([("status", ",".join(RECEIVED)), ("updatedAtMin", _recent(now))])
        ),
        disputed,
        _shipments,
        ("export", "inbound-shipments", "--in-dispute"),
    )


def _recent(now: datetime) -> str:
    return (now - RECENT).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _shipments(count: int) -> MessageText:
    return plural("{count:,} shipment", "{count:,} shipments", count)


def disputed(replies: Reply | tuple[Reply, ...]) -> int:
    """The shipments of a list with a quantity in dispute."""
    pages = replies if isinstance(replies, tuple) else (replies,)
    shipments = (shipment for page in pages for shipment in wire.shipments_of(page))
    return sum(any(item.disputed for item in shipment.items) for shipment in shipments)
