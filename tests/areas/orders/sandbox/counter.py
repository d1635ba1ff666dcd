"""Orders at a desk: where tests put them, and how they are read."""

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from feedtool.areas.orders.sandbox import shop, states, store
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder
from tests.sandbox.desk import Answer, Desk

QUIET = OrderBehaviour(customers_every=timedelta())
"""No orders but those of the test."""

PARCEL = {"parcelNumber": "8R001", "carrierName": "Colissimo"}


def quiet_but(**changes: Any) -> OrderBehaviour:
    return replace(QUIET, **changes)


def placed(desk: Desk, seller: str = "S1", **wish: Any) -> StoredOrder:
    behaviour = desk.sandbox.settings.of(OrderBehaviour)
    with desk.sandbox.state.transaction() as db:
        return shop.place(db, seller, desk.now, behaviour=behaviour, **wish)


def regret(desk: Desk, order: StoredOrder, line: int = 0) -> None:
    """Let the customer ask to cancel a line of an order that was just placed."""
    states.request_cancellation(order, order.lines[line], desk.now, OrderBehaviour())
    with desk.sandbox.state.transaction() as db:
        store.write(db, order, desk.now, timedelta())


def line_ids(order: StoredOrder) -> list[str]:
    return [line["orderLineId"] for line in order.lines]


def read(desk: Desk, order: StoredOrder) -> Any:
    answer = desk.ask("GET", f"/orders/{order.order_id}")
    assert answer.status == 200, answer.body
    return answer.json


def status(desk: Desk, order: StoredOrder) -> str:
    return str(read(desk, order)["status"])


def line_statuses(desk: Desk, order: StoredOrder) -> list[str]:
    return [line["status"] for line in read(desk, order)["lines"]]


def listed(desk: Desk, **query: Any) -> Any:
    answer = desk.ask("GET", "/orders", query=query)
    assert answer.status == 200, answer.body
    return answer.json["items"]


def approve(desk: Desk, order: StoredOrder, word: str = "Accepted") -> Answer:
    path = f"/orders/{order.order_id}/approval-status"
    return desk.ask("POST", path, {"approval_status": word})


def ship(desk: Desk, order: StoredOrder, *parcels: Any) -> Answer:
    path = f"/orders/{order.order_id}/shipments"
    return desk.ask("POST", path, list(parcels) or [PARCEL])


def cancel(desk: Desk, order: StoredOrder, reason: str = "seller-out-of-stock") -> Answer:
    body = {"orderSellerId": order.order_id, "reason": reason, "shippingCostRefund": True}
    return desk.ask("POST", "/order-cancellation-requests", body)


def cancel_lines(
    desk: Desk, order: StoredOrder, *places: int, reason: str = "seller-out-of-stock"
) -> Answer:
    lines = [
        {
            "lineId": order.lines[place]["orderLineId"],
            "offerId": order.lines[place]["offer"]["offerId"],
            "reason": reason,
            "shippingCostRefund": False,
        }
        for place in places
    ]
    body = {"orderSellerId": order.order_id, "lines": lines}
    return desk.ask("POST", "/order-partial-cancellation-requests", body)


def gesture(desk: Desk, order: StoredOrder, amount: float = 5, **fields: Any) -> Answer:
    body = {"orderId": order.order_id, "reason": "MissingProduct", "amount": amount, **fields}
    return desk.ask("POST", "/order-commercial-gesture-requests", body)
