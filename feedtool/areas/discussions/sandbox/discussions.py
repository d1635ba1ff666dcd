"""The routes of discussions: part "Discussions" of the specification."""

from sqlite3 import Row
from typing import Any

import jsonschema_rs

from feedtool.areas.discussions.sandbox import store
from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.channels import eligible_receivers, is_enabled, usable
from feedtool.areas.discussions.sandbox.customers import written
from feedtool.areas.discussions.sandbox.filters import (
    COUNTED,
    FILTERS,
    asked_discussion_page,
    order_by,
    selection,
)
from feedtool.areas.discussions.sandbox.messages import FILES, patched, sent_files
from feedtool.areas.discussions.sandbox.store import CUSTOMER, SELLER, SUPPORT, NewMessage, Topic
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.orders.sandbox.store import find as find_order
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, TEXT, asked, check_structure, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    bad_request,
    json_answer,
)

_FILLED = {"type": "string", "minLength": 1}


def _validator(behaviour: DiscussionBehaviour) -> jsonschema_rs.Draft202012Validator:
    body = {
        "type": "string",
        "minLength": behaviour.shortest,
        "maxLength": behaviour.longest,
    }
    message = {
        "type": "object",
        "required": ["body", "receiver"],
        "properties": {
            "body": body,
            "receiver": {"enum": [CUSTOMER, SUPPORT]},
            "attachments": FILES,
        },
    }
    return jsonschema_rs.Draft202012Validator(
        {
            "$schema": DRAFT,
            "type": "object",
            "required": ["subject", "orderId", "salesChannel", "subtypologyCode", "message"],
            "properties": {
                "subject": {"type": "string", "minLength": 5, "maxLength": 50},
                "orderId": _FILLED,
                "salesChannel": _FILLED,
                "subtypologyCode": _FILLED,
                "productId": TEXT,
                "message": message,
            },
        }
    )


@written
def open_discussion(exchange: Exchange) -> HttpResponse:
    """POST /discussions: one for each order, subtypology and product."""
    body, settings = json_body(exchange.request), exchange.settings
    behaviour = settings.of(DiscussionBehaviour)
    check_structure(_validator(behaviour), body, "a discussion")
    order, message = _order(exchange, body), body["message"]
    topic = Topic(
        *(order.order_id, order.channel, body["subtypologyCode"], body["subject"]),
        body.get("productId") or "",
    )
    if not is_enabled(order.channel, settings):
        raise bad_request("salesChannel", f"{order.channel} takes no discussions of sellers.")
    if not usable(topic.subtypology, order.status, order.channel, settings):
        raise bad_request("subtypologyCode", f"{topic.subtypology} is not for this order.")
    if message["receiver"] not in eligible_receivers(order.channel, settings):
        raise bad_request("message.receiver", f"{message['receiver']} is not eligible.")
    _refuse_second(exchange, topic)
    sent = NewMessage(SELLER, (message["receiver"],), message["body"], sent_files(message))
    seller, now = exchange.seller, exchange.now
    row = store.open_discussion(exchange.db, seller, topic, sent, now, behaviour)
    effects.note(exchange, "discussion", order.order_id, body)
    return HttpResponse(201, _location(row["discussion_id"]))


def _order(exchange: Exchange, body: dict[str, Any]) -> StoredOrder:
    """The order that a discussion is about; 400 for another channel, or a product of another."""
    order = find_order(exchange.db, exchange.seller, body["orderId"])
    if order is None:
        raise bad_request("orderId", f"The order {body['orderId']} does not exist.")
    if body["salesChannel"] != order.channel:
        raise bad_request("salesChannel", f"The order is of the sales channel {order.channel}.")
    offers = (line["offer"] for line in order.lines)
    products = {offer[name] for offer in offers for name in ("sellerProductId", "productGtin")}
    if body.get("productId") and body["productId"] not in products:
        raise bad_request("productId", "The order has no such product.")
    return order


def _refuse_second(exchange: Exchange, topic: Topic) -> None:
    existing = exchange.db.execute(
        "SELECT discussion_id FROM discussion WHERE seller = ? AND order_id = ?"
        " AND subtypology = ? AND product_id = ?",
        (exchange.seller, topic.order, topic.subtypology, topic.product),
    ).fetchone()
    if existing:
        headers = _location(existing["discussion_id"])
        text = "A discussion of this order, subtypology and product exists."
        raise RequestRefused(409, text, headers=headers)


def _location(discussion_id: str) -> dict[str, str]:
    return {"Location": f"/discussions/{discussion_id}"}


@written
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /discussions: neither a total nor a Link tells where the list ends."""
    page, wanted = asked_discussion_page(exchange), selection(exchange, FILTERS)
    included = asked(exchange, "includeMessages")
    if included not in {None, "FirstMessage", "LastMessage"}:
        raise bad_request("includeMessages", "includeMessages is FirstMessage or LastMessage.")
    rows = exchange.db.execute(
        f"SELECT * FROM discussion WHERE {wanted.where} ORDER BY {order_by(exchange)}"  # noqa: S608 - only constants of ours are filled in
        " LIMIT :size OFFSET :start",
        {**wanted.values, "size": page.size, "start": page.start},
    ).fetchall()
    return json_answer(200, {"items": [_listed(exchange, row, included) for row in rows]})


def _listed(exchange: Exchange, row: Row, included: str | None) -> dict[str, Any]:
    document = store.discussion_document(row)
    if included is None:
        return document
    messages = store.messages_of(exchange.db, row["id"], exchange.now)
    chosen = messages[:1] if included == "FirstMessage" else messages[-1:]
    return {**document, "messages": store.message_documents(exchange.db, chosen)}


@written
def count(exchange: Exchange) -> HttpResponse:
    """GET /discussions/count."""
    wanted = selection(exchange, COUNTED)
    query = f"SELECT COUNT(*) FROM discussion WHERE {wanted.where}"  # noqa: S608 - as above
    (number,) = exchange.db.execute(query, wanted.values).fetchone()
    return json_answer(200, {"discussionsCount": number})


@written
def read(exchange: Exchange) -> HttpResponse:
    """GET /discussions/{discussionId}: with all of its messages."""
    row = store.asked_discussion(exchange, exchange.ids["discussionId"])
    messages = store.messages_of(exchange.db, row["id"], exchange.now)
    return json_answer(
        200,
        {
            **store.discussion_document(row),
            "messages": store.message_documents(exchange.db, messages),
            "availableActions": ["Reply", "Close"] if row["is_open"] else [],
            "eligibleReceivers": eligible_receivers(row["channel"], exchange.settings),
        },
    )


@written
def close(exchange: Exchange) -> HttpResponse:
    """PATCH /discussions/{discussionId}: closes it."""
    row = store.asked_discussion(exchange, exchange.ids["discussionId"])
    patched(exchange.request, "/isOpen", "false")
    if row["is_open"]:
        next_at = None if row["process_status"] == store.TO_TREAT else row["next_at"]
        store.change(exchange.db, row["id"], exchange.now, is_open=0, next_at=next_at)
        effects.note(exchange, "close", row["discussion_id"], None)
    return HttpResponse(204)


ROUTES: tuple[Route, ...] = (
    Route("POST", "/discussions", open_discussion),
    Route("GET", "/discussions/count", count),
    Route("GET", "/discussions", read_all),
    Route("GET", "/discussions/{discussionId}", read),
    Route("PATCH", "/discussions/{discussionId}", close),
)
