"""Requests to cancel outbound shipments: part "Outbound shipment" of the specification.

In Created the service decides at once. Later the logistics partner does, and every third time says
no, as it does where the parcel has left meanwhile.
"""

from datetime import datetime
from sqlite3 import Connection
from typing import Any

from feedtool.areas.outbound.sandbox import parcels
from feedtool.areas.outbound.sandbox.history import OutboundBehaviour
from feedtool.areas.outbound.sandbox.parcels import SHIPMENTS
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import FILLED
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.resources import Life, Resource, StoredThing, TimedState
from feedtool.sandbox.state import stamp

IN_PROGRESS, ACCEPTED, REJECTED = "InProgress", "Accepted", "Rejected"
BY_THE_PARTNER = (parcels.ACCEPTED, parcels.IN_PREPARATION)
EVERY_REFUSED = 3


def create(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /outbound-cancellation-requests: of what has not left yet."""
    db, now, settings = exchange.db, exchange.now, exchange.settings
    shipment = SHIPMENTS.find(db, exchange.seller, body["outboundShipmentId"])
    if shipment is None:
        raise not_found("The outbound shipment")
    if shipment.status not in {parcels.CREATED, *BY_THE_PARTNER}:
        raise bad_request("outboundShipmentId", f"The shipment is {shipment.status}.")
    before = shipment.document["cancellationRequest"]
    if before and before["status"] == IN_PROGRESS:
        raise bad_request("outboundShipmentId", "Its cancellation was asked for before.")
    request = CANCELLATIONS.new(db, exchange.seller, now)
    request.document = {
        "cancellationRequestId": request.name,
        "outboundShipmentId": shipment.name,
        "status": IN_PROGRESS,
        "origin": "API",
        "reason": body["reason"],
        "timestamp": stamp(now),
    }
    status = IN_PROGRESS
    if shipment.status == parcels.CREATED:
        status = ACCEPTED
        SHIPMENTS.enter(shipment, parcels.CANCELLED, now, settings)
    CANCELLATIONS.enter(request, status, now, settings)
    CANCELLATIONS.keep(db, request)
    _keep_shipment(db, shipment, request, status)
    effects.note(exchange, "outbound cancellation", shipment.name, body)
    return json_answer(201, request.document)


def _keep_shipment(
    db: Connection, shipment: StoredThing, request: StoredThing, status: str
) -> None:
    """Keep a shipment with its request, as it shows that."""
    names = ("status", "origin", "reason", "timestamp")
    shown = {name: request.document[name] for name in names}
    shipment.document["cancellationRequest"] = {**shown, "status": status}
    SHIPMENTS.keep(db, shipment)


def _decided(
    db: Connection, request: StoredThing, now: datetime, settings: SandboxSettings
) -> str | None:
    """Let the partner decide on a request."""
    shipment = SHIPMENTS.find(db, request.seller, request.document["outboundShipmentId"])
    if shipment is None:
        return None
    is_granted = shipment.status in BY_THE_PARTNER and request.number % EVERY_REFUSED != 0
    status = ACCEPTED if is_granted else REJECTED
    if is_granted:
        SHIPMENTS.enter(shipment, parcels.CANCELLED, now, settings)
    _keep_shipment(db, shipment, request, status)
    return status


CANCELLATIONS = Resource(
    kind="cancellation request",
    path="/outbound-cancellation-requests",
    key="cancellationRequestId",
    identity="{seller}/cancellation/{number}",
    body={
        "required": ["outboundShipmentId", "reason"],
        "properties": {"outboundShipmentId": FILLED, "reason": FILLED},
    },
    create=create,
    life=Life(
        OutboundBehaviour, {IN_PROGRESS: TimedState(lambda of, _: of.cancelled_after, _decided)}
    ),
    opens=SHIPMENTS.open,
    counted=True,
)
