"""Products that the warehouses know, and what the seller calls them."""

from typing import Any

import pytest

from feedtool.areas.inbound.sandbox.products import InboundBehaviour, referenced, referenced_pair
from tests.sandbox.desk import Desk

EMPTY_SHELVES = InboundBehaviour(opening_products=0)
PRODUCT: dict[str, Any] = {
    "gtin": "3760452700039",
    "label": "Kettle",
    "sellerId": 1,
    "sellerProductReference": "KETTLE",
    "productCondition": "New",
    "weight": 1.5,
}


@pytest.fixture
def empty(new_desk: type[Desk]) -> Any:
    with new_desk(EMPTY_SHELVES) as desk:
        yield desk


def create(desk: Desk, **changes: Any) -> Any:
    product = {name: value for name, value in (PRODUCT | changes).items() if value is not ...}
    return desk.ask("POST", "/fulfillment-products", product)


def references(desk: Desk, **query: Any) -> list[tuple[str, str]]:
    items = desk.pages("/stock-seller-references", query)
    return [(item["sellerProductReference"], item["productCondition"]) for item in items]


def test_a_new_product_is_shown_as_sent(empty: Desk) -> None:
    answer = create(empty)
    assert (answer.status, answer.json) == (201, PRODUCT)
    assert references(empty) == [("KETTLE", "New")]


def test_a_second_request_only_fills_empty_fields(empty: Desk) -> None:
    create(empty, language="")
    answer = create(
        empty, weight=1.2, language="fr-FR", sellerProductReference="OTHER", gtin="03760452700039"
    )
    assert (answer.status, answer.json) == (201, {**PRODUCT, "language": "fr-FR"})
    assert references(empty) == [("KETTLE", "New")]


def test_only_changes_of_a_product_are_effects(empty: Desk) -> None:
    for _ in range(3):
        create(empty)
    create(empty, weight=9)
    assert [(effect.kind, effect.key) for effect in empty.sandbox.effects()] == [
        ("fulfilment product", "KETTLE")
    ]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 201),
        ({"productCondition": "LikeNew", "sellerProductReference": "KETTLE-2"}, 201),
        ({"gtin": "3760452700046"}, 400),  # the reference is another product's
        ({"gtin": ...}, 400),
        ({"gtin": "12345"}, 400),
        ({"gtin": 3760452700039}, 400),
        ({"label": ""}, 400),
        ({"sellerId": "1"}, 400),
        ({"sellerProductReference": None}, 400),
        ({"weight": 0}, 400),
        ({"weight": "heavy"}, 400),
        ({"hasExpirationDate": "no"}, 400),
        ({"traceability": "IMEI", "customsReference": "8516", "categoryUn": None}, 201),
    ],
    ids=str,
)
def test_products_are_validated(empty: Desk, changes: Any, status: int) -> None:
    create(empty)
    assert create(empty, **changes).status == status


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (PRODUCT, {"Content-Type": "text/plain"}, 415),
        (b"{", {}, 400),
        ([], {}, 400),
        (PRODUCT, {"SellerId": None}, 400),
        (PRODUCT, {"Authorization": "Bearer forbidden"}, 403),
    ],
    ids=str,
)
def test_requests_that_are_no_products_are_refused(
    empty: Desk, body: Any, headers: Any, status: int
) -> None:
    answer = empty.ask("POST", "/fulfillment-products", body, headers=headers)
    assert answer.status == status


def test_references_come_page_after_page_and_are_the_sellers_own(desk: Desk) -> None:
    every = references(desk)
    assert len(every) == len(set(every)) == 8
    assert references(desk, limit=3) == every
    assert references(desk, sellerProductReference="ART-002") == [("ART-002", "New")]
    assert references(desk, sellerProductReference="NONE") == []
    create(desk)
    other = desk.ask("GET", "/stock-seller-references", headers={"SellerId": "S2"}).json["items"]
    assert "KETTLE" not in [item["sellerProductReference"] for item in other]


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": "x"}, {"cursor": "7"}])
def test_a_wrong_page_is_refused(desk: Desk, query: Any) -> None:
    assert desk.ask("GET", "/stock-seller-references", query=query).status == 400


def test_others_find_a_product_by_either_name(desk: Desk) -> None:
    create(desk)
    with desk.sandbox.state.transaction() as db:
        known = referenced(db, "S1", "KETTLE")
        assert known is not None
        assert known == referenced_pair(db, "S1", "03760452700039", "New")
        assert referenced_pair(db, "S1", PRODUCT["gtin"], "LikeNew") is None
        assert referenced(db, "S2", "KETTLE") is None
