"""The behaviour of the sandbox's warehouses with parcels."""

from datetime import timedelta

from msgspec import Struct


class OutboundBehaviour(Struct, frozen=True):
    """The behaviour with outbound shipments and returns. Durations are sandbox time."""

    has_past: bool = True
    """True if a shop that opens has sent parcels already."""
    decided_after: timedelta = timedelta(minutes=1)
    """From the creation of a shipment to its acceptance, or rejection."""
    begun_after: timedelta = timedelta(hours=1)
    """From the acceptance to the preparation."""
    prepared_after: timedelta = timedelta(hours=4)
    """From there to the dispatch."""
    completed_after: timedelta = timedelta(days=1)
    """From the first parcel to the last of several."""
    delivered_after: timedelta = timedelta(days=2)
    """From the dispatch to the customer."""
    cancelled_after: timedelta = timedelta(hours=2)
    """Until the logistics partner has decided on a cancellation."""
    label_after: timedelta = timedelta(minutes=12)
    """From the request of a return to its label."""
    without_label: int = 404
    """The answer without a label: 404, or 200 with an empty body."""
    visible_after: timedelta = timedelta()
    """A new shipment, or return, is shown so much later."""
    countries: tuple[str, ...] = ("FR", "ES", "GB")
    """Countries with warehouses that the seller may use."""
