"""Outbound shipments and returns: parts "Outbound shipment", "Return" and "Fulfillment".

A faulty shipment is created all the same, and rejected a little later. A reference may be used
again. One in nine shipments is not delivered, and the carrier brings it back.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any

from feedtool.areas.inbound.sandbox.products import (
    PRODUCTS,
    REFERENCE,
    referenced,
    referenced_pair,
)
from feedtool.areas.outbound.sandbox.history import (
    PAST,
    GivenBack,
    OutboundBehaviour,
    SentParcel,
    made_up_shipment,
)
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import FILLED, NUMBER, TEXT, record
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.resources import Life, Lists, Resource, StoredThing, TimedState, dates, words
from feedtool.sandbox.state import moment_of, stamp

# Shipments: "Fulfillment", rules 1, 3 and 4.

CREATED, ACCEPTED, IN_PREPARATION, SHIPPED = "Created", "Accepted", "InPreparation", "Shipped"
PARTLY, DELIVERED, CANCELLED, REJECTED = "PartiallyShipped", "Delivered", "Cancelled", "Rejected"
SHIPMENT_STATUSES = (
    *(CREATED, ACCEPTED, IN_PREPARATION, SHIPPED),
    *(PARTLY, DELIVERED, CANCELLED, REJECTED),
)
SENT = (SHIPPED, PARTLY, DELIVERED)
"""The statuses of shipments of which something can come back."""
MODES = ("THD", "SHD", "EHD", "PPMR", "WSHD", "FDHD", "SRHD", "SB2B")
EVERY_PARTLY = 5
"""One in so many shipments goes in two parcels, on two days."""
EVERY_CARRIER, CARRIER_REMAINDER = 9, 3
"""One in so many shipments that were sent comes back with the carrier."""

_ADDRESS = ("firstName", "lastName", "email", "phone", "city", "postalCode", "countryCode", "line")
SHIPMENT = {
    "required": ["reference", "deliveryAddress", "items"],
    "properties": {
        "reference": FILLED,
        "storageCountry": TEXT,
        "deliveryAddress": {
            "type": "object",
            "properties": dict.fromkeys((*_ADDRESS, "pickupId"), TEXT),
        },
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["expectedQuantity"],
                "properties": {
                    "productId": TEXT,
                    "productCondition": TEXT,
                    "sellerProductReference": TEXT,
                    "expectedQuantity": {"type": "integer", "minimum": 1},
                    "delivery": record(mode=TEXT),
                    "unitSalesPrice": NUMBER,
                    "shippingCost": NUMBER,
                    "currencyCode": TEXT,
                },
            },
        },
    },
}


def send(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /outbound-shipments: taken unchecked, and checked later."""
    db, now, settings = exchange.db, exchange.now, exchange.settings
    shipment = _new_shipment(db, exchange.seller, body, now, settings)
    shipment.shows_at = stamp(now + settings.of(OutboundBehaviour).visible_after)
    SHIPMENTS.keep(db, shipment)
    effects.note(exchange, "outbound shipment", body["reference"], body)
    return json_answer(201, {"outboundShipmentId": shipment.name, "status": CREATED})


def _new_shipment(
    db: Connection, seller: str, body: dict[str, Any], now: datetime, settings: SandboxSettings
) -> StoredThing:
    shipment = SHIPMENTS.new(db, seller, now)
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
    SHIPMENTS.enter(shipment, CREATED, now, settings)
    return shipment


