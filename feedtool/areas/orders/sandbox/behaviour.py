"""The behaviour of the sandbox's orders."""

from datetime import timedelta

from msgspec import Struct


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
