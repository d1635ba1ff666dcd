"""Origins of orders: a shop's past, its customers, and their purchases."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.orders.sandbox.states import OrderBehaviour
from tests.areas.orders.sandbox.counter import QUIET, listed
from tests.sandbox.desk import Desk

HOUR = 3600


def is_to_ship(order: Any) -> bool:
    return order["supplyMode"] == "Seller" and {line["status"] for line in order["lines"]} == {
        "InPreparation"
    }


def test_a_shop_opens_with_something_of_every_state(desk: Desk) -> None:
    orders = listed(desk)
    waiting = [order for order in orders if order["status"] == "WaitingAcceptance"]
    assert (len(orders), len({order["status"] for order in orders})) == (24, 9)
    assert {order["salesChannelId"] for order in waiting} == {"PRIMARY"}
    assert len(waiting) >= 2
    to_ship = [order for order in orders if is_to_ship(order)]
    assert {len(order["lines"]) for order in to_ship} == {1, 2, 3}
    assert {order["salesChannelId"] for order in to_ship} == {"PRIMARY", "SECOND"}
    words = Counter(line["status"] for order in orders for line in order["lines"])
    assert words["CancelRequest"] == 1
    assert {order["supplyMode"] for order in orders} == {"Seller", "Fulfillment"}
    assert len({order["orderId"] for order in orders}) == 24
    assert min(order["createdAt"] for order in orders) > "2026-02-16"


@pytest.mark.parametrize(
    "path",
    [
        *("/orders/count", "/orders/unknown", "/cancellation-reasons", "/parcel-trackings"),
        "/order-commercial-gesture-requests",
        "/sales-channel-commercial-gesture-configurations/PRIMARY",
    ],
)
def test_the_first_request_opens_it(desk: Desk, path: str) -> None:
    desk.ask("GET", path)
    desk.wait(HOUR)
    assert max(order["createdAt"] for order in listed(desk)) == "2026-03-02T08:59:24.000000Z"


def test_every_seller_has_a_shop_of_his_own(desk: Desk) -> None:
    mine = listed(desk)
    desk.headers["SellerId"] = "S2"
    others = {order["orderId"] for order in listed(desk)}
    assert len(others) == 24
    assert not others & {order["orderId"] for order in mine}
    assert desk.ask("GET", f"/orders/{mine[0]['orderId']}").status == 404


def test_the_same_shop_is_the_same_byte_for_byte(new_desk: type[Desk]) -> None:
    with new_desk() as one, new_desk() as other:
        assert one.ask("GET", "/orders").body == other.ask("GET", "/orders").body
        one.wait(20 * 24 * HOUR)
        other.wait(20 * 24 * HOUR)
        assert one.ask("GET", "/orders").body == other.ask("GET", "/orders").body


@pytest.mark.parametrize(("opening", "count"), [(0, 0), (3, 3), (100, 24)])
def test_the_number_of_opening_orders_is_a_setting(
    new_desk: type[Desk], opening: int, count: int
) -> None:
    with new_desk(OrderBehaviour(opening=opening)) as desk:
        assert len(listed(desk)) == count


@pytest.mark.parametrize(("wait", "count"), [(6 * HOUR - 1, 24), (6 * HOUR, 25), (18 * HOUR, 27)])
def test_customers_come(desk: Desk, wait: float, count: int) -> None:
    listed(desk)
    desk.wait(wait)
    assert len(listed(desk, pageSize=100)) == count


def test_a_shop_without_customers_is_empty(new_desk: type[Desk]) -> None:
    with new_desk(QUIET) as desk:
        assert listed(desk) == []
        desk.wait(100 * HOUR)
        assert listed(desk) == []


def test_customers_buy_offers_of_the_seller(desk: Desk) -> None:
    desk.outcomes("Upsert", desk.offer("A-1", 1, quantity=2), desk.offer("A-2", 2, quantity=1))
    [first, second] = desk.offers(fields="deliveryOffers,product")
    names = {first["offerId"], second["offerId"]}
    before = listed(desk, salesChannelId="PRIMARY")
    assert {line["offer"]["offerId"] for order in before for line in order["lines"]} <= names
    desk.wait(12 * HOUR)
    [bought] = listed(desk, salesChannelId="PRIMARY", createdAtMin="2026-03-02T10:00:00Z")
    sold = {line["offer"]["offerId"]: line["quantity"] for line in bought["lines"]}
    left = {
        offer["offerId"]: offer["deliveryOffers"][0]["quantity"]
        for offer in desk.offers(fields="deliveryOffers")
    }
    assert {first["offerId"]: 2, second["offerId"]: 1} == {
        name: left[name] + sold.get(name, 0) for name in names
    }


def test_totals_add_up(desk: Desk) -> None:
    for order in listed(desk):
        prices = [(line["quantity"], line["sellingPrice"]) for line in order["lines"]]
        total = sum(
            count * price["unitSalesPrice"] + price["shippingCost"] for count, price in prices
        )
        assert order["totalPrice"]["sellingPrice"] == pytest.approx(total)


def test_an_hour_is_no_chance(new_desk: type[Desk]) -> None:
    with new_desk(OrderBehaviour(customers_every=timedelta(hours=1))) as desk:
        listed(desk)
        desk.wait(80 * HOUR)
        orders = [order for page in (1, 2) for order in listed(desk, pageSize=100, pageIndex=page)]
    assert len(orders) == 104
    assert {order["supplyMode"] for order in orders} == {"Seller", "Fulfillment"}
    assert {order["businessOrder"] for order in orders} == {True, False}
    points = [order["lines"][0]["shippingAddress"]["pickupId"] for order in orders]
    assert sum(point is not None for point in points) == 104 // 6
    assert {order["status"] for order in orders} >= {"Rejected", "Delivered", "Cancelled"}
