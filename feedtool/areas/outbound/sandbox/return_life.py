"""What returns do by themselves: referenced, accepted, labelled, received, looked at.

Parts "Return" and "Fulfillment", rule 5.
"""

from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any, NamedTuple

from feedtool.areas.outbound.sandbox import life, store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.store import StoredParcel
from feedtool.sandbox.state import moment_of, stamp

SORT = "return"
CREATED, REFERENCING, REFERENCED, ACCEPTED = "Created", "Referencing", "Referenced", "Accepted"
PENDING, COMPLETED, LABELLED = "Pending", "Completed", "labelled"
CUSTOMER, CARRIER = "Customer", "Carrier"
CUSTOMER_REASONS = ("ReferenceError", "Damaged", "Retraction", "UnpackingDefect")
CARRIER_REASONS = ("Undeliverable", "CustomerRefusal", "TransportDamage", "NotRetrieved")

EVERY_NONCONFORM = 4
EVERY_UNEXPECTED = 6
EVERY_CARRIER, CARRIER_REMAINDER = 9, 3
"""One in so many shipments that were sent comes back with the carrier."""


class ReturnStation(NamedTuple):
    """What becomes of a return at a time after its creation."""

    after: timedelta
    status: str


def moves(behaviour: OutboundBehaviour) -> tuple[ReturnStation, ...]:
    """The stations of a return."""
    return (
        ReturnStation(timedelta(0), CREATED),
        ReturnStation(timedelta(minutes=1), REFERENCING),
        ReturnStation(timedelta(minutes=2), REFERENCED),
        ReturnStation(timedelta(minutes=10), ACCEPTED),
        ReturnStation(behaviour.label_after, LABELLED),
        ReturnStation(timedelta(days=1), PENDING),
        ReturnStation(timedelta(days=6), COMPLETED),
    )


def new_return(
    db: Connection,
    shipment: StoredParcel,
    body: dict[str, Any],
    now: datetime,
    behaviour: OutboundBehaviour,
    *,
    kind: str = CUSTOMER,
) -> StoredParcel:
    """A return that was just asked for, or that a carrier has announced."""
    parcel = store.new(db, SORT, shipment.seller)
    parcel.document = {
        "returnId": parcel.name,
        "type": kind,
        "reason": body["reason"],
        "recommendedReturnReason": None,
        "comment": body.get("comment"),
        "warehouseComment": None,
        "outboundShipmentId": shipment.name,
        "reference": body["reference"],
        "orderSellerId": None,
        "parcelId": shipment.document["parcels"][0]["parcelId"],
        "receiptDate": None,
        "createdAt": stamp(now),
        "lines": [
            {
                **{name: line.get(name) for name in ("productId", "quantity", "productCondition")},
                "receiptedQuantity": 0,
                "receiptedProductState": None,
                "conformity": None,
            }
            for line in body["lines"]
        ],
        "hasLabel": False,
        "labelUrl": None,
        "unexpectedQuantity": 0,
    }
    move(parcel, 0, behaviour)
    return parcel


def move(parcel: StoredParcel, station: int, behaviour: OutboundBehaviour) -> None:
    """Bring a return to a station."""
    stations, document = moves(behaviour), parcel.document
    created = moment_of(document["createdAt"])
    at, status = created + stations[station].after, stations[station].status
    document["updatedAt"] = stamp(at)
    if status != LABELLED:
        document["status"] = status
    elif document["type"] == CUSTOMER:
        document["hasLabel"] = True
        document["labelUrl"] = f"/returns/{parcel.name}/labels"
    if status == COMPLETED:
        _receive(parcel, at)
    following = stations[station + 1 : station + 2]
    parcel.next_at = stamp(created + following[0].after) if following else None


def go_on(parcel: StoredParcel, at: datetime, behaviour: OutboundBehaviour) -> None:
    """Bring a return to the stations that it has reached at this time."""
    created = moment_of(parcel.document["createdAt"])
    for number, station in enumerate(moves(behaviour)):
        if stamp(created + station.after) == parcel.next_at and created + station.after <= at:
            move(parcel, number, behaviour)


def _receive(parcel: StoredParcel, at: datetime) -> None:
    document, number = parcel.document, parcel.number
    document["receiptDate"] = stamp(at)
    is_conform = number % EVERY_NONCONFORM != 0
    for line in document["lines"]:
        line["receiptedQuantity"] = line["quantity"]
        line["receiptedProductState"] = "Sellable" if is_conform else "Damaged"
        line["conformity"] = "Conform" if is_conform else "NonConform"
    if not is_conform:
        document["warehouseComment"] = "The packaging is torn."
        document["recommendedReturnReason"] = "Damaged"
    if number % EVERY_UNEXPECTED == 0:
        document["unexpectedQuantity"] = 1


def comes_back(shipment: StoredParcel) -> bool:
    """True if a shipment is not delivered, and the carrier brings it back."""
    return shipment.number % EVERY_CARRIER == CARRIER_REMAINDER


def bring_back(
    db: Connection, shipment: StoredParcel, at: datetime, behaviour: OutboundBehaviour
) -> None:
    """Let a shipment come back with the carrier."""
    reason = CARRIER_REASONS[shipment.number // EVERY_CARRIER % len(CARRIER_REASONS)]
    body = {
        "reason": reason,
        "reference": f"{shipment.document['reference']}-back",
        "lines": [
            {**item, "quantity": item["expectedQuantity"]} for item in shipment.document["items"]
        ],
    }
    shipment.next_at = None
    store.write(db, new_return(db, shipment, body, at, behaviour, kind=CARRIER), at)


SENT = (life.SHIPPED, life.PARTLY, life.DELIVERED)
"""The statuses of shipments of which something can come back."""
