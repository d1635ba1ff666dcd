"""Fields of an offer as columns, by their dotted paths."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.offers.rows import flatten, order_columns

OFFER: Mapping[str, Any] = {
    "offerState": "Active",
    "isBestOffer": None,
    "facialPrice": {"price": Decimal("11.50")},
    "salesChannelFeedback": {
        "isOnline": True,
        "offlineReason": None,
        "offerQuality": {"offerScore": "B", "scoreReasons": [{"code": 3, "reason": "photos"}]},
        "competingOffers": [
            {"sellerName": "Alder", "displayedOfferPrice": Decimal("9.9")},
            {"sellerName": "Brume", "displayedOfferPrice": 12, "isOnline": False},
        ],
    },
    "tags": ["a", "b"],
}
FEEDBACK = "salesChannelFeedback"

CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "a field": (["offerState"], {"offerState": "Active"}),
    "a number": (["facialPrice.price"], {"facialPrice.price": Decimal("11.50")}),
    "a node is all that is in it": (["facialPrice"], {"facialPrice.price": Decimal("11.50")}),
    "yes or no": ([f"{FEEDBACK}.isOnline"], {f"{FEEDBACK}.isOnline": "true"}),
    "null": ([f"{FEEDBACK}.offlineReason"], {}),
    "below null": ([f"{FEEDBACK}.offlineReason.reason"], {}),
    "nothing of that name": (["facialPrice.cents"], {}),
    "a list of texts": (["tags"], {"tags": "a; b"}),
    "one field of a list's items": (
        [f"{FEEDBACK}.competingOffers.sellerName"],
        {f"{FEEDBACK}.competingOffers.sellerName": "Alder; Brume"},
    ),
    "a list's items whole": (
        [f"{FEEDBACK}.competingOffers"],
        {
            f"{FEEDBACK}.competingOffers.sellerName": "Alder; Brume",
            f"{FEEDBACK}.competingOffers.displayedOfferPrice": "9.9; 12",
            f"{FEEDBACK}.competingOffers.isOnline": "false",
        },
    ),
    "a list in a node": (
        [f"{FEEDBACK}.offerQuality"],
        {
            f"{FEEDBACK}.offerQuality.offerScore": "B",
            f"{FEEDBACK}.offerQuality.scoreReasons.code": "3",
            f"{FEEDBACK}.offerQuality.scoreReasons.reason": "photos",
        },
    ),
    "several": (["isBestOffer", "offerState"], {"offerState": "Active"}),
}


@pytest.mark.parametrize(("paths", "expected"), CASES.values(), ids=CASES)
def test_what_is_under_a_path(paths: Sequence[str], expected: Mapping[str, Any]) -> None:
    assert flatten(OFFER, paths) == expected


def test_what_is_too_deep_is_left_out() -> None:
    node: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        node = {"a": node}
    assert flatten(node, ["a"]) == {}


ORDERS = {
    "as asked, and then as met": (["b.y", "a", "b.x"], ["a", "b"], ["a", "b.y", "b.x"]),
    "what never came has its column": ([], ["a", "b.c"], ["a", "b.c"]),
    "what was null first": (["a.x"], ["a"], ["a.x"]),
    "what was not asked for": (["price.price", "a"], ["a"], ["a"]),
    "asked twice over": (["a.x", "a.y"], ["a.y", "a"], ["a.y", "a.x"]),
    "a name that begins like another": (["ab", "a"], ["a"], ["a"]),
}


@pytest.mark.parametrize(("met", "asked", "expected"), ORDERS.values(), ids=ORDERS)
def test_the_order_of_columns(met: list[str], asked: list[str], expected: list[str]) -> None:
    assert order_columns(met, asked) == expected
