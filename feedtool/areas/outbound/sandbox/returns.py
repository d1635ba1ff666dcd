"""The routes of returns and their labels: parts "Return" and "Fulfillment", rule 5."""

from collections import Counter
from functools import partial
from sqlite3 import Connection
from typing import Any

import jsonschema_rs

from feedtool.areas.outbound.sandbox import life, return_life, store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.past import opened
from feedtool.areas.outbound.sandbox.return_life import SORT
from feedtool.areas.outbound.sandbox.store import StoredParcel
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, TEXT, check_structure, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)

TABLES = ""
WORDS = {
    "types": (return_life.CUSTOMER, return_life.CARRIER),
    "reasons": (*return_life.CUSTOMER_REASONS, *return_life.CARRIER_REASONS),
    "status": tuple(
        move.status
        for move in return_life.moves(OutboundBehaviour())
        if move.status != return_life.LABELLED
    ),
}
FILTERS = {
    "types": store.is_in("type"),
    "reasons": store.is_in("reason"),
    "status": store.is_in("status"),
    "parcelId": store.is_in("parcelId"),
    "outboundShipmentId": store.is_in("outboundShipmentId"),
    "reference": store.is_in("reference"),
    **store.dates(createdAt="createdAt", updatedAt="updatedAt", receiptDate="receiptDate"),
}

_FILLED = {"type": "string", "minLength": 1}
_RETURN = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["outboundShipmentId", "reference", "reason", "lines"],
        "properties": {
            "outboundShipmentId": _FILLED,
            "reference": _FILLED,
            "reason": _FILLED,
            "comment": TEXT,
            "lines": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["productId", "quantity", "productCondition"],
                    "properties": {
                        "productId": _FILLED,
                        "quantity": {"type": "integer", "minimum": 1},
                        "productCondition": _FILLED,
                    },
                },
            },
        },
    }
)


@opened
def create(exchange: Exchange) -> HttpResponse:
    """POST /returns: of what was sent, and no more than that."""
    body = json_body(exchange.request)
    check_structure(_RETURN, body, "a return")
    if body["reason"] in return_life.CARRIER_REASONS:
        raise bad_request("reason", f"{body['reason']} is a reason of carriers.")
    if body["reason"] not in return_life.CUSTOMER_REASONS:
        raise bad_request("reason", f"There is no reason {body['reason']!r}.")
    name = body["outboundShipmentId"]
    shipment = store.find(exchange.db, life.SORT, exchange.seller, name)
    if shipment is None:
        raise bad_request("outboundShipmentId", "There is no such shipment.")
    if shipment.status not in return_life.SENT:
        raise bad_request("outboundShipmentId", f"The shipment is {shipment.status}.")
    _check_lines(exchange.db, shipment, body["lines"])
    behaviour = exchange.settings.of(OutboundBehaviour)
    parcel = return_life.new_return(exchange.db, shipment, body, exchange.now, behaviour)
    store.write(exchange.db, parcel, exchange.now, behaviour.visible_after)
    effects.note(exchange, "return", body["reference"], body)
    return json_answer(201, parcel.document)


def _check_lines(db: Connection, shipment: StoredParcel, lines: list[dict[str, Any]]) -> None:
    left: Counter[tuple[str, str]] = Counter()
    for item in shipment.document["items"]:
        left[item["productId"], item["productCondition"]] += item["expectedQuantity"]
    known = set(left)
    for parcel in store.every(db, SORT, shipment.seller):
        if parcel.document["outboundShipmentId"] == shipment.name:
            for line in parcel.document["lines"]:
                left[line["productId"], line["productCondition"]] -= line["quantity"]
    for place, line in enumerate(lines):
        key = line["productId"], line["productCondition"]
        if key not in known:
            raise bad_request(f"lines[{place}].productId", "The shipment has no such product.")
        left[key] -= line["quantity"]
        if left[key] < 0:
            text = f"{-left[key]} more than were sent would come back."
            raise bad_request(f"lines[{place}].quantity", text)


@opened
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /returns: cursor pages."""
    return store.list_answer(exchange, SORT, FILTERS, WORDS)


@opened
def count(exchange: Exchange) -> HttpResponse:
    """The count of returns, by the filters of the list."""
    return store.count_answer(exchange, SORT, FILTERS, WORDS)


def _asked(exchange: Exchange) -> StoredParcel:
    return store.asked_for(exchange, SORT, "The return", "returnId")


@opened
def read(exchange: Exchange) -> HttpResponse:
    """GET /returns/{returnId}."""
    return json_answer(200, _asked(exchange).document)


PDF = (
    b"%%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n"
    b"%% return label %s\ntrailer<</Root 1 0 R>>\n%%%%EOF\n"
)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8ffff3f0005fe02fea7354d9c0000000049454e44ae426082"
)


@opened
def read_label(exchange: Exchange) -> HttpResponse:
    """GET /returns/{returnId}/labels, as a PDF or a PNG; 404 while there is none."""
    parcel = _asked(exchange)
    if not parcel.document["hasLabel"]:
        if exchange.settings.of(OutboundBehaviour).without_label == 200:  # noqa: PLR2004
            return HttpResponse(200)
        raise not_found("The label")
    if "image/png" in exchange.request.headers.get("accept", ""):
        return HttpResponse(200, {"Content-Type": "image/png"}, PNG)
    return HttpResponse(200, {"Content-Type": "application/pdf"}, PDF % parcel.name.encode())


next_due = partial(store.next_due, sort=SORT)


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the return change whose time has come first."""
    parcel, at = store.first_due(db, SORT)
    return_life.go_on(parcel, at, settings.of(OutboundBehaviour))
    store.write(db, parcel, at)


ROUTES: tuple[Route, ...] = (
    Route("POST", "/returns", create, counted=True),
    Route("GET", "/returns", read_all, counted=True),
    Route("GET", "/returns/count", count, counted=True),
    Route("GET", "/returns/{returnId}", read, counted=True),
    Route("GET", "/returns/{returnId}/labels", read_label, counted=True),
)
