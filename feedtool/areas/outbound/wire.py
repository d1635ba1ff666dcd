"""Calls for outbound shipments, cancellations, returns and labels, and readers of their answers.

Specification, "Outbound shipment", "Return" and "Fulfillment". Names that it does not show are read
by alternatives; every shape is checked, none is trusted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.model.call import CREATED, JSON, READ, STAGED, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import (
    SMALL,
    Unreadable,
    created_id,
    items_of,
    loads,
    spelled,
    text,
    whole,
)

READ_OR_GONE = READ | {404}
"""A thing that does not exist is an answer, too."""
READ_OR_NONE = READ_OR_GONE | {400}
"""A service may not have a path that the specification does not show: that is no error."""
PAGE = 100
MOST_PARTS = 1000
"""The most items, parcels or reasons that are read of a shipment."""
STATUSES = (
    *("Created", "Accepted", "InPreparation", "PartiallyShipped", "Shipped", "Delivered"),
    *("Cancelled", "Rejected"),
)
STATES = ("Valid", "Invalid")
RETURN_STATUSES = (
    *("Created", "Referencing", "Referenced", "Accepted", "Pending", "Completed", "Refused"),
)
KINDS = ("Customer", "Carrier")
"""The words of the specification, by which those of answers are spelled."""
SHIPMENTS, RETURNS = "/outbound-shipments", "/returns"
CANCELLATIONS = "/outbound-cancellation-requests"
PARCEL_NUMBER = ("trackingNumber", "parcelNumber", "trackingId")
CARRIER = ("carrier", "carrierName")
"""Alternative names of members of a parcel."""

Document = Mapping[str, Any]
Pairs = Iterable[tuple[str, str]]


class OutboundShipment(NamedTuple):
    """A shipment from a warehouse to a customer."""

    id: str
    reference: str
    status: str
    created_at: str
    updated_at: str
    """The time of the last change of its status."""
    items: Sequence[Document]
    parcels: Sequence[Document]
    reasons: Sequence[Document]
    """The reasons why it is rejected."""
    cancellation: Document
    document: Document
    """The document of the service."""


class ParcelReturn(NamedTuple):
    """A return of items of a shipment."""

    id: str
    reference: str
    status: str
    kind: str
    """Customer or Carrier."""
    shipment: str
    created_at: str
    updated_at: str
    lines: Sequence[Document]
    document: Document

    @property
    def is_conform(self) -> bool:
        """False if the warehouse has found something else than announced."""
        unexpected = whole(self.document.get("unexpectedQuantity")) or 0
        return not unexpected and all(
            text(line.get("conformity")).casefold() != "nonconform" for line in self.lines
        )


# Calls.


def read_shipments(query: Pairs = ()) -> Call:
    return Call("GET", SHIPMENTS, READ, query=(*query, ("limit", str(PAGE))))


def read_returns(query: Pairs = ()) -> Call:
    return Call("GET", RETURNS, READ, query=(*query, ("limit", str(PAGE))))


def count_shipments(settings: OutboundSettings) -> Call:
    return Call("GET", settings.shipment_count, READ_OR_NONE)


def count_returns(settings: OutboundSettings) -> Call:
    return Call("GET", settings.return_count, READ_OR_NONE)


def read_shipment(name: str) -> Call:
    return Call("GET", f"{SHIPMENTS}/{quote(name, safe='')}", READ_OR_GONE)


def read_return(name: str) -> Call:
    return Call("GET", f"{RETURNS}/{quote(name, safe='')}", READ_OR_GONE)


def read_cancellation(name: str, settings: OutboundSettings) -> Call:
    path = settings.cancellation.replace("{id}", quote(name, safe=""))
    return Call("GET", path, READ_OR_NONE)


def read_label(name: str, media_type: str) -> Call:
    accepted = (("Accept", f"{media_type}, application/problem+json"),)
    path = f"{RETURNS}/{quote(name, safe='')}/labels"
    return Call("GET", path, READ | {204}, headers=accepted)


def create_shipment(body: bytes) -> Call:
    return Call("POST", SHIPMENTS, CREATED | STAGED, headers=JSON, body=body)


def cancel(body: bytes) -> Call:
    return Call("POST", CANCELLATIONS, CREATED | STAGED, headers=JSON, body=body)


def announce(body: bytes) -> Call:
    return Call("POST", RETURNS, CREATED | STAGED, headers=JSON, body=body)


# Answers.


def created_shipment(reply: Reply) -> str | None:
    return created_id(reply, SHIPMENTS, "outboundShipmentId", "id")


def created_cancellation(reply: Reply) -> str | None:
    return created_id(reply, CANCELLATIONS, "cancellationRequestId", "requestId", "id")


def created_return(reply: Reply) -> str | None:
    return created_id(reply, RETURNS, "returnId", "id")


def shipment_of(reply: Reply) -> OutboundShipment | None:
    """The shipment of an answer, None for a 404; Unreadable for anything else."""
    return _shipment(loads(reply.body)) if reply.status in READ else None


def shipments_of(reply: Reply) -> list[OutboundShipment]:
    """The shipments of a page; Unreadable if an entry is no shipment."""
    return [_shipment(item) for item in items_of(reply, tr("shipments"))]


def return_of(reply: Reply) -> ParcelReturn | None:
    """The return of an answer, None for a 404; Unreadable for anything else."""
    return _return(loads(reply.body)) if reply.status in READ else None


def returns_of(reply: Reply) -> list[ParcelReturn]:
    """The returns of a page; Unreadable if an entry is no return."""
    return [_return(item) for item in items_of(reply, tr("returns"))]


def _shipment(document: Any) -> OutboundShipment:
    fields = object_of(document)
    name, state = first_text(fields, "outboundShipmentId", "id"), object_of(fields.get("state"))
    status = spelled(fields.get("status"), STATUSES)
    if not name or not status:
        raise Unreadable(tr("the answer is not an outbound shipment"))
    created_at = text(fields.get("createdAt"))
    return OutboundShipment(
        name,
        text(fields.get("reference")),
        status,
        created_at,
        first_text(fields, "statusUpdatedAt", "updatedAt") or created_at,
        objects_of(fields.get("items")),
        objects_of(fields.get("parcels")),
        _reasons(fields),
        object_of(fields.get("cancellationRequest")),
        {**fields, "state": {**state, "value": spelled(state["value"], STATES)}}
        if "value" in state
        else fields,
    )


def _reasons(fields: Document) -> list[Document]:
    """The reasons, found by part of the member's name, also in the state."""
    for holder in (fields, object_of(fields.get("state"))):
        for name, value in holder.items():
            if "reason" in name.casefold() and isinstance(value, list):
                return [
                    item if isinstance(item, dict) else {"message": item}
                    for item in value[:MOST_PARTS]
                ]
            if "rejection" in name.casefold() and text(value):
                return [{"message": value}]
    return []


