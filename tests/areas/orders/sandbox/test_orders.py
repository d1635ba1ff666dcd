"""The routes that read orders, accept or refuse them."""

import json
from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.orders.sandbox import shop
from feedtool.areas.orders.sandbox.states import STATUSES
from tests.areas.orders.sandbox.counter import (
    approve,
    listed,
    placed,
    quiet_but,
    read,
    ship,
    status,
)
from tests.sandbox.desk import START, Desk

PATH = "/orders/{}/approval-status"


# Acceptance.


@pytest.mark.parametrize("word", ["Accepted", "Refused"])
def test_an_order_is_accepted_only_while_it_waits(quiet: Desk, word: str) -> None:
    for before in STATUSES:
        order, waits = placed(quiet, status=before), before == "WaitingAcceptance"
        assert approve(quiet, order, word).status == (200 if waits else 400), before
        assert status(quiet, order) == (word if waits else before)
        assert [effect.key for effect in quiet.sandbox.effects()].count(order.order_id) == waits


APPROVALS: list[tuple[Any, dict[str, str], int]] = [
    ({"approval_status": "accepted"}, {}, 400),
    ({"approval_status": None}, {}, 400),
    ({"approvalStatus": "Accepted"}, {}, 400),
    ([], {}, 400),
    (b"{", {}, 400),
    ({"approval_status": "Accepted"}, {"Content-Type": "text/plain"}, 415),
    ({"approval_status": "Accepted"}, {"SellerId": "S2"}, 404),
    ({"approval_status": "Accepted"}, {}, 200),
]


def test_approvals_are_validated(quiet: Desk) -> None:
    order = placed(quiet, status="WaitingAcceptance")
    for body, headers, expected in APPROVALS:
        answer = quiet.ask("POST", PATH.format(order.order_id), body, headers=headers)
        assert answer.status == expected, (body, headers)


def test_only_orders_of_the_primary_channel_can_be_accepted(quiet: Desk) -> None:
    order = placed(quiet, status="WaitingAcceptance", channel="SECOND")
    assert approve(quiet, order).status == 400


# Lists.


def test_pages_end_with_a_shorter_one(quiet: Desk) -> None:
    names = [placed(quiet).order_id for _ in range(5)]
    pages = [listed(quiet, pageSize=2, pageIndex=page, sort="createdAt") for page in (1, 2, 3, 4)]
    assert [[order["orderId"] for order in page] for page in pages] == [
        names[:2],
        names[2:4],
        names[4:],
        [],
    ]
    answer = quiet.ask("GET", "/orders")
    assert set(answer.json) == {"items"}
    assert "Link" not in answer.headers


@pytest.mark.parametrize(("count", "size", "seen"), [(0, 2, 0), (1, 2, 1), (2, 2, 2), (3, 2, 2)])
def test_a_page_holds_at_most_its_size(quiet: Desk, count: int, size: int, seen: int) -> None:
    for _ in range(count):
        placed(quiet)
    assert len(listed(quiet, pageSize=size)) == seen


def test_a_page_has_fifty_orders_by_default(quiet: Desk) -> None:
    for _ in range(51):
        placed(quiet)
    assert (len(listed(quiet)), len(listed(quiet, pageSize=100))) == (50, 51)


SORTS = [
    ({}, "CBA"),
    ({"sort": "createdAt"}, "ABC"),
    ({"sort": "createdAt", "desc": "createdAt"}, "CBA"),
    ({"desc": "createdAt"}, "CBA"),
    ({"sort": "asc:createdAt"}, "ABC"),
    ({"sort": "desc:createdAt"}, "CBA"),
    ({"sort": "updatedAt"}, "BCA"),
    ({"sort": "updatedAt", "desc": "updatedAt"}, "ACB"),
    ({"sort": "asc:updatedAt"}, "BCA"),
    ({"sort": "desc:updatedAt"}, "ACB"),
    ({"sort": "shippedAtMax"}, "BCA"),
    ({"sort": "shippedAtMax,createdAt", "desc": "createdAt"}, "CBA"),
    ({"sort": "asc:shippedAtMax,desc:createdAt"}, "CBA"),
]


