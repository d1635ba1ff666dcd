"""Returns: what is taken, what becomes of it, when, and their labels."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from tests.areas.outbound.sandbox.parcels import (
    DAY,
    MINUTE,
    QUIET,
    SENT,
    created_return,
    created_shipment,
    give_back,
    item,
    line,
    read_return,
    shipment,
)
from tests.sandbox.desk import Desk


def shipped(desk: Desk, quantity: int = 5) -> str:
    name = created_shipment(desk, shipment(desk, item(desk, quantity)))
    desk.wait(SENT)
    return name


def label(desk: Desk, name: str, accept: str = "application/pdf") -> tuple[int, bytes]:
    answer = desk.ask("GET", f"/returns/{name}/labels", headers={"Accept": accept})
    return answer.status, answer.body[:4]


def test_a_return_goes_its_way(quiet: Desk) -> None:
    name, found = created_return(quiet, shipped(quiet)), []
    for wait in (0, MINUTE, MINUTE, 8 * MINUTE, DAY, 5 * DAY):
        quiet.wait(wait)
        found.append(read_return(quiet, name)["status"])
    assert found == ["Created", "Referencing", "Referenced", "Accepted", "Pending", "Completed"]
    (line,) = read_return(quiet, name)["lines"]
    assert (line["receiptedQuantity"], line["conformity"]) == (1, "Conform")


def test_some_are_not_as_announced(quiet: Desk) -> None:
    parcel = shipped(quiet, 6)
    names = [created_return(quiet, parcel, reference=f"B-{number}") for number in range(6)]
    quiet.wait(7 * DAY)
    shown = [read_return(quiet, name) for name in names]
    conform = [it["lines"][0]["conformity"] for it in shown]
    assert conform == ["Conform"] * 3 + ["NonConform"] + ["Conform"] * 2
    assert [it["unexpectedQuantity"] for it in shown] == [0] * 5 + [1]


def test_labels_come_after_12_minutes(quiet: Desk) -> None:
    name = created_return(quiet, shipped(quiet))
    quiet.wait(12 * MINUTE - 1)
    assert label(quiet, name)[0] == 404
    quiet.wait(1)
    assert label(quiet, name) == (200, b"%PDF")
    assert label(quiet, name, "image/png") == (200, b"\x89PNG")
    assert read_return(quiet, name)["hasLabel"]


def test_a_missing_label_may_be_empty(new_desk: type[Desk]) -> None:
    with new_desk(replace(QUIET, without_label=200)) as desk:
        assert label(desk, created_return(desk, shipped(desk))) == (200, b"")


def test_an_undeliverable_parcel_comes_back_without_a_label(quiet: Desk) -> None:
    for _ in range(3):
        name = shipped(quiet)
    quiet.wait(2 * DAY + 15 * MINUTE)
    (shown,) = quiet.pages("/returns", {"types": "Carrier"})
    assert (shown["outboundShipmentId"], shown["reason"]) == (name, "Undeliverable")
    assert label(quiet, shown["returnId"])[0] == 404


REFUSED: dict[str, dict[str, Any]] = {
    "a carrier's reason": {"reason": "Undeliverable"},
    "no reason": {"reason": "Boredom"},
    "no such shipment": {"outboundShipmentId": "nobodys"},
    "no lines": {"lines": []},
    "no reference": {"reference": ""},
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_returns_are_refused(quiet: Desk, case: str) -> None:
    assert give_back(quiet, shipped(quiet), **REFUSED[case]).status == 400
    assert [effect.kind for effect in quiet.sandbox.effects()] == ["outbound shipment"]


def test_only_sent_lines_can_come_back(quiet: Desk) -> None:
    name = shipped(quiet, 3)
    assert give_back(quiet, name, line(quiet, number=1)).status == 400
    assert give_back(quiet, name, line(quiet, productCondition="LikeNew")).status == 400
    assert give_back(quiet, name, line(quiet, 4)).status == 400
    assert give_back(quiet, name, line(quiet, 2), line(quiet, 2)).status == 400
    assert [give_back(quiet, name, line(quiet, 2)).status for _ in range(2)] == [201, 400]
    assert give_back(quiet, name).status == 201


def test_an_unsent_parcel_cannot_come_back(quiet: Desk) -> None:
    name = created_shipment(quiet)
    assert give_back(quiet, name).status == 400
    quiet.wait(2 * MINUTE)
    assert give_back(quiet, name).status == 400


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"types": "Customer"}, 2),
        ({"types": "Carrier"}, 0),
        ({"reasons": "Damaged,Retraction"}, 2),
        ({"reasons": "Damaged"}, 1),
        ({"status": "Accepted"}, 1),
        ({"reference": "B-2"}, 1),
        ({"createdAtMin": "2026-03-02T14:10:00Z"}, 1),
    ],
)
def test_filters(quiet: Desk, query: dict[str, str], count: int) -> None:
    name = shipped(quiet)
    created_return(quiet, name)
    quiet.wait(10 * MINUTE)
    created_return(quiet, name, reference="B-2", reason="Damaged")
    assert len(list(quiet.pages("/returns", query))) == count
    assert quiet.ask("GET", "/returns/count", query=query).json == count
    own = {"outboundShipmentId": name, **query}
    assert quiet.ask("GET", "/returns/count", query=own).json == count
    assert quiet.ask("GET", "/returns", query={"types": "Lost"}).status == 400


def test_returns_are_their_sellers_own(quiet: Desk) -> None:
    name = created_return(quiet, shipped(quiet))
    headers = {"SellerId": "S2"}
    assert quiet.ask("GET", f"/returns/{name}", headers=headers).status == 404
    assert quiet.ask("GET", f"/returns/{name}/labels", headers=headers).status == 404


def test_a_shop_has_returns_of_every_sort(desk: Desk) -> None:
    shown = list(desk.pages("/returns"))
    assert Counter(it["status"] for it in shown) == {
        "Completed": 4,
        "Pending": 1,
        "Accepted": 1,
        "Referenced": 1,
    }
    assert Counter(it["type"] for it in shown) == {"Customer": 6, "Carrier": 1}
    conform = [it["conformity"] for parcel in shown for it in parcel["lines"]]
    assert conform.count("NonConform") == 1