def move_parcels(shipment: StoredThing, now: datetime) -> None:
    """Pack the parcels of a shipment, or change their status with its status."""
    document, status = shipment.document, shipment.status
    if status == IN_PREPARATION:
        number, count = shipment.number, 2 if shipment.number % EVERY_PARTLY == 0 else 1
        document["parcels"] = [
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
    if status in {*SENT, CANCELLED}:
        for parcel in document["parcels"][: 1 if status == PARTLY else None]:
            parcel["status"] = SHIPPED if status == PARTLY else status
            if status == DELIVERED:
                parcel["deliveryDate"] = stamp(now)


def decide(db: Connection, shipment: StoredThing, _: datetime, settings: SandboxSettings) -> str:
    """Accept a shipment, or reject it for all that is wrong with it."""
    reasons = [*_faults(db, shipment, settings.of(OutboundBehaviour))]
    shipment.document["rejectionReasons"] = reasons
    shipment.document["state"] = {"value": "Invalid" if reasons else "Valid"}
    return REJECTED if reasons else ACCEPTED


def _faults(
    db: Connection, shipment: StoredThing, behaviour: OutboundBehaviour
) -> Iterator[dict[str, str]]:
    document = shipment.document
    address = document["deliveryAddress"]
    if document["storageCountry"] not in behaviour.countries:
        text = f"The seller may not use warehouses in {document['storageCountry']}."
        yield {"code": "StorageCountry", "message": text}
    for item in document["items"]:
        product = _product_of(db, shipment.seller, item)
        name = str(item.get("sellerProductReference") or item.get("productId"))
        codes = [] if product else ["UnknownProduct"]
        if product:
            reference, condition, gtin = (product.document[key] for key in REFERENCE)
            item |= {"productId": gtin, "productCondition": condition}
            item["sellerProductReference"] = reference
            if product.document.get("traceability"):
                numbers = range(1, item["expectedQuantity"] + 1)
                item["traceability"] = [f"SN-{gtin}-{number}" for number in numbers]
        mode = (item.get("delivery") or {}).get("mode")
        if mode not in MODES or (mode == "PPMR" and not address.get("pickupId")):
            codes.append("InvalidDeliveryMode")
        prices = ("unitSalesPrice", "shippingCost", "currencyCode")
        if address.get("countryCode") == "CH" and any(item.get(key) is None for key in prices):
            codes.append("MissingPrice")
        for code in codes:
            text = f"{code}: {name}."
            yield {"code": code, "message": text, "sellerProductReference": name}


def _product_of(db: Connection, seller: str, item: dict[str, Any]) -> StoredThing | None:
    """The product of an item: the seller's reference wins."""
    if reference := item.get("sellerProductReference"):
        return referenced(db, seller, reference)
    product, condition = item.get("productId"), item.get("productCondition")
    return referenced_pair(db, seller, product, condition) if product and condition else None


def deliver(
    db: Connection, shipment: StoredThing, now: datetime, settings: SandboxSettings
) -> str | None:
    """Deliver a shipment, or let the carrier bring it back."""
    if shipment.number % EVERY_CARRIER != CARRIER_REMAINDER:
        return DELIVERED
    items = shipment.document["items"]
    body = {
        "reason": CARRIER_REASONS[shipment.number // EVERY_CARRIER % len(CARRIER_REASONS)],
        "reference": f"{shipment.document['reference']}-back",
        "lines": [{**item, "quantity": item["expectedQuantity"]} for item in items],
    }
    RETURNS.keep(db, _new_return(db, shipment, body, now, settings, kind=CARRIER))
    return None


SHIPMENT_STATES = {
    CREATED: TimedState(lambda behaviour, _: behaviour.decided_after, decide),
    ACCEPTED: TimedState(lambda behaviour, _: behaviour.begun_after, IN_PREPARATION),
    IN_PREPARATION: TimedState(
        lambda behaviour, _: behaviour.prepared_after,
        lambda _, shipment, *__: PARTLY if len(shipment.document["parcels"]) > 1 else SHIPPED,
    ),
    PARTLY: TimedState(lambda behaviour, _: behaviour.completed_after, SHIPPED),
    SHIPPED: TimedState(lambda behaviour, _: behaviour.delivered_after, deliver),
}


# Returns: "Fulfillment", rule 5.

REFERENCING, REFERENCED, PENDING, COMPLETED = "Referencing", "Referenced", "Pending", "Completed"
RETURN_STATUSES = (CREATED, REFERENCING, REFERENCED, ACCEPTED, PENDING, COMPLETED)
CUSTOMER, CARRIER = "Customer", "Carrier"
CUSTOMER_REASONS = ("ReferenceError", "Damaged", "Retraction", "UnpackingDefect")
CARRIER_REASONS = ("Undeliverable", "CustomerRefusal", "TransportDamage", "NotRetrieved")

ARRIVES_AFTER = timedelta(days=1)
"""From the request of a return to the parcel."""
EVERY_NONCONFORM, EVERY_UNEXPECTED = 4, 6
"""One in so many returns is damaged, or has a piece that was not announced."""

RETURN = {
    "required": ["outboundShipmentId", "reference", "reason", "lines"],
    "properties": {
        "outboundShipmentId": FILLED,
        "reference": FILLED,
        "reason": FILLED,
        "comment": TEXT,
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["productId", "quantity", "productCondition"],
                "properties": {
                    "productId": FILLED,
                    "quantity": {"type": "integer", "minimum": 1},
                    "productCondition": FILLED,
                },
            },
        },
    },
}


