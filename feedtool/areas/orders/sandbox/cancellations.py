"""The cancellation of orders and lines: parts "Cancellation and commercial gesture" and "Orders".

A request that is taken has its effect a little later, if its reason is still eligible by then.
"""

from collections.abc import Mapping
from datetime import datetime
from sqlite3 import Connection
from typing import Any, NamedTuple

import jsonschema_rs

from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.shop import open_shop
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, asked, check_structure, json_body, known_channel
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.resources import Life, Resource, StoredThing, TimedState

TAKEN = "Taken"
"""The status of a request; no route shows it."""

USERS = ("Customer", "Seller", "SalesChannel", "Fulfillment")
"""The users who may cancel ("Cancellation sources")."""

BEFORE = (life.WAITING,)
AFTER = (life.ACCEPTED, life.IN_PREPARATION)
SENT = (life.SHIPPED, life.DELIVERED)


class EligibleReason(NamedTuple):
    """A reason for a cancellation."""

    name: str
    user: str
    statuses: tuple[str, ...]
    """The statuses of orders that it is eligible for."""


REASONS = (
    EligibleReason("seller-out-of-stock", "Seller", (*BEFORE, *AFTER)),
    EligibleReason("seller-cannot-deliver", "Seller", (*BEFORE, *AFTER)),
    EligibleReason("seller-price-error", "Seller", BEFORE),
    EligibleReason("seller-wrong-description", "Seller", BEFORE),
    EligibleReason("customer-request", "Seller", (*BEFORE, *AFTER, life.SHIPPED)),
    EligibleReason("parcel-lost", "Seller", (life.SHIPPED,)),
    EligibleReason("product-damaged", "Seller", SENT),
    EligibleReason("product-returned", "Seller", SENT),
    EligibleReason("customer-changed-mind", "Customer", (*BEFORE, *AFTER)),
    EligibleReason("customer-found-cheaper", "Customer", (*BEFORE, *AFTER)),
    EligibleReason("not-shipped-in-time", "SalesChannel", AFTER),
    EligibleReason("product-not-found", "Fulfillment", AFTER),
)
"""Their names are not shown; after acceptance there are fewer (part "Order and line")."""


_TEXT = {"type": "string", "minLength": 1}
_TERMS = {"reason": _TEXT, "shippingCostRefund": {"type": "boolean"}}
_LINE = {"lineId": _TEXT, "offerId": _TEXT, **_TERMS}
_LINES = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "object", "required": list(_LINE), "properties": _LINE},
}


