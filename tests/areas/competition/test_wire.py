"""What others offer of the same products, as the service tells it."""

import json
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.competition.wire import (
    CompetingOffer,
    Competition,
    competition_page,
    fits,
    read_competing_changes,
    read_competing_offers,
)
from feedtool.model.call import Reply
from feedtool.service.bodies import Unreadable

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
NOTHING = CompetingOffer(*[None] * len(CompetingOffer._fields))
NO_PRODUCT = Competition(None, None, None, None, None, ())


def products(document: object, link: str = "") -> list[Competition]:
    headers = {"link": link} if link else {}
    return competition_page(Reply(200, headers, json.dumps(document).encode(), URL)).products


WRAPPED: dict[str, object] = {"in a wrapper": {"count": 1, "items": [ITEM]}, "bare": [ITEM]}


@pytest.mark.parametrize("document", WRAPPED.values(), ids=WRAPPED)
def test_all_of_it(document: object) -> None:
    assert products(document) == [
        Competition(
            *("P1", "0012", "Mug", "Brume", "2026-11-20T08:00:00Z"),
            (
                CompetingOffer(
                    is_available=True,
                    is_best_offer=False,
                    is_with_commercial_operation=False,
                    product_condition_id=6,
                    product_state_id=1,
                    price=Decimal("33.43"),
                    seller="Alder",
                    rating=Decimal("4.6"),
                    rating_count=12,
                    sales_count=40,
                    shipment_country="FR",
                    shipping_price=Decimal("2.45"),
                ),
            ),
        )
    ]


STRANGE: dict[str, tuple[dict[str, Any], Competition]] = {
    "nothing": ({}, NO_PRODUCT),
    "other types": ({"product": 1, "offers": {}, "last_change_date": []}, NO_PRODUCT),
    "offers that are none": ({"offers": [None, 1, "x"]}, NO_PRODUCT),
    "an empty offer": ({"offers": [{}]}, NO_PRODUCT._replace(offers=(NOTHING,))),
    "an offer of other types": (
        {"offers": [{"is_available": 1, "price": [], "seller": "x", "product_state_id": 1.5}]},
        NO_PRODUCT._replace(offers=(NOTHING,)),
    ),
    "numbers as texts": (
        {"product": {"product_ean": 12}, "offers": [{"price": "1.50"}]},
        NO_PRODUCT._replace(product_ean="12", offers=(NOTHING._replace(price=Decimal("1.50")),)),
    ),
}


@pytest.mark.parametrize(("item", "expected"), STRANGE.values(), ids=STRANGE)
def test_what_is_of_another_shape_says_nothing(item: dict[str, Any], expected: Competition) -> None:
    assert products({"items": [item]}) == [expected]


@pytest.mark.parametrize("document", [None, {}, {"items": {}}, {"items": [1]}, [None]])
def test_what_is_no_list_is_unreadable(document: object) -> None:
    with pytest.raises(Unreadable):
        products(document)


def test_a_link_that_leads_away_is_not_followed() -> None:
    with pytest.raises(Unreadable, match="another host"):
        products([ITEM], '<https://elsewhere.example/>; rel="next"')


def test_products_are_asked_for_by_one_value() -> None:
    call = read_competing_offers(["0012", "P1"])
    assert (call.method, call.target) == ("GET", "/competing-offers")
    assert call.query == (("products", "0012&P1"),)
    assert read_competing_changes().target == "/competing-offer-changes"
    assert read_competing_changes(f"{URL}?x=1").target == f"{URL}?x=1"


@pytest.mark.parametrize("name", ["", " 1", "1&2", "1,2"])
def test_what_names_no_product(name: str) -> None:
    assert not fits(name)
    with pytest.raises(ValueError, match="named by"):
        read_competing_offers(["1", name])


def test_no_products_are_asked_for() -> None:
    with pytest.raises(ValueError, match="named by"):
        read_competing_offers([])
