"""States of orders: part "Order and line" (states) of the specification, as plain functions.

An order's status follows from its lines': it is the least advanced of those that are not cancelled.
Where the specification shows no name or no time, the field's practice fills the gap.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox.exchange import SandboxSettings
from feedtool.sandbox.state import stamp

# The behaviour of the sandbox's orders.


class OrderBehaviour(Struct, frozen=True):
    """Settings of the sandbox's orders. All durations are sandbox time."""

    customers_every: timedelta = timedelta(hours=6)
    """Time between customers; 0: no customers, and no orders of the past."""
    opening: int = 24
    """The largest number of orders when a seller's shop opens."""
    accept_within: timedelta = timedelta(hours=48)
    """The time that an order waits for the seller's acceptance."""
    expired_as: str = "Cancelled"
    """The status of an order that waited in vain."""
    cancel_after: timedelta = timedelta(seconds=30)
    """From the request to the cancellation."""
    gesture_after: timedelta = timedelta(seconds=60)
    """From the request of a commercial gesture to the decision on it."""
    gesture_amount: float = 20
    """The largest sum of the gestures on an order, unless the rate gives more."""
    gesture_rate: float = 15
    """In percent of what the order's lines cost that are not cancelled."""
    gesture_channels: tuple[str, ...] | None = None
    """The channels with commercial gestures; None: all."""
    visible_after: timedelta = timedelta()
    """A change shows so much later, but with the time when it happened."""
    addresses: str = "always"
    """Or "in-preparation", the announced change (part "Versioning", 3)."""
    line_management: tuple[str, ...] | None = None
    """The channels where single lines can be shipped or cancelled; None: all."""

    def manages_lines(self, channel: str) -> bool:
        """True if an order of the channel need not be shipped or cancelled as a whole."""
        return self.line_management is None or channel in self.line_management

    def allows_gestures(self, channel: str) -> bool:
        return self.gesture_channels is None or channel in self.gesture_channels


PROCESSING, WAITING, ACCEPTED = "Processing", "WaitingAcceptance", "Accepted"
REFUSED, IN_PREPARATION, CANCEL_REQUEST = "Refused", "InPreparation", "CancelRequest"
SHIPPED, DELIVERED, CANCELLED, REJECTED = "Shipped", "Delivered", "Cancelled", "Rejected"
STATUSES = (
    *(PROCESSING, WAITING, ACCEPTED, REFUSED, IN_PREPARATION),
    *(SHIPPED, DELIVERED, CANCELLED, REJECTED),
)
"""The statuses of orders; only a line can be a CancelRequest."""

PROGRESS = (PROCESSING, WAITING, ACCEPTED, CANCEL_REQUEST, IN_PREPARATION, SHIPPED, DELIVERED)
OPEN = (IN_PREPARATION, CANCEL_REQUEST)
"""The statuses of lines that can be shipped."""

FAILS_CONTROLS = "fails the controls"
CUSTOMER_CANCELS = "the customer cancels"
"""Fates of orders."""

PROCESSED = timedelta(minutes=2)
CONTROLLED = timedelta(minutes=10)
REGRETTED = timedelta(hours=3)
UNANSWERED = timedelta(days=2)
PACKED = timedelta(days=1)
CARRIED = timedelta(days=2)
UNTRACKED = "NotTrackedHomeDelivery"


def status_of(lines: Iterable[Mapping[str, Any]]) -> str:
    """The status of an order with these lines."""
    going_on = [line["status"] for line in lines if line["status"] != CANCELLED]
    if not going_on:
        return CANCELLED
    status = min(going_on, key=lambda name: PROGRESS.index(name) if name in PROGRESS else -1)
    return IN_PREPARATION if status == CANCEL_REQUEST else str(status)


def follow(order: StoredOrder, now: datetime, behaviour: OrderBehaviour) -> None:
    """Let the order follow its lines, which have changed at this time."""
    before, status = order.status, status_of(order.lines)
    if status == SHIPPED != before:
        order.document["shippedAt"] = stamp(now)
    order.document |= {"status": status, "updatedAt": stamp(now)}
    # Where only a line changes, the order keeps its time, unless it was the line's.
    if order.next_at is None or status != before or status == IN_PREPARATION:
        wait = next_change(order, behaviour)
        order.next_at = None if wait is None else stamp(now + wait)


