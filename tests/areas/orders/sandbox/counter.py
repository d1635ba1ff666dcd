"""Orders at a desk: where tests put them, and how they are read."""

from datetime import timedelta
from typing import Any

from feedtool.areas.orders.sandbox import shop
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.store import Order
from tests.sandbox.desk import Desk

QUIET = OrderBehaviour(customers_every=timedelta())
"""No orders but those of the test."""

PARCEL = {"parcelNumber": "8R001", "carrierName": "Colissimo"}


def placed(desk: Desk, seller: str = "S1", **wish: Any) -> Order:
    with desk.sandbox.state.transaction() as db:
        return shop.place(db, seller, desk.now, **wish)


def read(desk: Desk, order: Order) -> Any:
    answer = desk.ask("GET", f"/orders/{order.order_id}")
    assert answer.status == 200, answer.body
    return answer.json


def status(desk: Desk, order: Order) -> str:
    return str(read(desk, order)["status"])


def line_statuses(desk: Desk, order: Order) -> list[str]:
    return [line["status"] for line in read(desk, order)["lines"]]


def listed(desk: Desk, **query: Any) -> Any:
    answer = desk.ask("GET", "/orders", query=query)
    assert answer.status == 200, answer.body
    return answer.json["items"]
