"""The behaviour of the sandbox's warehouses."""

from datetime import timedelta

from msgspec import Struct


class InboundBehaviour(Struct, frozen=True):
    """The behaviour of the warehouses. Durations are sandbox time."""

    opening_products: int = 8
    """At most so many products of a seller are referenced when the shop opens; 0 for tests."""
    opening_shipments: int = 8
    """At most so many shipments are there when the shop opens."""
    countries: tuple[str, ...] = ("FR", "GB")
    """Countries of storage that the account is opened for; Spain needs an activation."""
    refuses_unknown: bool = False
    """True if a shipment of an unreferenced product is refused at once ("Errors", rule 6), and not
    later ("Fulfillment", rule 1)."""
    names_created: bool = True
    """True if the answer to a creation says what the shipment is called."""
    visible_after: timedelta = timedelta()
    """A new shipment is listed so much later."""
    created: timedelta = timedelta(seconds=10)
    """The time in Created, and in Referenced."""
    checked: timedelta = timedelta(minutes=1)
    """The time in Referencing, and in Processing."""
    accepted: timedelta = timedelta(days=1)
    """From the acceptance to the appointment."""
    appointed: timedelta = timedelta(days=3)
    """From the appointment to the lorry at the ramp."""
    unloaded: timedelta = timedelta(days=1)
    """The time in InProgress, and in PartiallyDone."""
    never_seen: timedelta = timedelta(days=14)
    """From the appointment to the end of what never arrives."""