def test_sorts(quiet: Desk) -> None:
    """A, B and C are placed in turn; A is shipped last."""
    orders = []
    for _ in "ABC":
        orders.append(placed(quiet))
        quiet.wait(60)
    assert ship(quiet, orders[0]).status == 201
    named = {order.order_id: letter for order, letter in zip(orders, "ABC", strict=True)}
    for query, letters in SORTS:
        found = "".join(named[order["orderId"]] for order in listed(quiet, **query))
        assert (query, found) == (query, letters)


T = "2026-03-02T09:00:00Z"
FILTERS = [
    ({}, "ABCDE"),
    ({"status": "InPreparation"}, "AB"),
    ({"status": "InPreparation,Shipped"}, "ABC"),
    ({"status": "Rejected"}, ""),
    ({"salesChannelId": "SECOND"}, "B"),
    ({"salesChannelId": "THIRD"}, ""),
    ({"supplyMode": "Fulfillment"}, "D"),
    ({"supplyMode": "Xdock"}, ""),
    ({"businessOrder": "false"}, "ABCDE"),
    ({"businessOrder": "true"}, ""),
    ({"createdAtMin": "2026-03-02T09:03:00Z"}, "E"),
    ({"updatedAtMin": "2026-03-02T09:01:00Z"}, "BCDE"),
    ({"updatedAtMin": "2026-03-02T10:01:00+01:00"}, "BCDE"),
    ({"updatedAtMin": "2026-03-02T09:01:00.000001Z"}, "CDE"),
    ({"updatedAtMax": "2026-03-02T09:01:00"}, "AB"),
    ({"updatedAtMin": T, "updatedAtMax": T}, "A"),
    ({"shippedAtMin": T}, "C"),
    ({"shippedAtMax": "2026-03-03T00:00:00Z"}, "CD"),
]


def test_filters(quiet: Desk) -> None:
    wishes: dict[str, dict[str, Any]] = {
        "A": {},
        "B": {"channel": "SECOND"},
        "C": {"status": "Shipped"},
        "D": {"status": "Delivered", "supply": "Fulfillment"},
        "E": {"status": "Processing"},
    }
    named = {}
    for letter, wish in wishes.items():
        named[placed(quiet, **wish).order_id] = letter
        quiet.wait(60)
    for query, letters in FILTERS:
        found = {named[order["orderId"]] for order in listed(quiet, **query)}
        count = quiet.ask("GET", "/orders/count", query=query).json
        assert (query, found, count) == (query, set(letters), {"count": len(letters)})


def test_orders_are_found_by_reference_and_country(desk: Desk) -> None:
    orders = listed(desk)
    [found] = listed(desk, reference=orders[3]["reference"])
    assert found == orders[3]
    spanish = listed(desk, shippingCountry="ES")
    assert spanish == [order for order in orders if order["shippingCountry"] == "ES"]
    assert 0 < len(spanish) < len(orders)


QUERIES = [
    *({"pageIndex": text} for text in ("0", "-1", "x", "")),
    *({"pageSize": text} for text in ("0", "101", "x")),
    *({"sort": text} for text in ("status", "up:createdAt", "")),
    *({"desc": text} for text in ("true", "status")),
    *({"status": text} for text in ("Shiped", "shipped", "Shipped,", "")),
    *({"businessOrder": text} for text in ("yes", "1")),
    {"supplyMode": "seller"},
    *({"updatedAtMin": text} for text in ("2026-03-02", "yesterday", "2026-02-30T00:00:00Z")),
]


def test_queries_that_are_refused(quiet: Desk) -> None:
    for query in QUERIES:
        answer = quiet.ask("GET", "/orders", query=query)
        assert (query, answer.status, len(answer.reasons)) == (query, 400, 1)


