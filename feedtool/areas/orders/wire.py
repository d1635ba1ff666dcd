"""Calls for orders, shipments, cancellations and gestures, and readers of their answers.

Specification, "Orders". Names that it does not show are read by alternatives, all seen in the
field; every shape is checked.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from feedtool.model.call import CREATED, JSON, READ, STAGED, Call, Reply, language_tag
from feedtool.model.text import tr
from feedtool.service.answers import (
    SMALL,
    Unreadable,
    amount,
    created_id,
    items_of,
    last_segment,
    loads,
    spelled,
    text,
)

READ_OR_NONE = READ | {400, 404}
"""A list that a service does not give is no error: a shop works without it."""
READ_OR_GONE = READ | {404}
"""An order that does not exist is an answer, too."""
PAGE = 100
"""The largest page of orders (specification, "Limits")."""
MOST_LINES = 1000
STATUSES = (
    *("Processing", "WaitingAcceptance", "Accepted", "Refused", "InPreparation", "Shipped"),
    *("Delivered", "Cancelled", "Rejected"),
)
LINE_STATUSES = (*STATUSES, "CancelRequest")
SELLER = "Seller"
"""The supplyMode of what the seller ships, and the userType of whom the seller is."""


class OrderParcel(NamedTuple):
    """A parcel of a line, as it was declared."""

    number: str
    carrier: str
    url: str
    tracking_id: str


class Line(NamedTuple):
    """A line of an order."""

    id: str
    status: str
    """Empty if only the order has a status."""
    offer_id: str
    supply_mode: str
    parcels: tuple[OrderParcel, ...]
    document: Mapping[str, Any]
    """The document of the service."""

    @property
    def product(self) -> str:
        """The seller's reference of its product."""
        return text(value_at(self.document, "offer.sellerProductId"))


class Order(NamedTuple):
    """An order."""

    id: str
    status: str
    channel: str
    supply_mode: str
    updated_at: str
    lines: tuple[Line, ...]
    document: Mapping[str, Any]
    """The document of the service."""

    def status_of(self, line: Line) -> str:
        return line.status or self.status

    def is_sellers(self, line: Line) -> bool:
        """True if the seller ships a line; a line's own supplyMode counts before the order's."""
        return (line.supply_mode or self.supply_mode or SELLER).casefold() == SELLER.casefold()


# Orders.


def _order(order: str) -> str:
    return f"/orders/{quote(order, safe='')}"


def read_order(order: str) -> Call:
    return Call("GET", _order(order), READ_OR_GONE)


def read_orders(query: Iterable[tuple[str, str]]) -> Call:
    return Call("GET", "/orders", READ, query=(*query, ("pageSize", str(PAGE))))


def approve(order: str, body: bytes) -> Call:
    """Accept or refuse an order; the body has the one field in snake case of the service."""
    return Call("POST", f"{_order(order)}/approval-status", STAGED, headers=JSON, body=body)


def ship(order: str, body: bytes) -> Call:
    return Call("POST", f"{_order(order)}/shipments", STAGED, headers=JSON, body=body)


def order_of(reply: Reply) -> Order | None:
    """The order of an answer, None for 404; Unreadable for anything else."""
    if reply.status not in READ:
        return None
    document = loads(reply.body, SMALL)
    order = read_document(document)
    if order is None:
        raise Unreadable(tr("the answer is not an order"))
    return order


def orders_of(reply: Reply) -> list[Order]:
    """The orders of a page; Unreadable if one lacks its identifier or status."""
    orders = [read_document(item) for item in items_of(reply, tr("orders"))]
    if None in orders:
        raise Unreadable(tr("the answer holds something that is not an order"))
    return [order for order in orders if order]


def read_document(document: Any) -> Order | None:
    """An order, None for what has neither an identifier nor a status."""
    fields = document if isinstance(document, dict) else {}
    identifier, status = text(fields.get("orderId")), spelled(fields.get("status"), STATUSES)
    if not identifier or not status:
        return None
    lines = fields.get("lines")
    listed_lines = lines[:MOST_LINES] if isinstance(lines, list) else []
    return Order(
        identifier,
        status,
        text(fields.get("salesChannelId")) or text(value_at(fields, "salesChannel.id")),
        text(fields.get("supplyMode")),
        text(fields.get("updatedAt")),
        tuple(_line(line) for line in listed_lines if isinstance(line, dict)),
        {**fields, "status": status},
    )


def _line(fields: Mapping[str, Any]) -> Line:
    names = ("orderLineId", "lineId", "id")
    offer = _object(fields.get("offer"))
    parcels = fields.get("parcels")
    listed_parcels = parcels[:MOST_LINES] if isinstance(parcels, list) else []
    return Line(
        next(filter(None, (text(fields.get(name)) for name in names)), ""),
        spelled(fields.get("status"), LINE_STATUSES),
        text(offer.get("offerId")) or text(offer.get("id")),
        text(fields.get("supplyMode")) or text(offer.get("supplyMode")),
        tuple(_parcel(parcel) for parcel in listed_parcels if isinstance(parcel, dict)),
        fields,
    )


