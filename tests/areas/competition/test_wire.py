"""The answers about others' offers of the same products."""

import json
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.competition.wire import (
    FIELDS,
    competition_page,
    fits,
    read_competing_changes,
    read_competing_offers,
)
from feedtool.model.call import Reply
from feedtool.service.answers import Unreadable

URL = "https://service.example/v2/competing-offers"
OFFER = {
    "is_available": True,
    "is_best_offer": False,
    "is_with_commercial_operation": False,
    "product_condition_id": 6,
    "product_state_id": 1,
    "price": 33.43,
    "seller": {
        "name": "Alder",
        "rating": 4.6,
        "rating_count": 12,
        "sales_count": 40,
        "shipment_country": "FR",
    },
    "shipping": {"shipping_price": 2.45},
}
ITEM = {
    "last_change_date": "2026-11-20T08:00:00Z",
    "product": {"product_id": "P1", "product_ean": "0012", "title": "Mug", "brand_name": "Brume"},
    "offers": [OFFER],
}
NOTHING = dict.fromkeys(FIELDS)


def rows(document: object, link: str = "") -> list[dict[str, Any]]:
    headers = {"link": link} if link else {}
    return competition_page(Reply(200, headers, json.dumps(document).encode(), URL)).rows


@pytest.mark.parametrize("document", [{"count": 1, "items": [ITEM]}, [ITEM]])
def test_all_of_it(document: object) -> None:
    money = (Decimal("33.43"), Decimal("2.45"))
    product = ("0012", "P1", "Mug", "Brume", "2026-11-20T08:00:00Z")
    values = (*product, "Alder", *money, "false", "true", 6, 1, "false", Decimal("4.6"), 12, 40)
    assert rows(document) == [dict(zip(FIELDS, (*values, "FR"), strict=True))]


STRANGE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {}),
    "other types": ({"product": 1, "offers": {}, "last_change_date": []}, {}),
    "offers that are none": ({"offers": [None, 1, "x"]}, {}),
    "an empty offer": ({"offers": [{}]}, {}),
    "an offer of other types": (
        {"offers": [{"is_available": 1, "price": [], "seller": "x", "product_state_id": 1.5}]},
        {},
    ),
    "numbers as texts": (
        {"product": {"product_ean": 12}, "offers": [{"price": "1.50"}]},
        {"product.product_ean": "12", "price": Decimal("1.50")},
    ),
}


@pytest.mark.parametrize(("item", "expected"), STRANGE.values(), ids=STRANGE)
def test_fields_of_another_shape_are_blank(item: dict[str, Any], expected: dict[str, Any]) -> None:
    assert rows({"items": [item]}) == [NOTHING | expected]


@pytest.mark.parametrize("document", [None, {}, {"items": {}}, {"items": [1]}, [None]])
def test_documents_without_a_list_are_unreadable(document: object) -> None:
    with pytest.raises(Unreadable):
        rows(document)


def test_a_link_that_leads_away_is_not_followed() -> None:
    with pytest.raises(Unreadable, match="another host"):
        rows([ITEM], '<https://elsewhere.example/>; rel="next"')


def test_products_are_asked_for_by_one_value() -> None:
    call = read_competing_offers(["0012", "P1"])
    assert (call.method, call.target) == ("GET", "/competing-offers")
    assert call.query == (("products", "0012&P1"),)
    assert read_competing_changes().target == "/competing-offer-changes"


@pytest.mark.parametrize("name", ["", " 1", "1&2", "1,2"])
def test_names_of_no_product(name: str) -> None:
    assert not fits(name)
    for products in ([], ["1", name]):
        with pytest.raises(ValueError, match="named by"):
            read_competing_offers(products)