def give_back(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /returns: announce a return of products of a shipment, at most as many as it sent."""
    if body["reason"] in CARRIER_REASONS:
        raise bad_request("reason", f"{body['reason']} is a reason of carriers.")
    if body["reason"] not in CUSTOMER_REASONS:
        raise bad_request("reason", f"There is no reason {body['reason']!r}.")
    db, now, settings = exchange.db, exchange.now, exchange.settings
    shipment = SHIPMENTS.find(db, exchange.seller, body["outboundShipmentId"])
    if shipment is None:
        raise bad_request("outboundShipmentId", "There is no such shipment.")
    if shipment.status not in SENT:
        raise bad_request("outboundShipmentId", f"The shipment is {shipment.status}.")
    _check_lines(db, shipment, body["lines"])
    returned = _new_return(db, shipment, body, now, settings)
    returned.shows_at = stamp(now + settings.of(OutboundBehaviour).visible_after)
    RETURNS.keep(db, returned)
    effects.note(exchange, "return", body["reference"], body)
    return json_answer(201, returned.document)


def _check_lines(db: Connection, shipment: StoredThing, lines: list[dict[str, Any]]) -> None:
    left: Counter[tuple[str, str]] = Counter()
    for item in shipment.document["items"]:
        left[item["productId"], item["productCondition"]] += item["expectedQuantity"]
    known = set(left)
    for returned in RETURNS.every(db, shipment.seller, outboundShipmentId=shipment.name):
        for line in returned.document["lines"]:
            left[line["productId"], line["productCondition"]] -= line["quantity"]
    for place, line in enumerate(lines):
        key = line["productId"], line["productCondition"]
        if key not in known:
            raise bad_request(f"lines[{place}].productId", "The shipment has no such product.")
        left[key] -= line["quantity"]
        if left[key] < 0:
            text = f"{-left[key]} more than were sent would come back."
            raise bad_request(f"lines[{place}].quantity", text)


def _new_return(
    db: Connection,
    shipment: StoredThing,
    body: dict[str, Any],
    now: datetime,
    settings: SandboxSettings,
    *,
    kind: str = CUSTOMER,
) -> StoredThing:
    returned = RETURNS.new(db, shipment.seller, now)
    names = ("productId", "quantity", "productCondition")
    returned.document = {
        "returnId": returned.name,
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
                **{name: line.get(name) for name in names},
                "receiptedQuantity": 0,
                "receiptedProductState": None,
                "conformity": None,
            }
            for line in body["lines"]
        ],
        "hasLabel": False,
        "labelUrl": None,
        "unexpectedQuantity": 0,
        "updatedAt": stamp(now),
    }
    RETURNS.enter(returned, CREATED, now, settings)
    return returned


def _until_label_or_parcel(behaviour: OutboundBehaviour, returned: StoredThing) -> timedelta:
    """The time from the last change of an Accepted return to its label, then to its parcel."""
    created, updated = (moment_of(returned.document[name]) for name in ("createdAt", "updatedAt"))
    labelled = created + behaviour.label_after
    return (created + ARRIVES_AFTER if updated == labelled else labelled) - updated


def label(_: Connection, returned: StoredThing, now: datetime, settings: SandboxSettings) -> str:
    """End the wait of an Accepted return: the first time for its label, then for its parcel."""
    created = moment_of(returned.document["createdAt"])
    if now != created + settings.of(OutboundBehaviour).label_after:
        return PENDING
    if returned.document["type"] == CUSTOMER:
        returned.document["hasLabel"] = True
        returned.document["labelUrl"] = f"/returns/{returned.name}/labels"
    return ACCEPTED


def receive(_: Connection, returned: StoredThing, now: datetime, __: SandboxSettings) -> str:
    """Receive the parcel of a return, and judge what is in it."""
    document, is_conform = returned.document, returned.number % EVERY_NONCONFORM != 0
    document["receiptDate"] = stamp(now)
    for line in document["lines"]:
        line["receiptedQuantity"] = line["quantity"]
        line["receiptedProductState"] = "Sellable" if is_conform else "Damaged"
        line["conformity"] = "Conform" if is_conform else "NonConform"
    if not is_conform:
        document["warehouseComment"] = "The packaging is torn."
        document["recommendedReturnReason"] = "Damaged"
    if returned.number % EVERY_UNEXPECTED == 0:
        document["unexpectedQuantity"] = 1
    return COMPLETED


RETURN_STATES = {
    CREATED: TimedState(lambda *_: timedelta(minutes=1), REFERENCING),
    REFERENCING: TimedState(lambda *_: timedelta(minutes=1), REFERENCED),
    REFERENCED: TimedState(lambda *_: timedelta(minutes=8), ACCEPTED),
    ACCEPTED: TimedState(_until_label_or_parcel, label),
    PENDING: TimedState(lambda *_: timedelta(days=5), receive),
}


PDF = (
    b"%%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n"
    b"%% return label %s\ntrailer<</Root 1 0 R>>\n%%%%EOF\n"
)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8ffff3f0005fe02fea7354d9c0000000049454e44ae426082"
)


def read_label(exchange: Exchange) -> HttpResponse:
    """GET /returns/{returnId}/labels, as a PDF or a PNG; 404 until it exists."""
    returned = RETURNS.asked(exchange)
    if not returned.document["hasLabel"]:
        if exchange.settings.of(OutboundBehaviour).without_label == 200:  # noqa: PLR2004
            return HttpResponse(200)
        raise not_found("The label")
    if "image/png" in exchange.request.headers.get("accept", ""):
        return HttpResponse(200, {"Content-Type": "image/png"}, PNG)
    return HttpResponse(200, {"Content-Type": "application/pdf"}, PDF % returned.name.encode())


# The past of a shop.


def recall(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Put the shipments and returns of a shop's past into the state, as they are by now."""
    PRODUCTS.open(db, seller, now, settings)
    products = [product.document for product in PRODUCTS.every(db, seller)]
    if not products or not settings.of(OutboundBehaviour).has_past:
        return
    for event in PAST:
        created = now - timedelta(hours=event.hours)
        if isinstance(event, GivenBack):
            shipment = SHIPMENTS.every(db, seller)[event.of - 1]
            number = RETURNS.new(db, seller, now).number
            lines = [{**shipment.document["items"][0], "quantity": 1}]
            body = {"reason": event.reason, "reference": f"RET-{number:04d}", "lines": lines}
            RETURNS.keep(db, _new_return(db, shipment, body, created, settings))
        else:
            _recall_shipment(db, seller, event, products, now, settings)
    for returned in RETURNS.every(db, seller):
        RETURNS.advance(db, returned, now, settings)


def _recall_shipment(
    db: Connection,
    seller: str,
    event: SentParcel,
    products: Sequence[Mapping[str, Any]],
    now: datetime,
    settings: SandboxSettings,
) -> None:
    number = SHIPMENTS.new(db, seller, now).number
    product = products[number % len(products)]["sellerProductReference"]
    reference = product if event.is_known else f"UNKNOWN-{number}"
    created = now - timedelta(hours=event.hours)
    body = made_up_shipment(f"OUT-{number:04d}", number, reference)
    shipment = _new_shipment(db, seller, body, created, settings)
    accepted = created + settings.of(OutboundBehaviour).decided_after
    SHIPMENTS.advance(db, shipment, accepted if event.is_cancelled else now, settings)
    if event.is_cancelled:
        cancelled = moment_of(str(shipment.next_at))
        shipment.document["cancellationRequest"] = {
            "status": "Accepted",
            "origin": "Seller",
            "reason": "The customer has changed his mind.",
            "timestamp": stamp(cancelled),
        }
        SHIPMENTS.enter(shipment, CANCELLED, cancelled, settings)
        SHIPMENTS.keep(db, shipment)


SHIPMENTS = Resource(
    kind="outbound shipment",
    path="/outbound-shipments",
    key="outboundShipmentId",
    identity="{seller}/shipment/{number}",
    body=SHIPMENT,
    create=send,
    life=Life(OutboundBehaviour, SHIPMENT_STATES, "statusUpdatedAt", move_parcels),
    lists=Lists(
        filters={
            **words("status", SHIPMENT_STATUSES),
            **words("state", ("Valid", "Invalid"), "state.value"),
            **words("deliveryCountry", path="deliveryAddress.countryCode"),
            **words("reference"),
            **dates(
                createdAt="createdAt",
                updatedAt="statusUpdatedAt",
                statusUpdatedAt="statusUpdatedAt",
            ),
        },
        highest=100,
        counts=int,
    ),
    opens=recall,
    counted=True,
)
RETURNS = Resource(
    kind="return",
    path="/returns",
    key="returnId",
    identity="{seller}/return/{number}",
    body=RETURN,
    create=give_back,
    life=Life(OutboundBehaviour, RETURN_STATES, "updatedAt"),
    lists=Lists(
        filters={
            **words("types", (CUSTOMER, CARRIER), "type"),
            **words("reasons", (*CUSTOMER_REASONS, *CARRIER_REASONS), "reason"),
            **words("status", RETURN_STATUSES),
            **words("parcelId"),
            **words("outboundShipmentId"),
            **words("reference"),
            **dates(createdAt="createdAt", updatedAt="updatedAt", receiptDate="receiptDate"),
        },
        highest=100,
        counts=int,
    ),
    opens=SHIPMENTS.open,
    routes=(Route("GET", "/returns/{returnId}/labels", read_label),),
    counted=True,
)
