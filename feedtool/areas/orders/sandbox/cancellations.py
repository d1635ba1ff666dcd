"""The cancellation of orders and lines: parts "Cancellation and commercial gesture" and "Orders".

A request that is taken has its effect a little later, if its reason is still eligible by then.
"""

from collections.abc import Mapping
from datetime import datetime
from sqlite3 import Connection
from typing import Any, NamedTuple

import jsonschema_rs

from feedtool.areas.orders.sandbox import states, store
from feedtool.areas.orders.sandbox.shop import cost, open_shop
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import (
    DRAFT,
    FILLED,
    HIGHEST,
    TEXT,
    asked,
    check_structure,
    json_body,
    known_channel,
)
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.resources import Life, Lists, Resource, StoredThing, TimedState, dates, equals
from feedtool.sandbox.state import stamp

TAKEN = "Taken"
"""The status of a request; no route shows it."""

USERS = ("Customer", "Seller", "SalesChannel", "Fulfillment")
"""The users who may cancel ("Cancellation sources")."""

BEFORE = (states.WAITING,)
AFTER = (states.ACCEPTED, states.IN_PREPARATION)
SENT = (states.SHIPPED, states.DELIVERED)


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
    EligibleReason("customer-request", "Seller", (*BEFORE, *AFTER, states.SHIPPED)),
    EligibleReason("parcel-lost", "Seller", (states.SHIPPED,)),
    EligibleReason("product-damaged", "Seller", SENT),
    EligibleReason("product-returned", "Seller", SENT),
    EligibleReason("customer-changed-mind", "Customer", (*BEFORE, *AFTER)),
    EligibleReason("customer-found-cheaper", "Customer", (*BEFORE, *AFTER)),
    EligibleReason("not-shipped-in-time", "SalesChannel", AFTER),
    EligibleReason("product-not-found", "Fulfillment", AFTER),
)
"""Their names are not shown; after acceptance there are fewer (part "Order and line")."""


_TERMS = {"reason": FILLED, "shippingCostRefund": {"type": "boolean"}}
_LINE = {"lineId": FILLED, "offerId": FILLED, **_TERMS}
_LINES = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "object", "required": list(_LINE), "properties": _LINE},
}


def _validator(properties: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    required = {"orderSellerId": FILLED, **properties}
    return jsonschema_rs.Draft202012Validator(
        {"$schema": DRAFT, "type": "object", "required": list(required), "properties": required}
    )


_FULL, _PARTIAL = _validator(_TERMS), _validator({"lines": _LINES})


def read_reasons(exchange: Exchange) -> HttpResponse:
    """GET /cancellation-reasons: the reasons that pass the filters."""
    channel = asked(exchange, "salesChannel")
    if channel is not None:
        known_channel(channel, "salesChannel", exchange.settings)
    user = _one_of(exchange, "userType", USERS)
    status = _one_of(exchange, "orderStatus", states.STATUSES)
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
    if any(line["status"] == states.CANCELLED for line in order.lines):
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
    status = states.IN_PREPARATION if status == states.CANCEL_REQUEST else status
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
        states.cancel(order, lines, now, behaviour)
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


# Commercial gestures.


CREATED, GRANTED, REJECTED = "Created", "Accepted", "Rejected"


def read_configuration(exchange: Exchange) -> HttpResponse:
    """GET /sales-channel-commercial-gesture-configurations/{salesChannelId}."""
    channel = exchange.ids["salesChannelId"]
    if channel not in exchange.settings.channels:
        raise not_found("The sales channel configuration")
    behaviour = exchange.settings.of(OrderBehaviour)
    return json_answer(
        200,
        {
            "salesChannelId": channel,
            "isEnabled": behaviour.allows_gestures(channel),
            "maximumAmount": behaviour.gesture_amount,
            "maximumRate": behaviour.gesture_rate,
        },
    )


def read_amounts(exchange: Exchange) -> HttpResponse:
    """GET /orders/{orderId}/commercial-gestures-available-amounts."""
    order = store.asked_order(exchange)
    granted = _granted(exchange.db, order)
    left = _left(exchange.db, order, exchange.settings.of(OrderBehaviour))
    return json_answer(200, {"allowableAmount": left, "grantedAmount": granted})


def _granted(db: Connection, order: StoredOrder) -> float:
    gestures = GESTURES.every(db, order.seller, orderId=order.order_id, status=GRANTED)
    return round(sum((gesture.document["amount"] for gesture in gestures), 0.0), 2)


def _left(db: Connection, order: StoredOrder, behaviour: OrderBehaviour) -> float:
    """The amount that may still be granted: 0 before the order is Shipped."""
    has_gestures = behaviour.allows_gestures(order.channel)
    if not has_gestures or order.status not in {states.SHIPPED, states.DELIVERED}:
        return 0
    kept = sum(cost(line) for line in order.lines if line["status"] != states.CANCELLED)
    most = max(behaviour.gesture_amount, kept * behaviour.gesture_rate / 100)
    return max(0, round(most - _granted(db, order), 2))


def request(exchange: Exchange, body: dict[str, Any]) -> HttpResponse:
    """POST /order-commercial-gesture-requests: whether it is granted is decided later."""
    if body["reason"] == "Other" and not (body.get("reasonDetails") or "").strip():
        raise bad_request("reasonDetails", "reasonDetails is required.", FIELD_MISSING)
    order = store.asked_order(exchange, body["orderId"])
    gesture = GESTURES.new(exchange.db, exchange.seller, exchange.now)
    # Its fields are not shown in the specification but for those that are sent.
    gesture.document = {
        "requestId": f"GR-{gesture.number:08d}",
        "orderId": order.order_id,
        "reason": body["reason"],
        "reasonDetails": body.get("reasonDetails"),
        "amount": float(body["amount"]),
        "status": CREATED,
        "createdAt": stamp(exchange.now),
    }
    GESTURES.enter(gesture, CREATED, exchange.now, exchange.settings)
    GESTURES.keep(exchange.db, gesture)
    effects.note(exchange, "gesture", order.order_id, body)
    return json_answer(201, {**gesture.document, "amount": body["amount"]})


def _decided(db: Connection, gesture: StoredThing, _: datetime, settings: SandboxSettings) -> str:
    order = store.find(db, gesture.seller, gesture.document["orderId"])
    left = _left(db, order, settings.of(OrderBehaviour)) if order else 0
    return GRANTED if gesture.document["amount"] <= left else REJECTED


GESTURES = Resource(
    kind="commercial gesture request",
    path="/order-commercial-gesture-requests",
    body={
        "required": ["orderId", "reason", "amount"],
        "properties": {
            "orderId": FILLED,
            "reason": FILLED,
            "reasonDetails": TEXT,
            "amount": {"type": "number", "exclusiveMinimum": 0},
        },
    },
    create=request,
    life=Life(
        OrderBehaviour, {CREATED: TimedState(lambda of, _: of.gesture_after, _decided)}, "updatedAt"
    ),
    lists=Lists(
        filters={
            **equals("orderId", "status"),
            **dates(createdAt="createdAt", updatedAt="updatedAt"),
        },
        highest=HIGHEST,
    ),
    opens=open_shop,
    routes=(
        Route("GET", "/orders/{orderId}/commercial-gestures-available-amounts", read_amounts),
        Route(
            "GET",
            "/sales-channel-commercial-gesture-configurations/{salesChannelId}",
            read_configuration,
        ),
    ),
    indexed=("orderId",),
)
