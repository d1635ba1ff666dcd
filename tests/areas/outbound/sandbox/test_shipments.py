"""Outbound shipments: what is taken, what becomes of it, when, and what can be cancelled."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from tests.areas.outbound.sandbox.parcels import (
    DAY,
    HOUR,
    MINUTE,
    QUIET,
    SENT,
    cancel,
    created_shipment,
    item,
    products,
    read,
    send,
    shipment,
)
from tests.sandbox.desk import Desk


def statuses(desk: Desk, name: str, *waits: float) -> list[tuple[str, list[str]]]:
    """The status of a shipment and of its parcels, after each wait."""
    found = []
    for seconds in waits:
        desk.wait(seconds)
        shown = read(desk, name)
        found.append((shown["status"], [parcel["status"] for parcel in shown["parcels"]]))
    return found


def test_a_shipment_goes_its_way(quiet: Desk) -> None:
    assert statuses(quiet, created_shipment(quiet), 0, MINUTE, HOUR, 4 * HOUR, 2 * DAY - 1, 1) == [
        ("Created", []),
        ("Accepted", []),
        ("InPreparation", ["Packaged"]),
        ("Shipped", ["Shipped"]),
        ("Shipped", ["Shipped"]),
        ("Delivered", ["Delivered"]),
    ]


def test_every_fifth_goes_in_two_parcels(quiet: Desk) -> None:
    *_, name = [created_shipment(quiet) for _ in range(5)]
    assert statuses(quiet, name, SENT, DAY, 2 * DAY) == [
        ("PartiallyShipped", ["Shipped", "Packaged"]),
        ("Shipped", ["Shipped", "Shipped"]),
        ("Delivered", ["Delivered", "Delivered"]),
    ]


REJECTED: dict[str, dict[str, Any]] = {
    "UnknownProduct": {"sellerProductReference": "NOBODYS"},
    "InvalidDeliveryMode": {"delivery": {"mode": "PIGEON"}},
}


@pytest.mark.parametrize("code", REJECTED)
def test_a_wrong_item_rejects_the_shipment(quiet: Desk, code: str) -> None:
    name = created_shipment(quiet, shipment(quiet, item(quiet), item(quiet, **REJECTED[code])))
    quiet.wait(MINUTE)
    shown = read(quiet, name)
    assert (shown["status"], shown["state"]) == ("Rejected", {"value": "Invalid"})
    assert [reason["code"] for reason in shown["rejectionReasons"]] == [code]


PRICES = {"unitSalesPrice": 9.9, "shippingCost": 0, "currencyCode": "CHF"}


@pytest.mark.parametrize(
    ("address", "fields", "status"),
    [
        ({}, {"delivery": {"mode": "PPMR"}}, "Rejected"),
        ({"pickupId": "P1"}, {"delivery": {"mode": "PPMR"}}, "Accepted"),
        ({"countryCode": "CH"}, {}, "Rejected"),
        ({"countryCode": "CH"}, PRICES, "Accepted"),
        ({"countryCode": "CH"}, {**PRICES, "currencyCode": None}, "Rejected"),
        ({}, {"delivery": None}, "Rejected"),
    ],
)
def test_addresses_are_validated(quiet: Desk, address: Any, fields: Any, status: str) -> None:
    name = created_shipment(quiet, shipment(quiet, item(quiet, **fields), address=address))
    quiet.wait(MINUTE)
    assert read(quiet, name)["status"] == status


@pytest.mark.parametrize(
    ("country", "status"), [("FR", "Accepted"), (None, "Accepted"), ("PT", "Rejected")]
)
def test_a_warehouse_that_may_not_be_used(quiet: Desk, country: str, status: str) -> None:
    name = created_shipment(quiet, shipment(quiet, storageCountry=country))
    quiet.wait(MINUTE)
    assert read(quiet, name)["status"] == status


def test_a_product_is_known_by_either_identification_and_the_reference_wins(quiet: Desk) -> None:
    product, other = products(quiet)[:2]
    pair = {"productId": product["gtin"], "productCondition": "New"}
    wanted = {
        product["gtin"]: {**pair, "sellerProductReference": None},
        other["gtin"]: {**pair, "sellerProductReference": other["sellerProductReference"]},
    }
    for gtin, fields in wanted.items():
        name = created_shipment(quiet, shipment(quiet, item(quiet, **fields)))
        quiet.wait(MINUTE)
        assert [it["productId"] for it in read(quiet, name)["items"]] == [gtin]


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": ""},
        {"reference": ...},
        {"items": []},
        {"items": [{"expectedQuantity": 0}]},
        {"items": [{"expectedQuantity": "2"}]},
        {"deliveryAddress": None},
    ],
)
def test_requests_that_are_no_shipments_are_refused(quiet: Desk, changes: dict[str, Any]) -> None:
    body = {key: it for key, it in (shipment(quiet) | changes).items() if it is not ...}
    assert send(quiet, body).status == 400
    assert quiet.sandbox.effects() == []


def test_a_reference_may_be_used_again_and_each_creation_is_an_effect(quiet: Desk) -> None:
    assert created_shipment(quiet) != created_shipment(quiet)
    effects = quiet.sandbox.effects()
    assert [(it.kind, it.key) for it in effects] == [("outbound shipment", "R-1")] * 2
    assert len({effect.fingerprint for effect in effects}) == 1


def test_shipments_are_their_sellers_own(quiet: Desk) -> None:
    name = created_shipment(quiet)
    headers = {"SellerId": "S2"}
    assert quiet.ask("GET", f"/outbound-shipments/{name}", headers=headers).status == 404
    assert quiet.ask("GET", "/outbound-shipments/count", headers=headers).json == 0
    body = {"outboundShipmentId": name, "reason": "x"}
    path = "/outbound-cancellation-requests"
    assert quiet.ask("POST", path, body, headers=headers).status == 404


# Lists.


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_list_is_read_to_its_end(quiet: Desk, size: int) -> None:
    names = [
        created_shipment(quiet, shipment(quiet, reference=f"R-{number}")) for number in range(3)
    ]
    listed = quiet.pages("/outbound-shipments", {"limit": size})
    assert [entry["outboundShipmentId"] for entry in listed] == names
    assert quiet.ask("GET", "/outbound-shipments/count").json == 3


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"status": "Created"}, 1),
        ({"status": "Created,Accepted"}, 2),
        ({"state": "Invalid"}, 1),
        ({"deliveryCountry": "CH"}, 1),
        ({"reference": "R-2"}, 1),
        ({"createdAtMin": "2026-03-02T09:05:00Z"}, 1),
        ({"createdAtMax": "2026-03-02T09:05:00Z"}, 2),
        ({"updatedAtMin": "2026-03-02T09:01:00Z"}, 3),
    ],
)
def test_filters(quiet: Desk, query: dict[str, str], count: int) -> None:
    created_shipment(quiet)
    created_shipment(quiet, shipment(quiet, reference="R-2", address={"countryCode": "CH"}))
    quiet.wait(10 * MINUTE)
    created_shipment(quiet)
    assert len(list(quiet.pages("/outbound-shipments", query))) == count
    assert quiet.ask("GET", "/outbound-shipments/count", query=query).json == count


@pytest.mark.parametrize(
    "query", ["status=Lost", "state=Good", "limit=0", "limit=101", "createdAtMin=now", "reference="]
)
def test_unknown_filters_are_refused(quiet: Desk, query: str) -> None:
    assert quiet.ask("GET", "/outbound-shipments", query=query).status == 400


def test_a_shipment_may_be_shown_late(new_desk: type[Desk]) -> None:
    with new_desk(replace(QUIET, visible_after=timedelta(seconds=20))) as desk:
        name = created_shipment(desk)
        assert desk.ask("GET", f"/outbound-shipments/{name}").status == 404
        assert desk.ask("GET", "/outbound-shipments/count").json == 0
        desk.wait(20)
        assert [it["outboundShipmentId"] for it in desk.pages("/outbound-shipments")] == [name]


def test_a_shop_has_a_past(desk: Desk) -> None:
    shown = list(desk.pages("/outbound-shipments"))
    assert Counter(it["status"] for it in shown) == {
        "Delivered": 2,
        **dict.fromkeys(("PartiallyShipped", "Cancelled", "Rejected"), 1),
        **dict.fromkeys(("InPreparation", "Accepted", "Created"), 1),
        "Shipped": 2,
    }
    assert [it["createdAt"] for it in shown] == sorted(it["createdAt"] for it in shown)


# Cancellations.


def cancellation_of(desk: Desk, name: str) -> Any:
    return read(desk, name)["cancellationRequest"]


def test_a_cancellation_of_a_created_shipment_is_decided_at_once(quiet: Desk) -> None:
    name = created_shipment(quiet)
    answer = cancel(quiet, name)
    assert (answer.status, answer.json["status"]) == (201, "Accepted")
    assert read(quiet, name)["status"] == "Cancelled"
    quiet.wait(3 * DAY)
    assert read(quiet, name)["status"] == "Cancelled"


def test_later_the_partner_decides_and_every_third_time_refuses(quiet: Desk) -> None:
    names = [created_shipment(quiet) for _ in range(3)]
    quiet.wait(2 * MINUTE)
    requests = [cancel(quiet, name).json["cancellationRequestId"] for name in names]
    assert [cancellation_of(quiet, name)["status"] for name in names] == ["InProgress"] * 3
    quiet.wait(2 * HOUR)
    words = ["Accepted", "Accepted", "Rejected"]
    assert [cancellation_of(quiet, name)["status"] for name in names] == words
    paths = (f"/outbound-cancellation-requests/{name}" for name in requests)
    assert [quiet.ask("GET", path).json["status"] for path in paths] == words
    shown = [read(quiet, name)["status"] for name in names]
    assert shown == ["Cancelled", "Cancelled", "InPreparation"]


def test_a_parcel_that_has_left_meanwhile_is_not_cancelled(quiet: Desk) -> None:
    name = created_shipment(quiet)
    quiet.wait(SENT - HOUR)
    assert cancel(quiet, name).status == 201
    quiet.wait(2 * HOUR)
    assert (read(quiet, name)["status"], cancellation_of(quiet, name)["status"]) == (
        "Shipped",
        "Rejected",
    )


@pytest.mark.parametrize("wait", [SENT, SENT + 2 * DAY])
def test_a_sent_shipment_cannot_be_cancelled(quiet: Desk, wait: float) -> None:
    name = created_shipment(quiet)
    quiet.wait(wait)
    assert cancel(quiet, name).status == 400


@pytest.mark.parametrize("wait", [0, 2 * MINUTE])
def test_a_cancellation_is_asked_for_once(quiet: Desk, wait: float) -> None:
    name = created_shipment(quiet)
    quiet.wait(wait)
    assert [cancel(quiet, name).status for _ in range(2)] == [201, 400]
    assert len([effect for effect in quiet.sandbox.effects() if "cancellation" in effect.kind]) == 1


def test_a_cancellation_has_a_reason(quiet: Desk) -> None:
    assert cancel(quiet, created_shipment(quiet), reason="").status == 400
    path = "/outbound-cancellation-requests/nobodys"
    assert quiet.ask("GET", path).status == 404
