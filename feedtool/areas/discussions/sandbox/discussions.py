"""The routes of discussions: part "Discussions" of the specification."""

from typing import Any

import jsonschema_rs

from feedtool.areas.discussions.sandbox import store
from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.channels import eligible_receivers, is_enabled, usable
from feedtool.areas.discussions.sandbox.customers import written
from feedtool.areas.discussions.sandbox.filters import (
    COUNTED,
    asked_discussion_page,
    in_order,
    passing,
    selected,
)
from feedtool.areas.discussions.sandbox.messages import FILES, patched, sent_files
from feedtool.areas.discussions.sandbox.store import (
    CUSTOMER,
    DISCUSSIONS,
    SELLER,
    SUPPORT,
    NewMessage,
    Topic,
)
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.orders.sandbox.store import find as find_order
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, FILLED, TEXT, asked, check_structure, json_body
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    RequestRefused,
    Route,
    bad_request,
    json_answer,
)
from feedtool.sandbox.resources import StoredThing
from feedtool.sandbox.state import stamp


def _validator(behaviour: DiscussionBehaviour) -> jsonschema_rs.Draft202012Validator:
    body = {"type": "string", "minLength": behaviour.shortest, "maxLength": behaviour.longest}
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
                "orderId": FILLED,
                "salesChannel": FILLED,
                "subtypologyCode": FILLED,
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
    discussion = store.open_discussion(exchange.db, seller, topic, sent, now, settings)
    effects.note(exchange, "discussion", order.order_id, body)
    return HttpResponse(201, _location(discussion.name))


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
    for discussion in DISCUSSIONS.every(
        exchange.db, exchange.seller, orderId=topic.order, subTypologyCode=topic.subtypology
    ):
        if (discussion.document["productId"] or "") == topic.product:
            text = "A discussion of this order, subtypology and product exists."
            raise RequestRefused(409, text, headers=_location(discussion.name))


def _location(discussion_id: str) -> dict[str, str]:
    return {"Location": f"/discussions/{discussion_id}"}


@written
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /discussions: the answer has neither a total nor a Link to the next page."""
    page, discussions = asked_discussion_page(exchange), selected(exchange)
    included = asked(exchange, "includeMessages")
    if included not in {None, "FirstMessage", "LastMessage"}:
        raise bad_request("includeMessages", "includeMessages is FirstMessage or LastMessage.")
    items = [
        _listed(exchange, discussion, included)
        for discussion in page.of(in_order(exchange, discussions))
    ]
    return json_answer(200, {"items": items})


def _listed(exchange: Exchange, discussion: StoredThing, included: str | None) -> dict[str, Any]:
    if included is None:
        return discussion.document
    messages = _messages(exchange, discussion)
    chosen = messages[:1] if included == "FirstMessage" else messages[-1:]
    return {**discussion.document, "messages": chosen}


def _messages(exchange: Exchange, discussion: StoredThing) -> list[dict[str, Any]]:
    """The messages that are seen, with the names of their attachments."""
    hidden = ("discussionId", "contents")
    return [
        {name: value for name, value in message.document.items() if name not in hidden}
        for message in store.messages_of(exchange.db, discussion)
        if message.shows_at <= stamp(exchange.now)
    ]


@written
def count(exchange: Exchange) -> HttpResponse:
    """GET /discussions/count."""
    return json_answer(200, {"discussionsCount": len(passing(exchange, COUNTED))})


@written
def read(exchange: Exchange) -> HttpResponse:
    """GET /discussions/{discussionId}: with all of its messages."""
    discussion = store.asked_discussion(exchange, exchange.ids["discussionId"])
    document = discussion.document
    return json_answer(
        200,
        {
            **document,
            "messages": _messages(exchange, discussion),
            "availableActions": ["Reply", "Close"] if document["isOpen"] else [],
            "eligibleReceivers": eligible_receivers(document["salesChannel"], exchange.settings),
        },
    )


@written
def close(exchange: Exchange) -> HttpResponse:
    """PATCH /discussions/{discussionId}: closes it."""
    discussion = store.asked_discussion(exchange, exchange.ids["discussionId"])
    document = discussion.document
    patched(exchange.request, "/isOpen", "false")
    if document["isOpen"]:
        document |= {"isOpen": False, "updatedAt": stamp(exchange.now)}
        if document["processStatus"] == store.TO_TREAT:
            discussion.next_at = None
        DISCUSSIONS.keep(exchange.db, discussion)
        effects.note(exchange, "close", discussion.name, None)
    return HttpResponse(204)


ROUTES: tuple[Route, ...] = (
    Route("POST", "/discussions", open_discussion),
    Route("GET", "/discussions/count", count),
    Route("GET", "/discussions", read_all),
    Route("GET", "/discussions/{discussionId}", read),
    Route("PATCH", "/discussions/{discussionId}", close),
)
