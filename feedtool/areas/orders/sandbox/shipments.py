"""POST /orders/{orderId}/shipments: part "Orders", rules 3 and 4 of the specification."""

from collections.abc import Iterable
from typing import Any

import jsonschema_rs

from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.shop import opened
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, TEXT, check_structure, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    RequestRefused,
    bad_request,
)

_FILLED = {"type": "string", "minLength": 1}
_SHIPMENTS = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["parcelNumber", "carrierName"],
            "properties": {
                "parcelNumber": _FILLED,
                "carrierName": _FILLED,
                "trackingUrl": TEXT,
                "orderLineIds": {"type": ["array", "null"], "items": _FILLED, "minItems": 1},
            },
        },
    }
)


@opened
def ship(exchange: Exchange) -> HttpResponse:
    """Declare the parcels of an order or of some of its lines, once and for ever."""
    order = store.asked_order(exchange)
    parcels = json_body(exchange.request)
    check_structure(_SHIPMENTS, parcels, "a list of shipment declaration items")
    if not order.is_shipped_by_seller:
        raise _refused("it is not shipped by the seller")
    if order.status != life.IN_PREPARATION:
        raise _refused(f"it is {order.status}")
    behaviour = exchange.settings.of(OrderBehaviour)
    lines = _shipped_lines(order, parcels, exchange.settings.primary_channel, behaviour)
    for line in lines:
        line["parcels"] = _parcels_of(line["orderLineId"], parcels)
        line["status"] = life.SHIPPED
    life.follow(order, exchange.now, behaviour)
    store.write(exchange.db, order, exchange.now, behaviour.visible_after)
    effects.note(exchange, "shipment", order.order_id, parcels)
    return HttpResponse(201)


def _refused(why: str) -> RequestRefused:
    return bad_request("orderId", f"Cannot switch to shipped status the order: {why}.")


def _shipped_lines(
    order: StoredOrder, parcels: Iterable[dict[str, Any]], primary: str, behaviour: OrderBehaviour
) -> list[dict[str, Any]]:
    """The lines in the parcels: those that they name, or all that can be shipped."""
    # A customer's withdrawal can be refused on the primary channel alone (part "Order and line").
    shippable = life.OPEN if order.channel == primary else (life.IN_PREPARATION,)
    available = [line for line in order.lines if line["status"] in shippable]
    known = {line["orderLineId"]: line for line in available}
    lists = [parcel.get("orderLineIds") for parcel in parcels]
    line_ids = {line_id for names in lists for line_id in (known if names is None else names)}
    if strange := sorted(line_ids - set(known)):
        raise _refused(f"the line {strange[0]} cannot be shipped")
    if not line_ids:
        raise _refused("none of its lines can be shipped")
    if line_ids != set(known) and not behaviour.manages_lines(order.channel):
        raise _refused("all available lines must be shipped at once")
    return [line for line_id, line in known.items() if line_id in line_ids]


def _parcels_of(line_id: str, parcels: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The declared parcels that a line is in."""
    return [
        life.parcel(parcel["parcelNumber"], parcel["carrierName"], parcel.get("trackingUrl"))
        for parcel in parcels
        if (names := parcel.get("orderLineIds")) is None or line_id in names
    ]