def next_change(order: StoredOrder, behaviour: OrderBehaviour) -> timedelta | None:
    """The time from an order's last change to the next one that it makes by itself."""
    is_tracked = order.lines[0]["delivery"]["mode"] != UNTRACKED
    waits = {
        PROCESSING: PROCESSED,
        WAITING: behaviour.accept_within,
        ACCEPTED: CONTROLLED,
        IN_PREPARATION: _wait_in_preparation(order),
        SHIPPED: CARRIED if is_tracked else None,
    }
    return waits.get(order.status)


def _wait_in_preparation(order: StoredOrder) -> timedelta | None:
    statuses = {line["status"] for line in order.lines}
    if not order.is_shipped_by_seller:
        return PACKED
    if CANCEL_REQUEST in statuses:
        return UNANSWERED
    return REGRETTED if order.fate == CUSTOMER_CANCELS and statuses == {IN_PREPARATION} else None


def move(order: StoredOrder, status: str, now: datetime, behaviour: OrderBehaviour) -> None:
    """Bring every line of the order that is not cancelled to a status."""
    for line in order.lines:
        if line["status"] != CANCELLED:
            line["status"] = status
    follow(order, now, behaviour)


def pack(order: StoredOrder) -> None:
    """Give the lines that are not cancelled a parcel of the warehouse's, or of the past."""
    for line in order.lines:
        if line["status"] != CANCELLED:
            line["parcels"] = [parcel(f"8R{order.number:09d}FR", "Colissimo", None)]


def parcel(number: str, carrier: str, url: str | None) -> dict[str, Any]:
    names = {"parcelNumber": number, "carrierName": carrier, "trackingUrl": url}
    return {**names, "trackingId": number}


def _processed(order: StoredOrder, now: datetime, settings: SandboxSettings) -> None:
    """Only the primary channel lets the seller accept, and only what the seller ships."""
    is_asked = order.channel == settings.primary_channel and order.is_shipped_by_seller
    move(order, WAITING if is_asked else ACCEPTED, now, settings.of(OrderBehaviour))


def _expired(order: StoredOrder, now: datetime, settings: SandboxSettings) -> None:
    behaviour = settings.of(OrderBehaviour)
    move(order, behaviour.expired_as, now, behaviour)


def _controlled(order: StoredOrder, now: datetime, settings: SandboxSettings) -> None:
    status = REJECTED if order.fate == FAILS_CONTROLS else IN_PREPARATION
    move(order, status, now, settings.of(OrderBehaviour))


def _in_preparation(order: StoredOrder, now: datetime, settings: SandboxSettings) -> None:
    """The warehouse ships, the customer regrets, or the channel cancels what the customer did."""
    behaviour = settings.of(OrderBehaviour)
    unanswered = [line for line in order.lines if line["status"] == CANCEL_REQUEST]
    if not order.is_shipped_by_seller:
        pack(order)
        move(order, SHIPPED, now, behaviour)
    elif unanswered:
        cancel(order, unanswered, now, behaviour)
    else:
        request_cancellation(order, order.lines[0], now, behaviour)


def cancel(
    order: StoredOrder, lines: Iterable[dict[str, Any]], now: datetime, behaviour: OrderBehaviour
) -> None:
    """Cancel some lines of an order."""
    for line in lines:
        line["status"] = CANCELLED
    follow(order, now, behaviour)


def request_cancellation(
    order: StoredOrder, line: dict[str, Any], now: datetime, behaviour: OrderBehaviour
) -> None:
    """Let the customer ask for a line's cancellation; the order stays InPreparation."""
    line["status"] = CANCEL_REQUEST
    follow(order, now, behaviour)


BY_ITSELF: dict[str, Callable[[StoredOrder, datetime, SandboxSettings], None]] = {
    PROCESSING: _processed,
    WAITING: _expired,
    ACCEPTED: _controlled,
    IN_PREPARATION: _in_preparation,
    SHIPPED: lambda order, now, settings: move(order, DELIVERED, now, settings.of(OrderBehaviour)),
}
"""The change of an order of each status at its `next_at`; the other statuses are final."""
