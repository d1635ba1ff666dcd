"""What of parcels waits for the seller: lines of `feedtool todo`."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from feedtool.areas.outbound import wire
from feedtool.areas.outbound.shipments import REJECTED
from feedtool.feeds.area import Wait, lately
from feedtool.model.call import Call, Reply
from feedtool.model.fulfilment_settings import OutboundSettings
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import Unreadable, as_whole


def _read_rejected(settings: OutboundSettings, now: datetime) -> Call:
    return wire.count_shipments(settings, (("status", REJECTED), ("createdAtMin", lately(now))))


def _counted(reply: Reply) -> int:
    count = wire.counted(reply)
    if count is None:
        raise Unreadable(tr("the service does not count outbound shipments"))
    return count


def _read_arrived(now: datetime) -> Call:
    return as_whole(wire.read_returns((("updatedAtMin", lately(now)),)))


def _not_conform(replies: Reply | tuple[Reply, ...]) -> int:
    pages = replies if isinstance(replies, tuple) else (replies,)
    return sum(not it.is_conform for page in pages for it in wire.returns_of(page))


def waits(settings: AccountSettings) -> Iterator[Wait]:
    """Shipments that a warehouse has rejected, and returns that are not as announced."""
    yield Wait(
        "outbound-rejected",
        tr("Parcels rejected"),
        partial(_read_rejected, settings.outbound),
        _counted,
        _shipments,
        ("export", "outbound-shipments", "--status", REJECTED),
    )
    yield Wait(
        "returns-to-look-at",
        tr("Returns to look at"),
        _read_arrived,
        _not_conform,
        _returns,
        ("export", "returns", "--non-conform"),
    )


def _shipments(count: int) -> MessageText:
    return plural("{count:,} shipment", "{count:,} shipments", count)


def _returns(count: int) -> MessageText:
    return plural("{count:,} return", "{count:,} returns", count)
