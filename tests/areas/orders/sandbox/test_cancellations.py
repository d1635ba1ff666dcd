"""Cancellations: the reasons, the requests, and their effect."""

from typing import Any

import pytest

from feedtool.areas.orders.sandbox.cancellations import REASONS
from feedtool.areas.orders.sandbox.states import STATUSES
from tests.areas.orders.sandbox.counter import (
    cancel,
    cancel_lines,
    line_ids,
    line_statuses,
    placed,
    quiet_but,
    read,
    regret,
    ship,
    status,
)
from tests.sandbox.desk import Desk

FULL, PARTIAL = "/order-cancellation-requests", "/order-partial-cancellation-requests"


def reasons(desk: Desk, **query: str) -> set[str]:
    answer = desk.ask("GET", "/cancellation-reasons", query=query)
    assert answer.status == 200, answer.body
    return {item["reason"] for item in answer.json["items"]}


def test_there_are_fewer_reasons_after_acceptance(quiet: Desk) -> None:
    query = {"salesChannel": "PRIMARY", "userType": "Seller"}
    before = reasons(quiet, **query, orderStatus="WaitingAcceptance")
    after = reasons(quiet, **query, orderStatus="InPreparation")
    assert set() < after < before
    assert reasons(quiet, **query, orderStatus="Cancelled") == set()


def test_reasons_depend_on_who_cancels(quiet: Desk) -> None:
    users = ("Customer", "Seller", "SalesChannel", "Fulfillment")
    by_user = [reasons(quiet, userType=user) for user in users]
    assert all(by_user)
    assert sum(map(len, by_user)) == len(reasons(quiet)) == len(REASONS)


@pytest.mark.parametrize(
    "query", [{"salesChannel": "THIRD"}, {"userType": "seller"}, {"orderStatus": "x"}]
)
def test_queries_that_are_refused(quiet: Desk, query: dict[str, str]) -> None:
    assert quiet.ask("GET", "/cancellation-reasons", query=query).status == 400


def test_the_reasons_that_are_listed_are_the_ones_that_are_taken(quiet: Desk) -> None:
    taken = 0
    for before in STATUSES:
        eligible = reasons(quiet, userType="Seller", orderStatus=before)
        taken += len(eligible)
        for reason in reasons(quiet):
            answer = cancel(quiet, placed(quiet, status=before), reason)
            assert answer.status == (201 if reason in eligible else 400), (before, reason)
    assert len(quiet.sandbox.effects()) == taken


@pytest.mark.parametrize(
    ("before", "reason", "answer"),
    [
        ("WaitingAcceptance", "seller-out-of-stock", 400),
        ("InPreparation", "seller-out-of-stock", 400),
        ("Shipped", "product-returned", 201),
        ("Delivered", "product-returned", 201),
    ],
)
def test_the_warehouse_must_have_shipped_its_lines(
    quiet: Desk, before: str, reason: str, answer: int
) -> None:
    order = placed(quiet, status=before, supply="Fulfillment")
    assert cancel(quiet, order, reason).status == answer
    assert cancel_lines(quiet, order, 0, reason=reason).status == answer


