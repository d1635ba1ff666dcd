"""Discussions at a desk: how customers write, and how a seller answers."""

from base64 import b64encode
from typing import Any

from feedtool.areas.discussions.sandbox.customers import customer_writes
from feedtool.areas.orders.sandbox.store import StoredOrder
from tests.sandbox.desk import Answer, Desk

TEXT = "Good morning, your parcel is on its way."
HOUR = 3600


def written(desk: Desk, order: StoredOrder, text: str = "Where is my parcel, please?") -> str:
    """The discussion in which an order's customer writes."""
    with desk.sandbox.state.transaction() as db:
        return customer_writes(db, order, text, desk.now)


def read(desk: Desk, discussion: str) -> Any:
    answer = desk.ask("GET", f"/discussions/{discussion}")
    assert answer.status == 200, answer.body
    return answer.json


def listed(desk: Desk, **query: Any) -> list[Any]:
    answer = desk.ask("GET", "/discussions", query=query)
    assert answer.status == 200, answer.body
    items: list[Any] = answer.json["items"]
    return items


def count(desk: Desk, **query: Any) -> int:
    answer = desk.ask("GET", "/discussions/count", query=query)
    return int(answer.json["discussionsCount"])


def file(content: bytes = b"%PDF-1.4", name: str = "label.pdf", kind: str = "pdf") -> Any:
    return {"content": b64encode(content).decode(), "name": name, "fileFormat": kind}


def reply(desk: Desk, discussion: str, body: str = TEXT, **fields: Any) -> Answer:
    message = {
        "discussionId": discussion,
        "salesChannel": "PRIMARY",
        "body": body,
        "receivers": [{"userType": "Customer"}],
        **fields,
    }
    return desk.ask("POST", "/messages", message)


def begin(desk: Desk, order: StoredOrder, message: Any = None, **fields: Any) -> Answer:
    body = {
        "subject": "About your order",
        "orderId": order.order_id,
        "salesChannel": order.channel,
        "subtypologyCode": "orderNotShipped",
        "productId": None,
        "message": {"body": TEXT, "receiver": "Customer", **(message or {})},
        **fields,
    }
    return desk.ask("POST", "/discussions", body)


def patch(desk: Desk, path: str, field: str, value: Any, opt: str = "opt") -> Answer:
    return desk.ask("PATCH", path, [{opt: "replace", "path": field, "value": value}])


def close(desk: Desk, discussion: str) -> Answer:
    return patch(desk, f"/discussions/{discussion}", "/isOpen", "false")
