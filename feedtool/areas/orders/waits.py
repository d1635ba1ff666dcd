"""What of orders waits for the seller: lines of `feedtool todo`."""

from collections.abc import Iterator
from datetime import UTC, timedelta

from feedtool.areas.orders import wire
from feedtool.areas.orders.listing import PREPARING, WAITING, to_do
from feedtool.feeds.export import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, moment

SELLERS = (("status", PREPARING), ("supplyMode", wire.SELLER))


def waits(settings: AccountSettings) -> Iterator[Wait]:
    """Orders to accept, cancellations that customers ask for, orders to ship."""
    waiting = ("status", WAITING)
    yield Wait(
        "to-accept",
        tr("To accept"),
        wire.read_count(waiting),
        counted,
        _orders,
        ("export", "orders", "--status", WAITING),
        wire.read_orders((waiting, ("sort", "createdAt"))),
        lambda reply: oldest(reply, settings.orders.accept_within),
    )
    # Nothing counts them. An order that a customer wants to cancel has just changed.
    yield Wait(
        "to-cancel",
        tr("Customers cancel"),
        wire.read_orders((*SELLERS, ("sort", "updatedAt"), ("desc", "updatedAt"))),
        cancelling,
        _orders,
        ("export", "orders", "--to-do"),
    )
    yield Wait(
        "to-ship",
        tr("To ship"),
        wire.read_count(*SELLERS),
        counted,
        _orders,
        ("export", "shipments"),
        wire.read_orders((*SELLERS, ("sort", "createdAt"))),
        oldest,
    )


def _orders(count: int) -> MessageText:
    return plural("{count:,} order", "{count:,} orders", count)


def cancelling(reply: Reply) -> int:
    """The orders of a page with a line that its customer wants to cancel."""
    return sum(to_do(order) == "cancel" for order in wire.orders_of(reply))


def oldest(reply: Reply, hours: int = 0) -> str:
    """By when the first order of a page is due, if so many hours are known, else its age."""
    created = [moment(order.document.get("createdAt")) for order in wire.orders_of(reply)]
    first = min((at.astimezone(UTC) for at in created if at), default=None)
    if first is None:
        return ""
    if not hours:
        return tr("the oldest of {at} UTC", at=f"{first:%Y-%m-%d %H:%M}")
    return tr("the first by {at} UTC", at=f"{first + timedelta(hours=hours):%Y-%m-%d %H:%M}")
