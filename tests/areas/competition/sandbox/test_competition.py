"""The competing-offer routes, and who may use them."""

from typing import Any

import pytest

from feedtool.areas.competition.sandbox.competition import CompetitionBehaviour
from tests.sandbox.desk import Desk

OFFERS, CHANGES = "/competing-offers", "/competing-offer-changes"
RESTRICTED = "2000000000008"


def answered(desk: Desk, query: str) -> Any:
    answer = desk.ask("GET", OFFERS, query=query)
    assert answer.status == 200, answer.body
    return answer.json


@pytest.mark.parametrize(
    "query",
    [
        "products={0}&{1}",
        "products={0}&products={1}",
        "products={0}%26{1}",
        "products={0}&{1}&{0}&{2}&nonsense",
    ],
)
def test_products_are_asked_for_in_any_writing(desk: Desk, query: str) -> None:
    found = answered(desk, query.format(Desk.gtin(1), Desk.gtin(2), RESTRICTED))
    assert [item["product"]["product_ean"] for item in found["items"]] == [
        Desk.gtin(1),
        Desk.gtin(2),
    ]
    assert found["count"] == 2


@pytest.mark.parametrize(
    ("query", "code"),
    [
        *(({"products": strange}, "ER400-8614") for strange in ("A_1", "A 1", "é", "1,2")),
        *((query, "ER400-7480") for query in ("", "products=", "other=1")),
    ],
)
def test_products_are_required_and_alphanumeric(desk: Desk, query: Any, code: str) -> None:
    answer = desk.ask("GET", OFFERS, query=query)
    assert (answer.status, answer.reasons) == (400, [(code, "products")])


def test_products_may_be_asked_for_by_their_ids(desk: Desk) -> None:
    [by_ean] = answered(desk, f"products={Desk.gtin(1)}")["items"]
    [by_id] = answered(desk, f"products={by_ean['product']['product_id']}")["items"]
    assert by_id == by_ean


SELLER = dict.fromkeys(("name", "rating", "rating_count", "sales_count", "shipment_country"))
OFFER = {
    **dict.fromkeys(("is_available", "is_best_offer", "is_with_commercial_operation", "price")),
    **dict.fromkeys(("product_condition_id", "product_state_id")),
    "seller": SELLER,
    "shipping": {"shipping_price": None},
}


def shape(value: Any) -> Any:
    """The names in an object, however deep."""
    if not isinstance(value, dict):
        return None
    return {name: shape(inner) for name, inner in value.items()}


def test_the_shape_of_an_item(desk: Desk) -> None:
    found = [
        item for n in range(20) for item in answered(desk, f"products={Desk.gtin(n)}")["items"]
    ]
    about = dict.fromkeys(("product_id", "product_ean", "title", "brand_name"))
    for item in found:
        assert shape(item) == {"last_change_date": None, "product": about, "offers": None}
        assert all(shape(offer) == OFFER for offer in item["offers"])
        assert sum(offer["is_best_offer"] for offer in item["offers"]) <= 1
    assert len({len(item["offers"]) for item in found}) > 1


def test_the_offers_of_other_sellers_compete(desk: Desk) -> None:
    row = desk.offer("B-1", 1, price__price=1.0, price__originPrice=None)
    row["deliveryModes"] = [{"code": "TrackedHomeDelivery", "cost": 0, "additionalCost": 0}]
    row["price"]["taxes"][1]["value"] = 0
    own = dict(desk.headers)
    desk.headers["SellerId"] = "S2"
    desk.outcome("Upsert", row)
    desk.outcome("Upsert", row, channel="SECOND")
    [theirs] = answered(desk, f"products={Desk.gtin(1)}")["items"]
    desk.headers = own
    [mine] = answered(desk, f"products={Desk.gtin(1)}")["items"]
    names = [offer["seller"]["name"] for offer in mine["offers"]]
    assert names[0] == "S2"
    assert names[1:] == [offer["seller"]["name"] for offer in theirs["offers"]]
    assert mine["offers"][0]["is_best_offer"] is True
    assert mine["last_change_date"] > theirs["last_change_date"]


def test_changes_are_about_the_products_that_the_seller_offers(desk: Desk) -> None:
    assert desk.ask("GET", CHANGES).json == []
    for n in range(12):
        desk.outcome("Upsert", desk.offer(f"A-{n}", n))
    found = desk.ask("GET", CHANGES).json
    assert found
    assert {item["product"]["product_ean"] for item in found} <= {Desk.gtin(n) for n in range(12)}
    assert all(item["offers"] for item in found)
    dates = [item["last_change_date"] for item in found]
    assert dates == sorted(dates, reverse=True)


@pytest.mark.parametrize("path", [OFFERS, CHANGES])
def test_access_is_by_opening(new_desk: type[Desk], path: str) -> None:
    with new_desk(CompetitionBehaviour(unopened_sellers=("S2",))) as desk:
        query = f"products={Desk.gtin(1)}"
        assert desk.ask("GET", path, query=query).status == 200
        refused = desk.ask("GET", path, query=query, headers={"SellerId": "S2"})
        assert refused.status == 403
        assert "not opened for competing offers" in refused.json["description"]
        assert desk.ask("GET", path, headers={"SellerId": None}).status == 400
