"""Shipments to the warehouses: parts "Inbound shipment" and "Fulfillment", rules 1 and 2.

Their states are shown in the specification, their transitions are not. These are

    Created → Referencing → Referenced → Processing → Accepted → AppointmentScheduled
            → InProgress → (PartiallyDone →) Done

and Referencing → Refused where a product is unknown, AppointmentScheduled → AutomaticallyDone where
nothing arrives.
"""

from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any, NamedTuple

from feedtool.areas.inbound.sandbox.products import PRODUCTS, InboundBehaviour, referenced_pair
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import FILLED
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.pdf import pdf
from feedtool.sandbox.resources import (
    Life,
    Lists,
    Resource,
    StoredThing,
    TimedState,
    dates,
    equals,
    words,
)
from feedtool.sandbox.state import stamp

SUPPLY_MODES = ("Fulfillment", "Xdock")
COUNTRIES = ("FR", "ES", "MA", "PT", "GB")

CREATED, REFERENCING, REFERENCED = "Created", "Referencing", "Referenced"
PROCESSING, ACCEPTED, REFUSED = "Processing", "Accepted", "Refused"
APPOINTED, IN_PROGRESS = "AppointmentScheduled", "InProgress"
PARTIALLY_DONE, DONE, AUTOMATICALLY_DONE = "PartiallyDone", "Done", "AutomaticallyDone"
STATUSES = (
    *(CREATED, REFERENCING, REFERENCED, PROCESSING, ACCEPTED, REFUSED, APPOINTED),
    *(IN_PROGRESS, PARTIALLY_DONE, DONE, AUTOMATICALLY_DONE),
)

EVERY_DISPUTED, EVERY_LOST = 4, 9
"""One in so many shipments has a piece in dispute; one in so many never arrives."""

SHIPMENT = {
    "required": ["reference", "storageCountry", "supplyMode", "items"],
    "properties": {
        "reference": FILLED,
        "storageCountry": {"enum": COUNTRIES},
        "supplyMode": {"enum": SUPPLY_MODES},
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["gtin", "productCondition", "quantity"],
                "properties": {
                    "gtin": FILLED | {"pattern": "^[0-9]{8,14}$"},
                    "productCondition": FILLED,
                    "quantity": {"type": "integer", "minimum": 1},
                },
            },
        },
    },
}