def test_the_effect_comes_later(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    answer = cancel(quiet, order)
    assert (answer.status, set(answer.json)) == (201, {"requestId"})
    quiet.wait(29)
    assert status(quiet, order) == "InPreparation"
    quiet.wait(1)
    shown = read(quiet, order)
    assert (shown["status"], shown["updatedAt"]) == ("Cancelled", "2026-03-02T09:00:30.000000Z")
    assert line_statuses(quiet, order) == ["Cancelled", "Cancelled"]


@pytest.mark.parametrize(
    ("places", "words", "becomes"),
    [
        ([0], ["Cancelled", "InPreparation", "InPreparation"], "InPreparation"),
        ([1, 2], ["InPreparation", "Cancelled", "Cancelled"], "InPreparation"),
        ([0, 1, 2], ["Cancelled", "Cancelled", "Cancelled"], "Cancelled"),
    ],
)
def test_some_lines_are_cancelled(
    quiet: Desk, places: list[int], words: list[str], becomes: str
) -> None:
    order = placed(quiet, lines=3)
    assert cancel_lines(quiet, order, *places).status == 201
    quiet.wait(30)
    assert (line_statuses(quiet, order), status(quiet, order)) == (words, becomes)


def test_a_withdrawal_is_honoured(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    regret(quiet, order, 1)
    assert line_statuses(quiet, order) == ["InPreparation", "CancelRequest"]
    assert cancel_lines(quiet, order, 1, reason="customer-request").status == 201
    quiet.wait(30)
    assert line_statuses(quiet, order) == ["InPreparation", "Cancelled"]


def test_a_line_is_cancelled_once(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    assert cancel_lines(quiet, order, 0).status == 201
    quiet.wait(30)
    assert cancel_lines(quiet, order, 0).status == 400
    assert cancel(quiet, order).status == 400
    assert cancel_lines(quiet, order, 1).status == 201


def test_the_rest_may_be_shipped_and_the_order_with_it(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    [first, _] = line_ids(order)
    parcel = {"parcelNumber": "1", "carrierName": "UPS", "orderLineIds": [first]}
    assert ship(quiet, order, parcel).status == 201
    assert cancel_lines(quiet, order, 1).status == 201
    quiet.wait(30)
    shown = read(quiet, order)
    assert (shown["status"], shown["shippedAt"]) == ("Shipped", "2026-03-02T09:00:30.000000Z")
    quiet.wait(2 * 24 * 3600)
    assert line_statuses(quiet, order) == ["Delivered", "Cancelled"]


def test_a_cancelled_line_does_not_hold_up_the_others(quiet: Desk) -> None:
    order = placed(quiet, status="Shipped", lines=2)
    quiet.wait(24 * 3600)
    assert cancel_lines(quiet, order, 0, reason="parcel-lost").status == 201
    quiet.wait(24 * 3600)
    assert line_statuses(quiet, order) == ["Cancelled", "Delivered"]


def test_an_order_shipped_meanwhile_is_not_cancelled(quiet: Desk) -> None:
    order = placed(quiet)
    assert cancel(quiet, order).status == 201
    assert ship(quiet, order).status == 201
    quiet.wait(60)
    assert status(quiet, order) == "Shipped"


def test_two_requests_at_once_are_two_effects(quiet: Desk) -> None:
    """The state does not tell that it was asked twice; the log does."""
    order = placed(quiet)
    assert [cancel(quiet, order).status for _ in "ab"] == [201, 201]
    [one, other] = quiet.sandbox.effects()
    assert one.fingerprint == other.fingerprint


def test_without_line_management_the_order_is_cancelled_as_a_whole(new_desk: type[Desk]) -> None:
    with new_desk(quiet_but(line_management=())) as desk:
        order = placed(desk, lines=2)
        assert cancel_lines(desk, order, 0).status == 400
        assert cancel(desk, order).status == 201


LINE = {
    "lineId": "?",
    "offerId": "?",
    "reason": "seller-out-of-stock",
    "shippingCostRefund": True,
}


@pytest.mark.parametrize(
    ("path", "body", "places"),
    [
        (FULL, [], ["body"]),
        (FULL, {}, ["orderSellerId", "reason", "shippingCostRefund"]),
        (FULL, {"reason": "", "shippingCostRefund": True}, ["orderSellerId", "reason"]),
        (FULL, {"orderSellerId": "?", "reason": "x"}, ["shippingCostRefund"]),
        (PARTIAL, {"orderSellerId": "?", "lines": []}, ["lines"]),
        (
            PARTIAL,
            {"orderSellerId": "?", "lines": [{**LINE, "shippingCostRefund": "yes"}]},
            ["lines[0].shippingCostRefund"],
        ),
        (PARTIAL, {"orderSellerId": "?", "lines": [{}]}, [f"lines[0].{name}" for name in LINE]),
    ],
)
def test_bodies_that_are_refused(quiet: Desk, path: str, body: Any, places: list[str]) -> None:
    answer = quiet.ask("POST", path, body)
    assert (answer.status, sorted(cause for _, cause in answer.reasons)) == (400, sorted(places))


@pytest.mark.parametrize(
    ("changes", "answer"),
    [({}, 201), ({"lineId": "unknown"}, 400), ({"offerId": "another"}, 400)],
)
def test_a_line_is_named_with_its_offer(quiet: Desk, changes: dict[str, str], answer: int) -> None:
    order = placed(quiet)
    [line] = order.lines
    named = {"lineId": line["orderLineId"], "offerId": line["offer"]["offerId"]}
    body = {"orderSellerId": order.order_id, "lines": [{**LINE, **named, **changes}]}
    assert quiet.ask("POST", PARTIAL, body).status == answer


def test_orders_of_others_do_not_exist(quiet: Desk) -> None:
    order = placed(quiet, seller="S2")
    assert cancel(quiet, order).status == 404
    assert cancel_lines(quiet, order, 0).status == 404
