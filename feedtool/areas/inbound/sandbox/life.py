"""What becomes of a shipment to a warehouse: part "Inbound shipment" of the specification.

Its states are shown there, its transitions are not. These are

    Created → Referencing → Referenced → Processing → Accepted → AppointmentScheduled
            → InProgress → (PartiallyDone →) Done

and Referencing → Refused where a product is unknown, AppointmentScheduled → AutomaticallyDone where
nothing arrives.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any, NamedTuple

from feedtool.areas.inbound.sandbox.behaviour import InboundBehaviour
from feedtool.areas.inbound.sandbox.products import referenced_pair
from feedtool.sandbox.state import stamp

CREATED, REFERENCING, REFERENCED = "Created", "Referencing", "Referenced"
PROCESSING, ACCEPTED, REFUSED = "Processing", "Accepted", "Refused"
APPOINTED, IN_PROGRESS = "AppointmentScheduled", "InProgress"
PARTIALLY_DONE, DONE, AUTOMATICALLY_DONE = "PartiallyDone", "Done", "AutomaticallyDone"
STATUSES = (
    *(CREATED, REFERENCING, REFERENCED, PROCESSING, ACCEPTED, REFUSED, APPOINTED),
    *(IN_PROGRESS, PARTIALLY_DONE, DONE, AUTOMATICALLY_DONE),
)

EVERY_DISPUTED, EVERY_LOST = 4, 9
"""Of one in so many shipments a piece is in dispute; one in so many never arrives."""


class Stay(NamedTuple):
    """How long a shipment stays in a state, and which comes next."""

    time: Callable[[InboundBehaviour], timedelta]
    next: str


STAYS: Mapping[str, Stay] = {
    CREATED: Stay(lambda of: of.created, REFERENCING),
    REFERENCING: Stay(lambda of: of.checked, REFERENCED),
    REFERENCED: Stay(lambda of: of.created, PROCESSING),
    PROCESSING: Stay(lambda of: of.checked, ACCEPTED),
    ACCEPTED: Stay(lambda of: of.accepted, APPOINTED),
    APPOINTED: Stay(lambda of: of.appointed, IN_PROGRESS),
    IN_PROGRESS: Stay(lambda of: of.unloaded, DONE),
    PARTIALLY_DONE: Stay(lambda of: of.unloaded, DONE),
}


def unknown_items(db: Connection, seller: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those items whose products no warehouse knows."""
    pairs = ((item["gtin"], item["productCondition"]) for item in items)
    known = [referenced_pair(db, seller, *pair) for pair in pairs]
    return [item for item, product in zip(items, known, strict=True) if product is None]


def following(db: Connection, seller: str, number: int, shipment: Mapping[str, Any]) -> str | None:
    """The state that a shipment goes into by itself; None where it stays as it is."""
    status = shipment["status"]
    if status == REFERENCING and unknown_items(db, seller, shipment["items"]):
        return REFUSED
    if status == APPOINTED and number % EVERY_LOST == 0:
        return AUTOMATICALLY_DONE
    if status == IN_PROGRESS and number % EVERY_DISPUTED == 0:
        return PARTIALLY_DONE
    return STAYS[status].next if status in STAYS else None


def due(
    number: int, shipment: Mapping[str, Any], at: datetime, behaviour: InboundBehaviour
) -> datetime | None:
    """When a shipment goes on that has been in its state since a time."""
    status = shipment["status"]
    if status not in STAYS:
        return None
    is_lost = status == APPOINTED and number % EVERY_LOST == 0
    return at + (behaviour.never_seen if is_lost else STAYS[status].time(behaviour))


def move(
    db: Connection, seller: str, number: int, shipment: dict[str, Any], at: datetime
) -> dict[str, Any]:
    """The shipment after it has gone on by itself."""
    status = following(db, seller, number, shipment)
    moved = {**shipment, "status": status, "updatedAt": stamp(at)}
    if status == REFUSED:
        unknown = unknown_items(db, seller, shipment["items"])
        names = ("gtin", "productCondition")
        products = [{name: item[name] for name in names} for item in unknown]
        return {**moved, "refuseDetail": {"reasons": ["UnknownProduct"], "products": products}}
    if status == ACCEPTED:
        return {**moved, "hasDeliveryNote": True}
    if status in {PARTIALLY_DONE, DONE} and shipment["status"] == IN_PROGRESS:
        lacking = status == PARTIALLY_DONE
        items = [
            _received(item, int(lacking and not at_)) for at_, item in enumerate(shipment["items"])
        ]
        return {**moved, "items": items, "receptionDate": stamp(at)}
    return moved


def _received(item: dict[str, Any], disputed: int) -> dict[str, Any]:
    return {
        **item,
        "receivedQuantity": item["quantity"] - disputed,
        "inDisputeQuantity": disputed,
    }
