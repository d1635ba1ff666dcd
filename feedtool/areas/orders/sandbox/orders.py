"""The routes that read orders, accept or refuse them: part "Orders" of the specification."""

from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any

import orjson

from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.filters import asked_order_page, order_by, selection
from feedtool.areas.orders.sandbox.shipments import ship
from feedtool.areas.orders.sandbox.shop import opened
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import chosen
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

REFRESH = timedelta(hours=8)
"""Time between refreshes of parcels' timelines (part "Events", 3)."""


@opened
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /orders: the answer has neither a total nor a Link to the next page."""
    page, selected = asked_order_page(exchange), selection(exchange)
    rows = exchange.db.execute(
        f"SELECT shown FROM orders WHERE {selected.where} ORDER BY {order_by(exchange)}"  # noqa: S608 - only constants are filled in
        " LIMIT :size OFFSET :start",
        {**selected.values, "size": page.size, "start": page.start},
    )
    behaviour = exchange.settings.of(OrderBehaviour)
    return json_answer(200, {"items": [_document(shown, behaviour) for (shown,) in rows]})


@opened
def count(exchange: Exchange) -> HttpResponse:
    """GET /orders/count, by the filters of the list."""
    selected = selection(exchange)
    query = f"SELECT COUNT(*) FROM orders WHERE {selected.where}"  # noqa: S608 - as above
    (number,) = exchange.db.execute(query, selected.values).fetchone()
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
    with_address = {life.SHIPPED, life.DELIVERED, *(life.OPEN if is_sellers else ())}
    for line in order["lines"]:
        if line["status"] not in with_address:
            line["shippingAddress"] = None
    return order


@opened
def approve(exchange: Exchange) -> HttpResponse:
    """POST /orders/{orderId}/approval-status: once, and only on the primary channel."""
    order = store.asked_order(exchange)
    status = chosen(exchange.request, "approval_status", (life.ACCEPTED, life.REFUSED))
    if order.channel != exchange.settings.primary_channel:
        raise bad_request("orderId", f"The sales channel {order.channel} accepts orders itself.")
    if order.status != life.WAITING:
        raise bad_request("orderId", f"The order must be {life.WAITING}; it is {order.status}.")
    behaviour = exchange.settings.of(OrderBehaviour)
    life.move(order, status, exchange.now, behaviour)
    store.write(exchange.db, order, exchange.now, behaviour.visible_after)
    effects.note(exchange, "approval", order.order_id, status)
    return json_answer(200, {"orderId": order.order_id, "status": status})


@opened
def read_trackings(exchange: Exchange) -> HttpResponse:
    """GET /parcel-trackings: parcels that a warehouse has sent, by the filters of orders."""
    page, selected = asked_order_page(exchange), selection(exchange)
    rows = exchange.db.execute(
        f"SELECT shown FROM orders WHERE {selected.where} AND supply_mode <> 'Seller'"  # noqa: S608 - as above
        " AND shipped_at IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT :size OFFSET :start",
        {**selected.values, "size": page.size, "start": page.start},
    )
    items = [_tracking(orjson.loads(shown), exchange.now) for (shown,) in rows]
    return json_answer(200, {"items": items})


def _tracking(order: dict[str, Any], now: datetime) -> dict[str, Any]:
    """The timeline of an order's parcel at the last refresh."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    refreshed = stamp(now - (now - midnight) % REFRESH)
    events = [("InTransit", order["shippedAt"])]
    if order["status"] == life.DELIVERED:
        events.append((life.DELIVERED, order["updatedAt"]))
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
    life.BY_ITSELF[order.status](order, due, settings)
    store.write(db, order, due, settings.of(OrderBehaviour).visible_after)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/orders/count", count),
    Route("GET", "/orders", read_all),
    Route("GET", "/orders/{orderId}", read),
    Route("POST", "/orders/{orderId}/approval-status", approve),
    Route("POST", "/orders/{orderId}/shipments", ship),
    Route("GET", "/parcel-trackings", read_trackings),
)
