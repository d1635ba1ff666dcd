"""Commercial gestures: part "Orders", rule 6, and part "Errors", rule 11, of the specification."""

from datetime import datetime
from sqlite3 import Connection
from typing import Any

from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.made_up import cost
from feedtool.areas.orders.sandbox.shop import open_shop
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import FILLED, HIGHEST, TEXT
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

CREATED = "Created"
GRANTED = "Accepted"
REJECTED = "Rejected"


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
    if not has_gestures or order.status not in {life.SHIPPED, life.DELIVERED}:
        return 0
    kept = sum(cost(line) for line in order.lines if line["status"] != life.CANCELLED)
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