def test_a_single_read_is_as_full_as_the_list(desk: Desk) -> None:
    for order in listed(desk):
        assert desk.ask("GET", f"/orders/{order['orderId']}").json == order


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("POST", "/approval-status", {"approval_status": "Accepted"}),
        ("POST", "/shipments", [{"parcelNumber": "1", "carrierName": "UPS"}]),
        ("GET", "/commercial-gestures-available-amounts", None),
    ],
)
def test_orders_of_others_do_not_exist(quiet: Desk, method: str, path: str, body: Any) -> None:
    order = placed(quiet, seller="S2")
    answer = quiet.ask(method, f"/orders/{order.order_id}{path}", body)
    assert (answer.status, answer.json["description"]) == (404, "The order does not exist.")


# Addresses.

WITH_ADDRESS = {
    ("Seller", "InPreparation"),
    ("Seller", "Shipped"),
    ("Seller", "Delivered"),
    ("Fulfillment", "Shipped"),
    ("Fulfillment", "Delivered"),
}


@pytest.mark.parametrize("supply", ["Seller", "Fulfillment"])
@pytest.mark.parametrize("addresses", ["always", "in-preparation"])
def test_addresses(new_desk: type[Desk], addresses: str, supply: str) -> None:
    with new_desk(quiet_but(addresses=addresses)) as desk:
        for name in STATUSES:
            [line] = read(desk, placed(desk, status=name, supply=supply))["lines"]
            is_shown = addresses == "always" or (supply, name) in WITH_ADDRESS
            assert (line["shippingAddress"] is not None) == is_shown


# Visibility.


def test_a_change_shows_late_but_with_its_time(new_desk: type[Desk]) -> None:
    with new_desk(quiet_but(visible_after=timedelta(seconds=20))) as desk:
        order = placed(desk)
        before = read(desk, order)
        desk.wait(10)
        assert ship(desk, order).status == 201
        assert ship(desk, order).status == 400
        desk.wait(19)
        assert read(desk, order) == before
        assert listed(desk, status="Shipped") == []
        desk.wait(1)
        [after] = listed(desk, status="Shipped")
        assert after == read(desk, order)
        assert after["updatedAt"] == "2026-03-02T09:00:10.000000Z"


def test_a_new_order_shows_late_too(new_desk: type[Desk]) -> None:
    late = quiet_but(customers_every=timedelta(hours=6), visible_after=timedelta(seconds=20))
    with new_desk(late) as desk:
        assert len(listed(desk)) == 24
        desk.wait(6 * 3600 + 19)
        assert len(listed(desk)) == 24
        desk.wait(1)
        assert len(listed(desk)) == 25


# Tracking.


def test_tracking_is_of_the_warehouse_and_refreshed_every_eight_hours(quiet: Desk) -> None:
    placed(quiet, status="Shipped")
    order = placed(quiet, status="Shipped", supply="Fulfillment")

    def events() -> list[tuple[str, str]]:
        [item] = quiet.ask("GET", "/parcel-trackings").json["items"]
        assert item["orderId"] == order.order_id
        return [(event["status"], event["date"][:13]) for event in item["events"]]

    assert events() == []
    quiet.wait(7 * 3600)
    assert events() == [("InTransit", "2026-03-02T09")]
    quiet.wait(48 * 3600)
    assert events() == [("InTransit", "2026-03-02T09"), ("Delivered", "2026-03-04T09")]


# Many.


def test_thousands_of_orders_are_listed(quiet: Desk) -> None:
    with quiet.sandbox.state.transaction() as db:
        document = json.dumps(shop.place(db, "S1", START).document)
        db.executemany(
            "INSERT INTO orders(seller, number, order_id, document, fate, shown)"
            " VALUES ('S1', ?1, ?1, '{}', '', json_set(?2, '$.updatedAt', ?1))",
            ((number, document) for number in range(2, 2_001)),
        )
    pages = [
        quiet.ask("GET", "/orders", query=f"pageSize=100&pageIndex={page}&sort=updatedAt")
        for page in range(1, 22)
    ]
    assert sum(answer.body.count(b'"orderId"') for answer in pages) == 2_000
