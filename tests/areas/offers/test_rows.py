"""Offers as rows: what is under a path of them, and their requests laid flat."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.offers.rows import flatten, offer_cells, order_columns
from feedtool.areas.offers.settings import OfferSettings
from feedtool.model.settings import AccountSettings

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
    "a node is all that is in it": (["facialPrice"], {"facialPrice.price": Decimal("11.50")}),
    "yes or no": ([f"{FEEDBACK}.isOnline"], {f"{FEEDBACK}.isOnline": "true"}),
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
def test_values_under_paths(paths: Sequence[str], expected: Mapping[str, Any]) -> None:
    assert flatten(OFFER, paths) == expected


def test_an_amount_as_a_text_is_a_number() -> None:
    node = {"price": {"price": "19.90", "note": "1"}, "quantity": "7", "cost": "free", "ean": "12"}
    assert flatten(node, ["price", "quantity", "cost", "ean"]) == {
        "price.price": Decimal("19.90"),
        "price.note": "1",
        "quantity": 7,
        "cost": "free",
        "ean": "12",
    }


def test_deeply_nested_values_are_left_out() -> None:
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


MODE = "deliveryModes.TrackedHomeDelivery"
OFFERS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "a whole offer": (
        """{"sellerExternalReference": "A", "product": {"gtin": "96385074", "reference": "R"},
        "condition": "New", "price": {"price": 19.9, "originPrice": 25, "taxes": [
        {"code": "VAT", "value": 5.5}, {"code": "ecopart", "value": 0, "type": "Amount"}]},
        "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 0}],
        "preparationTime": 2, "quantity": 7}""",
        {
            "sellerExternalReference": "A",
            "product.gtin": "96385074",
            "product.reference": "R",
            "condition": "New",
            "price.price": "19.9",
            "price.originPrice": "25",
            "taxes.VAT": "5.5",
            "taxes.EcoPart": "0",
            f"{MODE}.cost": "4.9",
            f"{MODE}.additionalCost": "0",
            "preparationTime": "2",
            "quantity": "7",
        },
        [],
    ),
    "nothing": ("{}", {}, []),
    "nulls and blanks": ('{"condition": null, "product": {}, "comment": null}', {}, []),
    "a field that nobody knows": ('{"comment": "new"}', {}, ["comment"]),
    "a node that is none": ('{"price": 3, "product": "A"}', {}, ["price", "product"]),
    "another tax": ('{"price": {"taxes": [{"code": "X", "value": 1}]}}', {}, ["price.taxes[0]"]),
    "a tax that is none": ('{"price": {"taxes": [7]}}', {}, ["price.taxes[0]"]),
    "a tax twice": (
        '{"price": {"taxes": [{"code": "VAT", "value": 1}, {"code": "VAT", "value": 2}]}}',
        {"taxes.VAT": "1"},
        ["price.taxes[1]"],
    ),
    "a mode that is none": ('{"deliveryModes": ["Tracked", {}]}', {}, ["deliveryModes[0]"]),
    "a mode that says more": (
        '{"deliveryModes": [{"code": "A", "cost": 1, "days": 2}]}',
        {},
        ["deliveryModes[0]"],
    ),
    "a text where a list belongs": ('{"deliveryModes": "A"}', {}, ["deliveryModes"]),
    "a list where a number belongs": ('{"quantity": [1]}', {}, ["quantity"]),
    "a truth": ('{"quantity": true}', {"quantity": "TRUE"}, []),
}


def read(body: str) -> Any:
    return json.loads(body, parse_float=Decimal)


@pytest.mark.parametrize(("body", "cells", "left"), OFFERS.values(), ids=OFFERS)
def test_an_offer(body: str, cells: dict[str, str], left: list[str]) -> None:
    reading = offer_cells(read(body), AccountSettings())
    assert {key: cell.text for key, cell in reading.cells.items()} == cells
    assert [path for path, _ in reading.left] == left


def test_the_profile_sets_names_and_scale_of_taxes() -> None:
    dialect = AccountSettings().having(
        OfferSettings(tax_codes={"VAT": "Tva", "EcoPart": "Ecotax", "DEA": "Deatax"}, vat_scale=1)
    )
    taxes = [{"code": "Tva", "value": Decimal("0.055")}, {"code": "Ecotax", "value": 1}]
    found = offer_cells({"price": {"taxes": taxes}}, dialect)
    assert {key: cell.text for key, cell in found.cells.items()} == {
        "taxes.VAT": "5.5",
        "taxes.EcoPart": "1",
    }