def _parcel(fields: Mapping[str, Any]) -> OrderParcel:
    names = ("parcelNumber", "carrierName", "trackingUrl", "trackingId")
    return OrderParcel(*(text(fields.get(name)) for name in names))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """The value at a path of a document, or None."""
    value: Any = document
    for name in path.split("."):
        value = _object(value).get(name)
    return value


# Cancellations.


class Reason(NamedTuple):
    """A reason for a cancellation."""

    code: str
    label: str

    @property
    def stamp(self) -> str:
        """The reason in the stamp of a sheet: its code, and a label that differs."""
        if self.label == self.code:
            return self.code
        # Without the characters that separate the reasons of a stamp.
        return f"{self.code}~{' '.join(re.sub('[,|=~]', ' ', self.label).split())}"

    @classmethod
    def stamped(cls, stamp: str) -> "Reason":
        code, _, label = stamp.partition("~")
        return cls(code, label or code)


def read_reasons(channel: str, status: str, language: str) -> Call:
    """The reasons that a seller may cancel for, of a channel and a status of orders."""
    query = (("salesChannel", channel), ("userType", SELLER), ("orderStatus", status))
    headers = (("Accept-Language", language_tag(language)),)
    return Call("GET", "/cancellation-reasons", READ_OR_NONE, query=query, headers=headers)


def reasons_of(reply: Reply) -> list[Reason]:
    """The reasons, read from texts or objects."""
    reasons = [_reason(item) for item in items_of(reply, tr("reasons"))]
    return [reason for reason in reasons if reason.code]


def _reason(item: Any) -> Reason:
    fields = item if isinstance(item, dict) else {"code": item}
    code = next(filter(None, (text(fields.get(name)) for name in ("code", "reason", "name"))), "")
    return Reason(code, text(fields.get("label")) or code)


def cancel(body: Mapping[str, Any]) -> Call:
    """Cancel lines of an order, or the whole order if the body lists none."""
    whole = "/order-cancellation-requests"
    part = "/order-partial-cancellation-requests"
    target = part if "lines" in body else whole
    return Call("POST", target, STAGED, headers=JSON, body=orjson.dumps(body))


def created(reply: Reply) -> str | None:
    names = ("requestId", "cancellationRequestId", "partialCancellationRequestId", "id")
    return created_id(reply, last_segment(reply.url), *names)


# Gestures.


class Gesture(NamedTuple):
    """A request of a commercial gesture."""

    id: str
    order: str
    status: str
    reason: str
    amount: Decimal | None
    document: Mapping[str, Any]


def read_available(order: str) -> Call:
    return Call("GET", f"{_order(order)}/commercial-gestures-available-amounts", READ_OR_GONE)


def available_of(reply: Reply) -> Decimal | None:
    """The amount left, or None if no member holds it (the specification shows no names)."""
    document = _object(loads(reply.body, SMALL)) if reply.status in READ else {}
    names = [name for name in document if name == "allowableAmount"] or [
        name
        for name in document
        if any(part in name.casefold() for part in ("available", "allowable", "max"))
    ]
    return amount(document[names[0]]) if names else None


def give(body: bytes) -> Call:
    """Ask for a commercial gesture."""
    return Call(
        "POST", "/order-commercial-gesture-requests", CREATED | STAGED, headers=JSON, body=body
    )


def read_gestures(order: str = "") -> Call:
    """The call for requests of gestures; a service may ignore the filter by order."""
    query, unsure = (("orderId", order),) if order else (), frozenset({"orderId"})
    return Call("GET", "/order-commercial-gesture-requests", READ, query=query, unsure=unsure)


def gestures_of(reply: Reply) -> list[Gesture]:
    items = items_of(reply, tr("gestures"))
    return [_gesture(item) for item in items if isinstance(item, dict)]


def _gesture(fields: Mapping[str, Any]) -> Gesture:
    names = ("requestId", "commercialGestureRequestId", "id")
    return Gesture(
        next(filter(None, (text(fields.get(name)) for name in names)), ""),
        text(fields.get("orderId")) or text(fields.get("orderSellerId")),
        text(fields.get("status")),
        text(fields.get("reason")),
        amount(fields.get("amount")),
        fields,
    )


# Other lists.


def read_configuration(channel: str) -> Call:
    target = f"/sales-channel-commercial-gesture-configurations/{quote(channel, safe='')}"
    return Call("GET", target, READ_OR_GONE)


def configuration_of(reply: Reply) -> Mapping[str, Any]:
    """The configuration (the specification shows no names); Unreadable for another answer."""
    document = loads(reply.body, SMALL)
    if not isinstance(document, dict):
        raise Unreadable(tr("the answer is not a configuration"))
    return document


def read_count(*query: tuple[str, str]) -> Call:
    return Call("GET", "/orders/count", READ, query=query)
