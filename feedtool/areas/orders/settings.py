"""Settings of orders."""

from collections.abc import Mapping
from decimal import Decimal

from msgspec import field

from feedtool.model.settings import Settings


class OrderSettings(Settings, frozen=True):
    """Settings of orders; 0 switches a guard off."""

    TABLE = "orders"

    carriers: tuple[str, ...] = ()
    """The names of carriers that are expected; another is a warning. None expects any."""
    carrier: str = ""
    """The carrier of rows that name none."""
    tracking: Mapping[str, str] = field(default_factory=dict)
    """Carrier → its tracking address, with `{parcelNumber}` for the number."""
    shipping_cost_refund: str = ""
    """`yes` or `no` for cancellations without this value; empty if each must have it."""
    line_management: Mapping[str, str] = field(default_factory=dict)
    """salesChannelId → `yes` if single lines may be shipped; `no` refuses parts of an order."""
    gesture_done: tuple[str, ...] = ("Accepted", "Validated", "Success", "Completed", "Done")
    """The service's words for a gesture that was granted."""
    gesture_refused: tuple[str, ...] = ("Rejected", "Refused", "Failure", "Cancelled")
    """The service's words for a gesture that was not granted."""
    accept_within: int = 0
    """Hours in which an order is to be accepted: a deadline is shown; 0 shows none."""
    refusals: Decimal = Decimal(20)
    """Percent of a file's orders that may be refused or cancelled, where these are 5 or more."""
    gestures: Decimal = Decimal(200)
    """The highest sum of the commercial gestures of a file, in its currency."""
    gesture_share: Decimal = Decimal(50)
    """Percent of its line that a gesture may be."""
