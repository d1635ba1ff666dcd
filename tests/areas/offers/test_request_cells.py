"""JSON requests laid flat: every cell, and what no cell can hold."""

import json
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.offers.rows import offer_cells
from feedtool.model.settings import AccountSettings

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
    found = offer_cells(read(body), AccountSettings())
    assert {key: cell.text for key, cell in found.cells.items()} == cells
    assert [path for path, _ in found.left] == left


def test_the_profile_says_how_taxes_are_called_and_counted() -> None:
    dialect = AccountSettings(
        tax_codes={"VAT": "Tva", "EcoPart": "Ecotax", "DEA": "Deatax"}, vat_scale=1
    )
    taxes = [{"code": "Tva", "value": Decimal("0.055")}, {"code": "Ecotax", "value": 1}]
    found = offer_cells({"price": {"taxes": taxes}}, dialect)
    assert {key: cell.text for key, cell in found.cells.items()} == {
        "taxes.VAT": "5.5",
        "taxes.EcoPart": "1",
    }