def create(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /inbound-shipments."""
    db, seller, behaviour = exchange.db, exchange.seller, exchange.settings.of(InboundBehaviour)
    country, items = body["storageCountry"], body["items"]
    if country not in behaviour.countries:
        raise bad_request("storageCountry", f"The account is not opened for storage in {country}.")
    pairs = [(item["gtin"].zfill(14), item["productCondition"]) for item in items]
    for place, pair in enumerate(pairs):
        if pair in pairs[:place]:
            raise bad_request(f"items[{place}].gtin", f"{items[place]['gtin']} is there twice.")
    unknown = _unknown_items(db, seller, items)
    if unknown and behaviour.refuses_unknown:
        gtin = unknown[0]["gtin"]
        raise bad_request(f"items[{items.index(unknown[0])}].gtin", f"{gtin} is not referenced.")
    shipment = _new_shipment(db, seller, body, exchange.now, exchange.settings)
    SHIPMENTS.keep(db, shipment)
    effects.note(exchange, "inbound shipment", body["reference"], body)
    if not behaviour.names_created:
        return HttpResponse(201)
    return json_answer(201, {"inboundShipmentId": shipment.name})


def _unknown_items(
    db: Connection, seller: str, items: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    return [
        item
        for item in items
        if referenced_pair(db, seller, item["gtin"], item["productCondition"]) is None
    ]


def _new_shipment(
    db: Connection, seller: str, body: dict[str, Any], now: datetime, settings: SandboxSettings
) -> StoredThing:
    shipment = SHIPMENTS.new(db, seller, now + settings.of(InboundBehaviour).visible_after)
    names = ("gtin", "productCondition", "quantity")
    shipment.document = {
        "inboundShipmentId": shipment.name,
        "code": f"IN-{shipment.number:06d}",
        **{key: body[key] for key in ("reference", "storageCountry", "supplyMode")},
        "status": CREATED,
        "items": [{name: item[name] for name in names} for item in body["items"]],
        "hasDeliveryNote": False,
        "createdAt": stamp(now),
    }
    SHIPMENTS.enter(shipment, CREATED, now, settings)
    return shipment


def read_delivery_note(exchange: Exchange) -> HttpResponse:
    """The delivery note, once the shipment is Accepted."""
    shipment = SHIPMENTS.asked(exchange).document
    if not shipment["hasDeliveryNote"]:
        raise not_found("The delivery note")
    title = f"Delivery note {shipment['code']} {shipment['reference']}"
    note = pdf([title, *(f"{item['gtin']} x {item['quantity']}" for item in shipment["items"])])
    return HttpResponse(200, {"Content-Type": "application/pdf"}, note)


# Their states.


def _referenced(db: Connection, shipment: StoredThing, _: datetime, __: SandboxSettings) -> str:
    unknown = _unknown_items(db, shipment.seller, shipment.document["items"])
    if not unknown:
        return REFERENCED
    names = ("gtin", "productCondition")
    products = [{name: item[name] for name in names} for item in unknown]
    shipment.document["refuseDetail"] = {"reasons": ["UnknownProduct"], "products": products}
    return REFUSED


def _accepted(_: Connection, shipment: StoredThing, __: datetime, ___: SandboxSettings) -> str:
    shipment.document["hasDeliveryNote"] = True
    return ACCEPTED


def _is_lost(shipment: StoredThing) -> bool:
    return shipment.number % EVERY_LOST == 0


def _unloaded(_: Connection, shipment: StoredThing, now: datetime, __: SandboxSettings) -> str:
    """Receive all pieces, or all but one of the first item."""
    disputed = int(shipment.number % EVERY_DISPUTED == 0)
    for place, item in enumerate(shipment.document["items"]):
        missing = 0 if place else disputed
        item |= {"receivedQuantity": item["quantity"] - missing, "inDisputeQuantity": missing}
    shipment.document["receptionDate"] = stamp(now)
    return PARTIALLY_DONE if disputed else DONE


STATES = {
    CREATED: TimedState(lambda of, _: of.created, REFERENCING),
    REFERENCING: TimedState(lambda of, _: of.checked, _referenced),
    REFERENCED: TimedState(lambda of, _: of.created, PROCESSING),
    PROCESSING: TimedState(lambda of, _: of.checked, _accepted),
    ACCEPTED: TimedState(lambda of, _: of.accepted, APPOINTED),
    APPOINTED: TimedState(
        lambda of, shipment: of.never_seen if _is_lost(shipment) else of.appointed,
        lambda _, shipment, *__: AUTOMATICALLY_DONE if _is_lost(shipment) else IN_PROGRESS,
    ),
    IN_PROGRESS: TimedState(lambda of, _: of.unloaded, _unloaded),
    PARTIALLY_DONE: TimedState(lambda of, _: of.unloaded, DONE),
}


# The past of a shop.


class PastShipment(NamedTuple):
    """A shipment that was there when the shop opened."""

    days: float
    """Since it was created."""
    country: str = "FR"
    mode: str = "Fulfillment"
    is_unknown: bool = False
    """True if no warehouse knows one of its products."""


PAST = (
    PastShipment(60),
    PastShipment(45, "GB"),
    PastShipment(25, is_unknown=True),
    PastShipment(5.5),
    PastShipment(5.2, mode="Xdock"),
    PastShipment(4.5),
    PastShipment(2, "GB"),
    PastShipment(0.5),
)
UNKNOWN_GTIN = "2000000000015"


def recall(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Let the shipments of the past be as they are by now."""
    PRODUCTS.open(db, seller, now, settings)
    products = [product.document for product in PRODUCTS.every(db, seller)]
    opening = settings.of(InboundBehaviour).opening_shipments if products else 0
    for number, past in enumerate(PAST[:opening], 1):
        chosen = [products[(number + place) % len(products)] for place in range(1 + number % 3)]
        items = [
            {
                "gtin": product["gtin"],
                "productCondition": product["productCondition"],
                "quantity": 4 * number + place,
            }
            for place, product in enumerate(
                {product["gtin"]: product for product in chosen}.values(), 1
            )
        ]
        if past.is_unknown:
            items[-1]["gtin"] = UNKNOWN_GTIN
        body: dict[str, Any] = {"reference": f"PO-{number:04d}", "storageCountry": past.country}
        body |= {"supplyMode": past.mode, "items": items}
        created = now - timedelta(days=past.days)
        shipment = _new_shipment(db, seller, body, created, settings)
        SHIPMENTS.advance(db, shipment, now, settings)


SHIPMENTS = Resource(
    kind="inbound shipment",
    path="/inbound-shipments",
    key="inboundShipmentId",
    body=SHIPMENT,
    create=create,
    life=Life(InboundBehaviour, STATES, changed="updatedAt"),
    lists=Lists(
        filters={
            **equals("reference", "code"),
            **words("supplyMode", SUPPLY_MODES),
            **words("country", COUNTRIES, "storageCountry"),
            **words("status", STATUSES),
            **dates(createdAt="createdAt", updatedAt="updatedAt"),
        },
        order="Desc",
        is_ordered=True,
        counts=lambda number: {"count": number},
    ),
    opens=recall,
    routes=(
        Route("GET", "/inbound-shipments/{inboundShipmentId}/delivery-notes", read_delivery_note),
    ),
    counted=True,
)
