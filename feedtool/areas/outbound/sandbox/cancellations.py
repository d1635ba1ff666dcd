"""Requests to cancel outbound shipments: part "Outbound shipment" of the specification.

In Created the service decides at once. Later the logistics partner does, and every third time says
no, as it does where the parcel has left meanwhile.
"""

from functools import partial
from sqlite3 import Connection

import jsonschema_rs

from feedtool.areas.outbound.sandbox import life, store
from feedtool.areas.outbound.sandbox.behaviour import OutboundBehaviour
from feedtool.areas.outbound.sandbox.past import opened
from feedtool.areas.outbound.sandbox.store import StoredParcel
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, check_structure, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import moment_of, stamp

TABLES = ""
SORT = "cancellation"
IN_PROGRESS, ACCEPTED, REJECTED = "InProgress", "Accepted", "Rejected"
BY_THE_PARTNER = (life.ACCEPTED, life.IN_PREPARATION)
EVERY_REFUSED = 3

_FILLED = {"type": "string", "minLength": 1}
_REQUEST = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["outboundShipmentId", "reason"],
        "properties": {"outboundShipmentId": _FILLED, "reason": _FILLED},
    }
)


@opened
def create(exchange: Exchange) -> HttpResponse:
    """POST /outbound-cancellation-requests: of what has not left yet."""
    body = json_body(exchange.request)
    check_structure(_REQUEST, body, "a cancellation request")
    db, now = exchange.db, exchange.now
    shipment = store.find(db, life.SORT, exchange.seller, body["outboundShipmentId"])
    if shipment is None:
        raise not_found("The outbound shipment")
    if shipment.status not in {life.CREATED, *BY_THE_PARTNER}:
        raise bad_request("outboundShipmentId", f"The shipment is {shipment.status}.")
    before = shipment.document["cancellationRequest"]
    if before and before["status"] == IN_PROGRESS:
        raise bad_request("outboundShipmentId", "Its cancellation was asked for before.")
    request = store.new(db, SORT, exchange.seller)
    request.document = {
        "cancellationRequestId": request.name,
        "outboundShipmentId": shipment.name,
        "status": IN_PROGRESS,
        "origin": "API",
        "reason": body["reason"],
        "timestamp": stamp(now),
    }
    behaviour = exchange.settings.of(OutboundBehaviour)
    if shipment.status == life.CREATED:
        _decide(db, request, shipment, exchange.settings, is_granted=True)
    else:
        request.next_at = stamp(now + behaviour.cancelled_after)
        _keep(db, request, shipment)
    effects.note(exchange, "outbound cancellation", shipment.name, body)
    return json_answer(201, request.document)


def _decide(
    db: Connection,
    request: StoredParcel,
    shipment: StoredParcel,
    settings: SandboxSettings,
    *,
    is_granted: bool,
) -> None:
    at = moment_of(request.next_at or request.document["timestamp"])
    request.document["status"] = ACCEPTED if is_granted else REJECTED
    request.next_at = None
    if is_granted:
        life.move(shipment, life.CANCELLED, at, settings)
    _keep(db, request, shipment)


def _keep(db: Connection, request: StoredParcel, shipment: StoredParcel) -> None:
    """Keep a request, also as its shipment shows it."""
    names = ("status", "origin", "reason", "timestamp")
    shipment.document["cancellationRequest"] = {name: request.document[name] for name in names}
    now = moment_of(request.document["timestamp"])
    store.write(db, request, now)
    store.write(db, shipment, now)


@opened
def read(exchange: Exchange) -> HttpResponse:
    """A cancellation request by its id."""
    what = "The cancellation request"
    return json_answer(200, store.asked_for(exchange, SORT, what, "cancellationRequestId").document)


next_due = partial(store.next_due, sort=SORT)


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the partner decide on the request whose time has come first."""
    request, _ = store.first_due(db, SORT)
    name = request.document["outboundShipmentId"]
    shipment = store.find(db, life.SORT, request.seller, name)
    if shipment is not None:
        is_there = shipment.status in BY_THE_PARTNER
        is_granted = is_there and request.number % EVERY_REFUSED != 0
        _decide(db, request, shipment, settings, is_granted=is_granted)


ROUTES: tuple[Route, ...] = (
    Route("POST", "/outbound-cancellation-requests", create, counted=True),
    Route("GET", "/outbound-cancellation-requests/{cancellationRequestId}", read, counted=True),
)