def reason_text(reason: Document) -> str:
    """A reason in words, else its code."""
    return first_text(reason, "message", "description", "reason", "label", "code")


def _return(document: Any) -> ParcelReturn:
    fields = object_of(document)
    name, status = (
        first_text(fields, "returnId", "id"),
        spelled(fields.get("status"), RETURN_STATUSES),
    )
    if not name or not status:
        raise Unreadable(tr("the answer is not a return"))
    created_at = text(fields.get("createdAt"))
    return ParcelReturn(
        name,
        text(fields.get("reference")),
        status,
        spelled(fields.get("type"), KINDS),
        text(fields.get("outboundShipmentId")),
        created_at,
        text(fields.get("updatedAt")) or created_at,
        objects_of(fields.get("lines")),
        fields,
    )


def pieces_of(item: Document) -> int | None:
    """The pieces of an item or line, by any of the known names, or None."""
    names = ("expectedQuantity", "quantity", "announcedQuantity", "shippedQuantity")
    return next((pieces for name in names if (pieces := whole(item.get(name))) is not None), None)


def condition_of(item: Document) -> str:
    return first_text(item, "productCondition", "condition")


def cancellation_of(reply: Reply) -> Document:
    """The request of a cancellation; empty if the service does not have it."""
    return object_of(loads(reply.body, SMALL)) if reply.status in READ else {}


def object_of(value: Any) -> Document:
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Document]:
    items = value[:MOST_PARTS] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def first_text(fields: Document, *names: str) -> str:
    """The text of the first of these members that has one, or an empty text."""
    return next(filter(None, (text(fields.get(name)) for name in names)), "")
