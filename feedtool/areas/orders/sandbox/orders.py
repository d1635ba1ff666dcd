"""The routes that read orders, accept or refuse them: part "Orders" of the specification."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any

import jsonschema_rs
import orjson

from feedtool.areas.orders.sandbox import states, store
from feedtool.areas.orders.sandbox.filters import asked_order_page, order_by, selection
from feedtool.areas.orders.sandbox.shop import opened
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, FILLED, TEXT, check_structure, chosen, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import moment_of, stamp

# POST /orders/{orderId}/shipments.


_SHIPMENTS = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["parcelNumber", "carrierName"],
            "properties": {
                "parcelNumber": FILLED,
                "carrierName": FILLED,
                "trackingUrl": TEXT,
                "orderLineIds": {"type": ["array", "null"], "items": FILLED, "minItems": 1},
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
    if order.status != states.IN_PREPARATION:
        raise _refused(f"it is {order.status}")
    behaviour = exchange.settings.of(OrderBehaviour)
    lines = _shipped_lines(order, parcels, exchange.settings.primary_channel, behaviour)
    for line in lines:
        line["parcels"] = _parcels_of(line["orderLineId"], parcels)
        line["status"] = states.SHIPPED
    states.follow(order, exchange.now, behaviour)
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
    shippable = states.OPEN if order.channel == primary else (states.IN_PREPARATION,)
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
        states.parcel(parcel["parcelNumber"], parcel["carrierName"], parcel.get("trackingUrl"))
        for parcel in parcels
        if (names := parcel.get("orderLineIds")) is None or line_id in names
    ]


TABLES = ""

REFRESH = timedelta(hours=8)
"""Time between refreshes of parcels' timelines (part "Events", 3)."""


@opened
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /orders: the answer has neither a total nor a Link to the next page."""
    behaviour = exchange.settings.of(OrderBehaviour)
    shown = _page(exchange, order_by(exchange))
    return json_answer(200, {"items": [_document(order, behaviour) for order in shown]})


def _page(exchange: Exchange, order: str, condition: str = "TRUE") -> list[str]:
    """The documents of the requested page of orders, by the filters and a further condition."""
    page, (where, values) = asked_order_page(exchange), selection(exchange)
    rows = exchange.db.execute(
        f"SELECT shown FROM orders WHERE {where} AND {condition} ORDER BY {order}"  # noqa: S608 - only constants are filled in
        " LIMIT :size OFFSET :start",
        {**values, "size": page.size, "start": page.start},
    )
    return [shown for (shown,) in rows]


@opened
def count(exchange: Exchange) -> HttpResponse:
    """GET /orders/count, by the filters of the list."""
    where, values = selection(exchange)
    query = f"SELECT COUNT(*) FROM orders WHERE {where}"  # noqa: S608 - as above
    (number,) = exchange.db.execute(query, values).fetchone()
    return json_answer(200, {"count": number})


@opened
def read(exchange: Exchange) -> HttpResponse:
    """GET /orders/{orderId}."""
    row = exchange.db.execute(
        "SELECT shown FROM orders WHERE seller = ? AND order_id = ? AND shown IS NOT NULL",
        (exchange.seller, exchange.ids["orderId"]),
    ).fetchone()
    if row is None:
        raise not_found("The order")
    return json_answer(200, _document(row["shown"], exchange.settings.of(OrderBehaviour)))


def _document(shown: str, behaviour: OrderBehaviour) -> Any:
    """The order's document, without the addresses that the announced change removes."""
    if behaviour.addresses == "always":
        return orjson.Fragment(shown)
    order = orjson.loads(shown)
    is_sellers = order["supplyMode"] == "Seller"
    with_address = {states.SHIPPED, states.DELIVERED, *(states.OPEN if is_sellers else ())}
    for line in order["lines"]:
        if line["status"] not in with_address:
            line["shippingAddress"] = None
    return order


@opened
def approve(exchange: Exchange) -> HttpResponse:
    """POST /orders/{orderId}/approval-status: once, and only on the primary channel."""
    order = store.asked_order(exchange)
    status = chosen(exchange.request, "approval_status", (states.ACCEPTED, states.REFUSED))
    if order.channel != exchange.settings.primary_channel:
        raise bad_request("orderId", f"The sales channel {order.channel} accepts orders itself.")
    if order.status != states.WAITING:
        raise bad_request("orderId", f"The order must be {states.WAITING}; it is {order.status}.")
    behaviour = exchange.settings.of(OrderBehaviour)
    states.move(order, status, exchange.now, behaviour)
    store.write(exchange.db, order, exchange.now, behaviour.visible_after)
    effects.note(exchange, "approval", order.order_id, status)
    return json_answer(200, {"orderId": order.order_id, "status": status})


@opened
def read_trackings(exchange: Exchange) -> HttpResponse:
    """GET /parcel-trackings: parcels that a warehouse has sent, by the filters of orders."""
    sent_by_warehouse = "supply_mode <> 'Seller' AND shipped_at IS NOT NULL"
    shown = _page(exchange, "created_at DESC, id DESC", sent_by_warehouse)
    items = [_tracking(orjson.loads(order), exchange.now) for order in shown]
    return json_answer(200, {"items": items})


def _tracking(order: dict[str, Any], now: datetime) -> dict[str, Any]:
    """The timeline of an order's parcel at the last refresh."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    refreshed = stamp(now - (now - midnight) % REFRESH)
    events = [("InTransit", order["shippedAt"])]
    if order["status"] == states.DELIVERED:
        events.append((states.DELIVERED, order["updatedAt"]))
    return {
        "orderId": order["orderId"],
        **next(parcel for line in order["lines"] for parcel in line["parcels"]),
        "refreshedAt": refreshed,
        "events": [
            {"status": name, "date": moment} for name, moment in events if moment <= refreshed
        ],
    }


# Changes of orders by themselves.


def next_due(db: Connection) -> str | None:
    """The time of the next change of an order by itself."""
    due: str | None
    (due,) = db.execute("SELECT MIN(next_at) FROM orders WHERE next_at IS NOT NULL").fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the order change that is due first."""
    order = store.first_due(db)
    due = moment_of(str(order.next_at))
    states.BY_ITSELF[order.status](order, due, settings)
    store.write(db, order, due, settings.of(OrderBehaviour).visible_after)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/orders/count", count),
    Route("GET", "/orders", read_all),
    Route("GET", "/orders/{orderId}", read),
    Route("POST", "/orders/{orderId}/approval-status", approve),
    Route("POST", "/orders/{orderId}/shipments", ship),
    Route("GET", "/parcel-trackings", read_trackings),
)
