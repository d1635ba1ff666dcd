"""The routes of shipments to the warehouses, and what becomes of them."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.inbound.sandbox import shipments
from tests.areas.inbound.sandbox.dock import QUIET, announce, announced, item, shown
from tests.sandbox.desk import Desk

DAY = 86_400
PATH = "/inbound-shipments"


@pytest.fixture
def quiet(new_desk: type[Desk]) -> Iterator[Desk]:
    with new_desk(QUIET) as desk:
        yield desk


# Creation.


ANNOUNCED: list[tuple[dict[str, Any], int]] = [
    ({}, 201),
    ({"supplyMode": "Xdock", "storageCountry": "GB"}, 201),
    ({"storageCountry": "ES"}, 400),  # not activated
    ({"storageCountry": "UK"}, 400),
    ({"storageCountry": ...}, 400),
    ({"supplyMode": "Seller"}, 400),
    ({"reference": ""}, 400),
    ({"items": []}, 400),
    ({"items": [item(quantity=0)]}, 400),
    ({"items": [item(gtin="12")]}, 400),
    ({"items": [item(), item()]}, 400),
    ({"items": [item(), item(gtin="03760452000009")]}, 400),
    ({"items": [item(), item(productCondition="LikeNew")]}, 201),  # refused later
    ({"items": [item(-1)]}, 201),
]


def test_shipments_are_validated(quiet: Desk) -> None:
    for changes, status in ANNOUNCED:
        before = len(quiet.sandbox.effects())
        assert announce(quiet, **changes).status == status, changes
        assert len(quiet.sandbox.effects()) - before == (status == 201), changes


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"SellerId": None}, 400),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer forbidden"}, 403),
    ],
    ids=str,
)
def test_shipments_need_rights_and_headers(quiet: Desk, headers: Any, status: int) -> None:
    assert quiet.ask("POST", PATH, {}, headers=headers).status == status


def test_an_account_may_be_refused_unknown_products_at_once(new_desk: type[Desk]) -> None:
    with new_desk(replace(QUIET, refuses_unknown=True)) as desk:
        answer = announce(desk, "PO-A", item(), item(-1))
        assert (answer.status, answer.reasons) == (400, [("ER400", "items[1].gtin")])


def test_a_reference_can_be_sent_twice(quiet: Desk) -> None:
    assert announced(quiet) != announced(quiet)
    assert len({effect.fingerprint for effect in quiet.sandbox.effects()}) == 1


def test_an_answer_may_lack_the_id(new_desk: type[Desk]) -> None:
    with new_desk(replace(QUIET, names_created=False)) as desk:
        assert (announce(desk).status, announce(desk).body) == (201, b"")


# Its life.


def test_a_shipment_goes_its_way(quiet: Desk) -> None:
    name = announced(quiet, item(0, 5), item(1, 2))
    seen = [shown(quiet, name)["status"]]
    for seconds in (10, 60, 10, 60, DAY, 3 * DAY, DAY):
        quiet.wait(seconds - 1)
        assert shown(quiet, name)["status"] == seen[-1]
        quiet.wait(1)
        seen.append(shown(quiet, name)["status"])
    assert seen == [
        *(shipments.CREATED, shipments.REFERENCING, shipments.REFERENCED, shipments.PROCESSING),
        *(shipments.ACCEPTED, shipments.APPOINTED, shipments.IN_PROGRESS, shipments.DONE),
    ]
    done = shown(quiet, name)
    assert [it["receivedQuantity"] for it in done["items"]] == [5, 2]
    assert done["receptionDate"] == done["updatedAt"] > done["createdAt"]


def test_an_unknown_product_gets_the_shipment_refused(quiet: Desk) -> None:
    name = announced(quiet, item(), item(-1))
    quiet.wait(100)
    refused = shown(quiet, name)
    assert refused["status"] == shipments.REFUSED
    assert [it["gtin"] for it in refused["refuseDetail"]["products"]] == ["2000000000015"]
    quiet.wait(30 * DAY)
    assert shown(quiet, name) == refused


def test_a_fourth_is_in_dispute_and_a_ninth_never_arrives(quiet: Desk) -> None:
    names = [announced(quiet) for _ in range(9)]
    quiet.wait(4 * DAY + 3600)
    quiet.wait(DAY)
    disputed = shown(quiet, names[3])
    assert (disputed["status"], disputed["items"][0]["inDisputeQuantity"]) == ("PartiallyDone", 1)
    assert shown(quiet, names[8])["status"] == shipments.APPOINTED
    quiet.wait(11 * DAY)
    assert [shown(quiet, names[at])["status"] for at in (3, 8)] == ["Done", "AutomaticallyDone"]


# Delivery notes.


def test_a_delivery_note_is_there_from_the_acceptance_on(quiet: Desk) -> None:
    name = announced(quiet)
    note = f"{PATH}/{name}/delivery-notes"
    assert quiet.ask("GET", note).status == 404
    quiet.wait(200)
    answer = quiet.ask("GET", note)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/pdf"
    assert (answer.body[:8], answer.body[-6:]) == (b"%PDF-1.4", b"%%EOF\n")
    assert b"PO-A" in answer.body


def test_shipments_of_another_seller_are_not_found(quiet: Desk) -> None:
    name = announced(quiet)
    for path in (f"{PATH}/{name}", f"{PATH}/{name}/delivery-notes", f"{PATH}/nothing"):
        assert quiet.ask("GET", path, headers={"SellerId": "S2"}).status == 404
    assert quiet.ask("GET", PATH, headers={"SellerId": "S2"}).json["items"] == []


# Lists.


def references(desk: Desk, **query: Any) -> list[str]:
    return [it["reference"] for it in desk.pages(PATH, query)]


def test_the_past_of_a_shop_has_something_of_nearly_every_state(desk: Desk) -> None:
    statuses = [it["status"] for it in desk.pages(PATH, {"orderBy": "Asc"})]
    assert statuses == [
        *("Done", "Done", "Refused", "PartiallyDone", "Done"),
        *("InProgress", "AppointmentScheduled", "Accepted"),
    ]
    assert references(desk) == [f"PO-{number:04d}" for number in range(8, 0, -1)]
    assert not desk.sandbox.effects()


@pytest.mark.parametrize("order", ["Asc", "Desc"])
def test_pages_come_to_an_end(desk: Desk, order: str) -> None:
    every = references(desk, orderBy=order)
    for size in (1, 2, 3, 7, 8, 9):
        assert references(desk, limit=size, orderBy=order) == every, size


FILTERS: list[tuple[dict[str, str], int]] = [
    ({"reference": "PO-0003"}, 1),
    ({"reference": "PO-00"}, 0),
    ({"code": "IN-000004"}, 1),
    ({"supplyMode": "Xdock"}, 1),
    ({"country": "GB"}, 2),
    ({"country": "FR,GB"}, 8),
    ({"status": "Refused"}, 1),
    ({"status": "Refused,Done"}, 4),
    ({"createdAtMin": "2026-02-28T00:00:00Z"}, 2),
    ({"createdAtMax": "2026-02-28T00:00:00Z"}, 6),
    ({"updatedAtMin": "2026-03-02T09:00:01Z"}, 0),
    ({"updatedAtMax": "2026-03-02T09:00:00+00:00"}, 8),
]


def test_lists_and_counts_have_filters(desk: Desk) -> None:
    for query, found in FILTERS:
        assert (query, len(references(desk, **query))) == (query, found)
        assert desk.ask("GET", f"{PATH}/count", query=query).json == {"count": found}


REFUSED: list[dict[str, Any]] = [
    *({"status": "done"}, {"country": "UK"}, {"supplyMode": "Seller"}, {"orderBy": "asc"}),
    *({"createdAtMin": "yesterday"}, {"limit": 0}, {"cursor": "x"}, {"reference": ""}),
]


def test_wrong_filters_of_a_list_are_refused(desk: Desk) -> None:
    for query in REFUSED:
        assert (query, desk.ask("GET", PATH, query=query).status) == (query, 400)