def _validator(properties: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    required = {"orderSellerId": _TEXT, **properties}
    return jsonschema_rs.Draft202012Validator(
        {
            "$schema": DRAFT,
            "type": "object",
            "required": list(required),
            "properties": required,
        }
    )


_FULL, _PARTIAL = _validator(_TERMS), _validator({"lines": _LINES})


def read_reasons(exchange: Exchange) -> HttpResponse:
    """GET /cancellation-reasons: the reasons that pass the filters."""
    channel = asked(exchange, "salesChannel")
    if channel is not None:
        known_channel(channel, "salesChannel", exchange.settings)
    user, status = (
        _one_of(exchange, "userType", USERS),
        _one_of(exchange, "orderStatus", life.STATUSES),
    )
    items = [
        {"reason": reason.name, "userType": reason.user, "orderStatuses": reason.statuses}
        for reason in REASONS
        if user in {None, reason.user} and (status is None or status in reason.statuses)
    ]
    return json_answer(200, {"items": items})


def _one_of(exchange: Exchange, name: str, values: tuple[str, ...]) -> str | None:
    value = asked(exchange, name)
    if value is not None and value not in values:
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return value


def cancel_order(exchange: Exchange) -> HttpResponse:
    """POST /order-cancellation-requests: every line, and none of them may be cancelled yet."""
    body = json_body(exchange.request)
    check_structure(_FULL, body, "a cancellation request")
    order = store.asked_order(exchange, body["orderSellerId"])
    if any(line["status"] == life.CANCELLED for line in order.lines):
        raise bad_request("orderSellerId", "A line of the order is already cancelled.")
    reasons = {line["orderLineId"]: body["reason"] for line in order.lines}
    return _take(exchange, "cancellation", order, reasons, body)


def cancel_lines(exchange: Exchange) -> HttpResponse:
    """POST /order-partial-cancellation-requests: the listed lines."""
    body = json_body(exchange.request)
    check_structure(_PARTIAL, body, "a partial cancellation request")
    order = store.asked_order(exchange, body["orderSellerId"])
    if not exchange.settings.of(OrderBehaviour).manages_lines(order.channel):
        raise bad_request("lines", f"Orders of {order.channel} are cancelled as a whole.")
    names = {line["orderLineId"]: line["offer"]["offerId"] for line in order.lines}
    for place, line in enumerate(body["lines"]):
        if names.get(line["lineId"]) != line["offerId"]:
            raise bad_request(f"lines[{place}]", "The order has no such line of this offer.")
    reasons = {line["lineId"]: line["reason"] for line in body["lines"]}
    return _take(exchange, "partial cancellation", order, reasons, body)


def _take(
    exchange: Exchange, kind: str, order: StoredOrder, reasons: Mapping[str, str], body: Any
) -> HttpResponse:
    """Take a request if all its lines can be cancelled for their reasons."""
    possible = {line["orderLineId"] for line in _cancellable(order, reasons)}
    if refused := [line_id for line_id in reasons if line_id not in possible]:
        what = f"The line {refused[0]} cannot be cancelled now"
        raise bad_request("reason", f"{what} for {reasons[refused[0]]!r}.")
    request = CANCELLATIONS.new(exchange.db, exchange.seller, exchange.now)
    request.document = {"orderId": order.order_id, "lines": dict(reasons)}
    CANCELLATIONS.enter(request, TAKEN, exchange.now, exchange.settings)
    CANCELLATIONS.keep(exchange.db, request)
    effects.note(exchange, kind, order.order_id, body)
    return json_answer(201, {"requestId": f"CR-{request.number:08d}"})


def _cancellable(order: StoredOrder, reasons: Mapping[str, str]) -> list[dict[str, Any]]:
    """The requested lines that can be cancelled now, for the reason of each.

    A line of the warehouse's can only be once it is Shipped or Delivered (rule 5).
    """
    return [
        line
        for line in order.lines
        if (order.is_shipped_by_seller or line["status"] in SENT)
        and _is_eligible(reasons.get(line["orderLineId"]), line["status"])
    ]


def _is_eligible(name: str | None, status: str) -> bool:
    """True if a line of this status can be cancelled by the seller for the reason."""
    status = life.IN_PREPARATION if status == life.CANCEL_REQUEST else status
    return any(
        (reason.name, reason.user) == (name, "Seller") and status in reason.statuses
        for reason in REASONS
    )


def _have_effect(
    db: Connection, request: StoredThing, now: datetime, settings: SandboxSettings
) -> None:
    """Cancel those lines of a request that can still be cancelled."""
    order = store.find(db, request.seller, request.document["orderId"])
    lines = order and _cancellable(order, request.document["lines"])
    if order and lines:
        behaviour = settings.of(OrderBehaviour)
        life.cancel(order, lines, now, behaviour)
        store.write(db, order, now, behaviour.visible_after)


CANCELLATIONS = Resource(
    kind="order cancellation request",
    life=Life(OrderBehaviour, {TAKEN: TimedState(lambda of, _: of.cancel_after, _have_effect)}),
    opens=open_shop,
    routes=(
        Route("GET", "/cancellation-reasons", read_reasons),
        Route("POST", "/order-cancellation-requests", cancel_order),
        Route("POST", "/order-partial-cancellation-requests", cancel_lines),
    ),
)
