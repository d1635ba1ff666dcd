"""Shipments: which orders and lines can be declared, how, and what is kept of it."""

from typing import Any

import pytest

from feedtool.areas.orders.sandbox.states import STATUSES
from tests.areas.orders.sandbox.counter import (
    PARCEL,
    line_ids,
    line_statuses,
    placed,
    quiet_but,
    read,
    regret,
    ship,
)
from tests.sandbox.desk import Desk


@pytest.mark.parametrize("supply", ["Seller", "Fulfillment"])
def test_an_order_is_shipped_once_it_is_in_preparation(quiet: Desk, supply: str) -> None:
    for before in (*STATUSES, "CancelRequest"):
        order = placed(quiet, status=before, supply=supply)
        can_ship = supply == "Seller" and before in {"InPreparation", "CancelRequest"}
        answer = ship(quiet, order)
        assert answer.status == (201 if can_ship else 400), before
        assert read(quiet, order)["status"] == ("Shipped" if can_ship else order.status)
        if not can_ship:
            assert answer.json["description"].startswith("Cannot switch to shipped status")


def test_declared_parcels_are_shown(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    quiet.wait(60)
    assert ship(quiet, order, {**PARCEL, "trackingUrl": "https://t.example/8R001"}).status == 201
    shown = read(quiet, order)
    at = "2026-03-02T09:01:00.000000Z"
    assert (shown["status"], shown["shippedAt"], shown["updatedAt"]) == ("Shipped", at, at)
    parcel = {**PARCEL, "trackingUrl": "https://t.example/8R001", "trackingId": "8R001"}
    assert [line["parcels"] for line in shown["lines"]] == [[parcel], [parcel]]


def parcels(order: Any, *contents: str) -> list[dict[str, Any]]:
    """A parcel for each of the contents, which name lines by their places; `*` names none."""
    names = line_ids(order)
    return [
        {"parcelNumber": f"P{number}", "carrierName": "UPS"}
        | ({} if content == "*" else {"orderLineIds": [names[int(place)] for place in content]})
        for number, content in enumerate(contents)
    ]


PARCELS = [
    (["*"], ["0", "0", "0"]),
    (["012"], ["0", "0", "0"]),
    (["0", "1", "2"], ["0", "1", "2"]),
    (["0"], ["0", "", ""]),
    (["02"], ["0", "", "0"]),
    (["0", "0"], ["01", "", ""]),
    (["01", "12"], ["0", "01", "1"]),
    (["*", "*"], ["01", "01", "01"]),
    (["*", "2"], ["0", "0", "01"]),
]


def test_lines_in_parcels(quiet: Desk) -> None:
    for contents, kept in PARCELS:
        order = placed(quiet, lines=3)
        assert ship(quiet, order, *parcels(order, *contents)).status == 201
        shown = read(quiet, order)
        numbers = [
            "".join(parcel["parcelNumber"][1:] for parcel in line["parcels"])
            for line in shown["lines"]
        ]
        words = ["Shipped" if content else "InPreparation" for content in kept]
        assert (numbers, [line["status"] for line in shown["lines"]]) == (kept, words), contents
        assert shown["status"] == ("InPreparation" if "" in kept else "Shipped")


def test_lines_are_shipped_on_different_days_each_once(quiet: Desk) -> None:
    order = placed(quiet, lines=2)
    first, second = parcels(order, "0", "1")
    assert [ship(quiet, order, first).status for _ in "ab"] == [201, 400]
    quiet.wait(24 * 3600)
    assert read(quiet, order)["shippedAt"] is None
    assert [ship(quiet, order, second).status for _ in "ab"] == [201, 400]
    assert read(quiet, order)["shippedAt"] == "2026-03-03T09:00:00.000000Z"
    assert [effect.kind for effect in quiet.sandbox.effects()] == ["shipment", "shipment"]


@pytest.mark.parametrize(
    ("contents", "status"), [(["0"], 400), (["01"], 201), (["0", "1"], 201), (["*"], 201)]
)
def test_without_line_management_all_lines_go_at_once(
    new_desk: type[Desk], contents: list[str], status: int
) -> None:
    with new_desk(quiet_but(line_management=("SECOND",))) as desk:
        order = placed(desk, lines=2)
        assert ship(desk, order, *parcels(order, *contents)).status == status
        other = placed(desk, lines=2, channel="SECOND")
        assert ship(desk, other, *parcels(other, *contents)).status == 201


@pytest.mark.parametrize(
    ("channel", "contents", "status", "words"),
    [
        ("PRIMARY", ["*"], 201, ["Shipped", "Shipped"]),
        ("PRIMARY", ["0"], 201, ["Shipped", "InPreparation"]),
        ("SECOND", ["*"], 201, ["CancelRequest", "Shipped"]),
        ("SECOND", ["0"], 400, ["CancelRequest", "InPreparation"]),
        ("SECOND", ["1"], 201, ["CancelRequest", "Shipped"]),
    ],
)
def test_a_withdrawal_is_refused_only_on_the_primary_channel(
    quiet: Desk, channel: str, contents: list[str], status: int, words: list[str]
) -> None:
    order = placed(quiet, lines=2, channel=channel)
    regret(quiet, order)
    assert ship(quiet, order, *parcels(order, *contents)).status == status
    assert line_statuses(quiet, order) == words


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, ["body"]),
        ([], ["body"]),
        ([{}], ["[0].parcelNumber", "[0].carrierName"]),
        ([PARCEL, {**PARCEL, "parcelNumber": ""}], ["[1].parcelNumber"]),
        ([{**PARCEL, "parcelNumber": 8}], ["[0].parcelNumber"]),
        ([{**PARCEL, "trackingUrl": 8}], ["[0].trackingUrl"]),
        ([{**PARCEL, "orderLineIds": []}], ["[0].orderLineIds"]),
        ([{**PARCEL, "orderLineIds": "1"}], ["[0].orderLineIds"]),
        ([{**PARCEL, "orderLineIds": ["unknown"]}], ["orderId"]),
    ],
)
def test_bodies_that_are_refused(quiet: Desk, body: Any, places: list[str]) -> None:
    order = placed(quiet)
    answer = quiet.ask("POST", f"/orders/{order.order_id}/shipments", body)
    assert (answer.status, [cause for _, cause in answer.reasons]) == (400, places)
    assert read(quiet, order)["status"] == "InPreparation"


def test_another_media_type_is_refused(quiet: Desk) -> None:
    order = placed(quiet)
    path = f"/orders/{order.order_id}/shipments"
    assert quiet.ask("POST", path, [PARCEL], headers={"Content-Type": "text/csv"}).status == 415
