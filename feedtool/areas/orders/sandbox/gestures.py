"""Commercial gestures: part "Orders", rule 6, and part "Errors", rule 11, of the specification."""

from sqlite3 import Connection, Row
from typing import Any

import jsonschema_rs

from feedtool.areas.orders.sandbox import life, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.made_up import cost
from feedtool.areas.orders.sandbox.shop import opened
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import (
    DRAFT,
    HIGHEST,
    LIMIT,
    TEXT,
    asked,
    asked_number,
    asked_page,
    check_structure,
    json_body,
    moment_stamp,
    page_answer,
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
from feedtool.sandbox.state import stamp

CREATED = "Created"
GRANTED = "Accepted"
REJECTED = "Rejected"

TABLES = """
CREATE TABLE IF NOT EXISTS gesture(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  due_at TEXT,                 -- NULL once it is decided
  seller TEXT NOT NULL,
  order_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  details TEXT,
  amount REAL NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS gesture_next ON gesture(due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS gesture_by_order ON gesture(seller, order_id);
"""

_FILLED = {"type": "string", "minLength": 1}
_GESTURE = jsonschema_rs.Draft202012Validator(
    {
        "$schema": DRAFT,
        "type": "object",
        "required": ["orderId", "reason", "amount"],
        "properties": {
            "orderId": _FILLED,
            "reason": _FILLED,
            "reasonDetails": TEXT,
            "amount": {"type": "number", "exclusiveMinimum": 0},
        },
    }
)


@opened
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


@opened
def read_amounts(exchange: Exchange) -> HttpResponse:
    """GET /orders/{orderId}/commercial-gestures-available-amounts."""
    order = store.asked_order(exchange)
    granted = _granted(exchange.db, order)
    left = _left(exchange.db, order, exchange.settings.of(OrderBehaviour))
    return json_answer(200, {"allowableAmount": left, "grantedAmount": granted})


def _granted(db: Connection, order: StoredOrder) -> float:
    query = "SELECT TOTAL(amount) FROM gesture WHERE seller = ? AND order_id = ? AND status = ?"
    (total,) = db.execute(query, (order.seller, order.order_id, GRANTED)).fetchone()
    return round(float(total), 2)


def _left(db: Connection, order: StoredOrder, behaviour: OrderBehaviour) -> float:
    """What may still be given: nothing before the order is Shipped."""
    has_gestures = behaviour.allows_gestures(order.channel)
    if not has_gestures or order.status not in {life.SHIPPED, life.DELIVERED}:
        return 0
    kept = sum(cost(line) for line in order.lines if line["status"] != life.CANCELLED)
    most = max(behaviour.gesture_amount, kept * behaviour.gesture_rate / 100)
    return max(0, round(most - _granted(db, order), 2))


@opened
def request(exchange: Exchange) -> HttpResponse:
    """POST /order-commercial-gesture-requests: whether it is granted is decided later."""
    body = json_body(exchange.request)
    check_structure(_GESTURE, body, "a commercial gesture request")
    if body["reason"] == "Other" and not (body.get("reasonDetails") or "").strip():
        raise bad_request("reasonDetails", "reasonDetails is required.", FIELD_MISSING)
    order = store.asked_order(exchange, body["orderId"])
    due = stamp(exchange.now + exchange.settings.of(OrderBehaviour).gesture_after)
    row = exchange.db.execute(
        "INSERT INTO gesture(due_at, seller, order_id, reason, details, amount, status, created_at,"
        " updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING *",
        (
            *(due, exchange.seller, order.order_id, body["reason"], body.get("reasonDetails")),
            *(body["amount"], CREATED, stamp(exchange.now)),
        ),
    ).fetchone()
    effects.note(exchange, "gesture", order.order_id, body)
    return json_answer(201, _document(row))


FILTERS = {
    "orderId": "order_id = :orderId",
    "status": "status = :status",
    "createdAtMin": "created_at >= :createdAtMin",
    "createdAtMax": "created_at <= :createdAtMax",
    "updatedAtMin": "updated_at >= :updatedAtMin",
    "updatedAtMax": "updated_at <= :updatedAtMax",
}
"""Query parameter and the SQL condition that it adds; those of time are date-times."""


@opened
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /order-commercial-gesture-requests, oldest first."""
    if asked_number(exchange, "limit", LIMIT) > HIGHEST:
        raise bad_request("limit", f"limit must be a number from 1 to {HIGHEST}.")
    page = asked_page(exchange)
    given = {name: text for name in FILTERS if (text := asked(exchange, name)) is not None}
    values = {
        name: moment_stamp(name, text) if "At" in name else text for name, text in given.items()
    }
    conditions = "".join(f" AND {FILTERS[name]}" for name in given)
    rows = exchange.db.execute(
        f"SELECT * FROM gesture WHERE seller = :seller AND id > :after{conditions}"  # noqa: S608 - only constants of ours are filled in
        " ORDER BY id LIMIT :rows",
        {**values, "seller": exchange.seller, "after": page.after, "rows": page.limit + 1},
    ).fetchall()
    return page_answer(exchange, page, rows, _document)


def _document(row: Row) -> dict[str, Any]:
    """A request as it is read; its fields are not shown but for those that were sent."""
    return {
        "requestId": f"GR-{row['id']:08d}",
        "orderId": row["order_id"],
        "reason": row["reason"],
        "reasonDetails": row["details"],
        "amount": row["amount"],
        "status": row["status"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
    }


# The decision.


def next_due(db: Connection) -> str | None:
    """When the next request is decided."""
    query = "SELECT MIN(due_at) FROM gesture WHERE due_at IS NOT NULL"
    due: str | None
    (due,) = db.execute(query).fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Decide on the request whose time has come first."""
    row = db.execute(
        "SELECT * FROM gesture WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1"
    ).fetchone()
    order = store.find(db, row["seller"], row["order_id"])
    left = _left(db, order, settings.of(OrderBehaviour)) if order else 0
    db.execute(
        "UPDATE gesture SET status = ?, updated_at = due_at, due_at = NULL WHERE id = ?",
        (GRANTED if row["amount"] <= left else REJECTED, row["id"]),
    )


ROUTES: tuple[Route, ...] = (
    Route("GET", "/orders/{orderId}/commercial-gestures-available-amounts", read_amounts),
    Route(
        "GET",
        "/sales-channel-commercial-gesture-configurations/{salesChannelId}",
        read_configuration,
    ),
    Route("POST", "/order-commercial-gesture-requests", request),
    Route("GET", "/order-commercial-gesture-requests", read_all),
)
