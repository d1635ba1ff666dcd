"""Commercial gestures: what may be given, what is asked for, and what is decided."""

from typing import Any

import pytest

from feedtool.areas.orders.sandbox.states import STATUSES
from tests.areas.orders.sandbox.counter import (
    cancel_lines,
    gesture,
    placed,
    quiet_but,
)
from tests.sandbox.desk import Desk

REQUESTS = "/order-commercial-gesture-requests"
CONFIGURATION = "/sales-channel-commercial-gesture-configurations"


def amounts(desk: Desk, order: Any) -> tuple[float, float]:
    path = f"/orders/{order.order_id}/commercial-gestures-available-amounts"
    answer = desk.ask("GET", path).json
    return answer["allowableAmount"], answer["grantedAmount"]


def requests(desk: Desk, **query: Any) -> list[Any]:
    return list(desk.pages(REQUESTS, query))


def words(desk: Desk) -> list[str]:
    return [item["status"] for item in requests(desk)]


def test_gestures_of_a_channel(new_desk: type[Desk]) -> None:
    with new_desk(quiet_but(gesture_channels=("PRIMARY",), gesture_amount=30)) as desk:
        first, second = (
            desk.ask("GET", f"{CONFIGURATION}/{name}").json for name in ("PRIMARY", "SECOND")
        )
        assert desk.ask("GET", f"{CONFIGURATION}/THIRD").status == 404
    assert first == {
        "salesChannelId": "PRIMARY",
        "isEnabled": True,
        "maximumAmount": 30,
        "maximumRate": 15,
    }
    assert second["isEnabled"] is False


@pytest.mark.parametrize("before", STATUSES)
def test_gestures_are_for_orders_that_were_sent(quiet: Desk, before: str) -> None:
    order = placed(quiet, status=before)
    is_sent = before in {"Shipped", "Delivered"}
    assert (amounts(quiet, order)[0] > 0) == is_sent
    assert gesture(quiet, order).status == 201
    quiet.wait(60)
    assert words(quiet) == ["Accepted" if is_sent else "Rejected"]


def test_a_gesture_is_decided_later(quiet: Desk) -> None:
    order = placed(quiet, status="Shipped")
    asked = gesture(quiet, order, 12.5, reason="Other", reasonDetails="A dent").json
    assert asked == {
        "requestId": "GR-00000001",
        "orderId": order.order_id,
        "reason": "Other",
        "reasonDetails": "A dent",
        "amount": 12.5,
        "status": "Created",
        "createdAt": "2026-03-02T09:00:00.000000Z",
        "updatedAt": "2026-03-02T09:00:00.000000Z",
    }
    quiet.wait(59)
    assert requests(quiet) == [asked]
    quiet.wait(1)
    decided = {"status": "Accepted", "updatedAt": "2026-03-02T09:01:00.000000Z"}
    assert requests(quiet) == [asked | decided]


@pytest.mark.parametrize(
    ("asked", "decided"),
    [
        ([20], ["Accepted"]),
        ([20.01], ["Rejected"]),
        ([15, 5], ["Accepted", "Accepted"]),
        ([15, 5.01, 5], ["Accepted", "Rejected", "Accepted"]),
        ([15, 15], ["Accepted", "Rejected"]),
    ],
)
def test_all_together_are_capped(
    new_desk: type[Desk], asked: list[float], decided: list[str]
) -> None:
    with new_desk(quiet_but(gesture_rate=0)) as desk:
        order = placed(desk, status="Shipped")
        for amount in asked:
            assert gesture(desk, order, amount).status == 201
        desk.wait(60)
        assert words(desk) == decided
        given = sum(
            amount for amount, word in zip(asked, decided, strict=True) if word == "Accepted"
        )
        assert amounts(desk, order) == (20 - given, given)


def test_the_higher_of_rate_and_amount_counts_without_cancelled_lines(
    new_desk: type[Desk],
) -> None:
    with new_desk(quiet_but(gesture_amount=0, gesture_rate=100)) as desk:
        order = placed(desk, status="Delivered", lines=2)
        total = order.document["totalPrice"]["sellingPrice"]
        assert amounts(desk, order)[0] == pytest.approx(total)
        assert cancel_lines(desk, order, 0, reason="product-returned").status == 201
        desk.wait(30)
        line = order.lines[1]
        price = line["sellingPrice"]
        left = line["quantity"] * price["unitSalesPrice"] + price["shippingCost"]
        assert amounts(desk, order)[0] == pytest.approx(left)


def test_a_channel_without_gestures_rejects_them(new_desk: type[Desk]) -> None:
    with new_desk(quiet_but(gesture_channels=())) as desk:
        assert gesture(desk, placed(desk, status="Shipped")).status == 201
        desk.wait(60)
        assert words(desk) == ["Rejected"]


REQUESTED: list[tuple[dict[str, Any], int]] = [
    ({}, 201),
    ({"reasonDetails": None}, 201),
    ({"reason": "Other"}, 400),
    ({"reason": "Other", "reasonDetails": " "}, 400),
    ({"reason": "Other", "reasonDetails": "A dent"}, 201),
    ({"reason": ""}, 400),
    ({"amount": 0}, 400),
    ({"amount": "5"}, 400),
    ({"orderId": "unknown"}, 404),
    ({"orderId": None}, 400),
]


def test_gestures_are_validated(quiet: Desk) -> None:
    for fields, status in REQUESTED:
        before = len(quiet.sandbox.effects())
        assert gesture(quiet, placed(quiet, status="Shipped"), **fields).status == status, fields
        assert len(quiet.sandbox.effects()) - before == (status == 201)


def test_requests_are_listed_by_cursor_and_filters(quiet: Desk) -> None:
    first, second = placed(quiet, status="Shipped"), placed(quiet, status="Shipped")
    for order in (first, second, first):
        gesture(quiet, order)
        quiet.wait(60)
    items = requests(quiet)
    assert [item["requestId"][-1] for item in items] == ["1", "2", "3"]
    for size in (1, 2, 3, 4):
        assert requests(quiet, limit=size) == items
    assert requests(quiet, orderId=first.order_id) == [items[0], items[2]]
    assert requests(quiet, status="Rejected") == []
    assert requests(quiet, createdAtMin=items[1]["createdAt"]) == items[1:]
    assert requests(quiet, updatedAtMax=items[1]["updatedAt"]) == items[:2]
    assert quiet.ask("GET", REQUESTS, query="limit=1001").status == 400
    assert quiet.ask("GET", REQUESTS, query="createdAtMin=x").status == 400
    quiet.headers["SellerId"] = "S2"
    assert requests(quiet) == []
