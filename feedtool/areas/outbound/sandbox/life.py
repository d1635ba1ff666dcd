"""What outbound shipments do by themselves: accepted or rejected, prepared, sent, delivered.

Parts "Outbound shipment" and "Fulfillment", rules 1, 3 and 4.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from feedtool.areas.inbound.sandbox.products import referenced, referenced_pair
from feedtool.areas.outbound.sandbox import store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.store import StoredParcel
from feedtool.sandbox.exchange import SandboxSettings
from feedtool.sandbox.resources import StoredThing
from feedtool.sandbox.state import stamp

SORT = "shipment"
CREATED, ACCEPTED, IN_PREPARATION, SHIPPED = "Created", "Accepted", "InPreparation", "Shipped"
PARTLY, DELIVERED, CANCELLED, REJECTED = "PartiallyShipped", "Delivered", "Cancelled", "Rejected"
MODES = ("THD", "SHD", "EHD", "PPMR", "WSHD", "FDHD", "SRHD", "SB2B")
EVERY_PARTLY = 5
"""One in so many shipments goes in two parcels, on two days."""


def new_shipment(
    db: Connection, seller: str, body: dict[str, Any], now: datetime, settings: SandboxSettings
) -> StoredParcel:
    """A shipment that was just asked for."""
    shipment = store.new(db, SORT, seller)
    modes = [(item.get("delivery") or {}).get("mode") for item in body["items"]]
    shipment.document = {
        "outboundShipmentId": shipment.name,
        "reference": body["reference"],
        "status": CREATED,
        "state": {"value": "Valid"},
        "storageCountry": body.get("storageCountry") or "FR",
        "deliveryMode": modes[0],
        "deliveryAddress": body["deliveryAddress"],
        "items": [dict(item) for item in body["items"]],
        "createdAt": stamp(now),
        "parcels": [],
        "cancellationRequest": None,
        "rejectionReasons": [],
    }
    move(shipment, CREATED, now, settings)
    return shipment


def move(
    shipment: StoredParcel, status: str, at: datetime, settings: SandboxSettings
) -> StoredParcel:
    """Bring a shipment to a status, and its parcels with it."""
    behaviour = settings.of(OutboundBehaviour)
    pauses = {
        CREATED: behaviour.decided_after,
        ACCEPTED: behaviour.begun_after,
        IN_PREPARATION: behaviour.prepared_after,
        PARTLY: behaviour.completed_after,
        SHIPPED: behaviour.delivered_after,
    }
    document, pause = shipment.document, pauses.get(status)
    document["status"], document["statusUpdatedAt"] = status, stamp(at)
    if status == IN_PREPARATION:
        document["parcels"] = _packed(shipment)
    words = {PARTLY: SHIPPED, SHIPPED: SHIPPED, DELIVERED: DELIVERED, CANCELLED: CANCELLED}
    moved = document["parcels"][: 1 if status == PARTLY else None] if status in words else []
    for parcel in moved:
        parcel["status"] = words[status]
        if status == DELIVERED:
            parcel["deliveryDate"] = stamp(at)
    shipment.next_at = stamp(at + pause) if pause is not None else None
    return shipment


def _packed(shipment: StoredParcel) -> list[dict[str, Any]]:
    number, count = shipment.number, 2 if shipment.number % EVERY_PARTLY == 0 else 1
    return [
        {
            "parcelId": f"{shipment.name}-{place}",
            "carrier": "Colissimo" if number % 2 else "Chronopost",
            "trackingNumber": f"6A{number:08d}{place}",
            "weight": 0.5 * place + number % 3,
            "deliveryDate": None,
            "status": "Packaged",
        }
        for place in range(1, count + 1)
    ]


# What happens by itself.


def _decided(
    db: Connection, shipment: StoredParcel, at: datetime, settings: SandboxSettings
) -> None:
    """Accept a shipment, or reject it for all that is wrong with it."""
    reasons = list(_faults(db, shipment, settings.of(OutboundBehaviour)))
    shipment.document["rejectionReasons"] = reasons
    shipment.document["state"] = {"value": "Invalid" if reasons else "Valid"}
    move(shipment, REJECTED if reasons else ACCEPTED, at, settings)


def product_of(db: Connection, seller: str, item: dict[str, Any]) -> StoredThing | None:
    """The product of an item: the seller's reference wins."""
    if reference := item.get("sellerProductReference"):
        return referenced(db, seller, reference)
    product, condition = item.get("productId"), item.get("productCondition")
    return referenced_pair(db, seller, product, condition) if product and condition else None


def _faults(
    db: Connection, shipment: StoredParcel, behaviour: OutboundBehaviour
) -> Iterator[dict[str, str]]:
    document = shipment.document
    address = document["deliveryAddress"]
    if document["storageCountry"] not in behaviour.countries:
        text = f"The seller may not use warehouses in {document['storageCountry']}."
        yield {"code": "StorageCountry", "message": text}
    for item in document["items"]:
        product = product_of(db, shipment.seller, item)
        name = str(item.get("sellerProductReference") or item.get("productId"))
        found = [] if product else ["UnknownProduct"]
        if product:
            _identify(item, product.document)
        mode = (item.get("delivery") or {}).get("mode")
        if mode not in MODES or (mode == "PPMR" and not address.get("pickupId")):
            found.append("InvalidDeliveryMode")
        prices = ("unitSalesPrice", "shippingCost", "currencyCode")
        if address.get("countryCode") == "CH" and any(item.get(key) is None for key in prices):
            found.append("MissingPrice")
        for code in found:
            text = f"{code}: {name}."
            yield {"code": code, "message": text, "sellerProductReference": name}


def _identify(item: dict[str, Any], product: Mapping[str, Any]) -> None:
    gtin, count = product["gtin"], item["expectedQuantity"]
    item["productId"], item["productCondition"] = gtin, product["productCondition"]
    item["sellerProductReference"] = product["sellerProductReference"]
    if product.get("traceability"):
        item["traceability"] = [f"SN-{gtin}-{number}" for number in range(1, count + 1)]


def _dispatched(
    _: Connection, shipment: StoredParcel, at: datetime, settings: SandboxSettings
) -> None:
    several = len(shipment.document["parcels"]) > 1
    move(shipment, PARTLY if several else SHIPPED, at, settings)


def _to(status: str) -> Callable[[Connection, StoredParcel, datetime, SandboxSettings], None]:
    def moved(
        _: Connection, shipment: StoredParcel, at: datetime, settings: SandboxSettings
    ) -> None:
        move(shipment, status, at, settings)

    return moved


BY_ITSELF = {
    CREATED: _decided,
    ACCEPTED: _to(IN_PREPARATION),
    IN_PREPARATION: _dispatched,
    PARTLY: _to(SHIPPED),
    SHIPPED: _to(DELIVERED),
}
"""The change of a shipment of each status at its `next_at`; the other statuses are final."""
