"""JSON requests laid flat: every cell, and what no cell can hold."""

import json
from decimal import Decimal
from typing import Any

import pytest

from feedtool.model.settings import Dialect
from feedtool.runs.convert.bodies import offer_cells, product_cells

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
    found = offer_cells(read(body), Dialect())
    assert {key: cell.text for key, cell in found.cells.items()} == cells
    assert [path for path, _ in found.left] == left


def test_the_profile_says_how_taxes_are_called_and_counted() -> None:
    dialect = Dialect(tax_codes={"VAT": "Tva", "EcoPart": "Ecotax", "DEA": "Deatax"}, vat_scale=1)
    taxes = [{"code": "Tva", "value": Decimal("0.055")}, {"code": "Ecotax", "value": 1}]
    found = offer_cells({"price": {"taxes": taxes}}, dialect)
    assert {key: cell.text for key, cell in found.cells.items()} == {
        "taxes.VAT": "5.5",
        "taxes.EcoPart": "1",
    }


PRODUCTS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "a product": (
        """{"gtin": "96385074", "title": "Kettle", "categoryCode": "011B01", "sellerPictureUrls":
        [{"index": 2, "url": "https://a.example/1.jpg"}], "attributes": [{"propertyReference": "1",
        "values": ["Red", "Blue"]}, {"propertyReference": "2", "values": [3.5]}]}""",
        {
            "gtin": "96385074",
            "title": "Kettle",
            "categoryCode": "011B01",
            "sellerPictureUrls_2": "https://a.example/1.jpg",
            "1": "Red;Blue",
            "2": "3.5",
        },
        [],
    ),
    "files": (
        '{"attributes": [{"propertyReference": "9", "files": [{"index": 1, "url": "https://b"}]}]}',
        {"9": "https://b"},
        [],
    ),
    "values with the separator": (
        '{"attributes": [{"propertyReference": "9", "values": ["a;b", "c"]}]}',
        {},
        ["attributes[0]"],
    ),
    "an attribute that is none": ('{"attributes": [{"values": ["a"]}]}', {}, ["attributes[0]"]),
    "a value that is none": (
        '{"attributes": [{"propertyReference": "9", "values": [{}]}]}',
        {},
        ["attributes[0]"],
    ),
    "a picture beyond all columns": (
        '{"sellerPictureUrls": [{"index": 21, "url": "https://b"}]}',
        {},
        ["sellerPictureUrls[0]"],
    ),
    "what is no field of a product": ('{"Navigation": "a"}', {}, ["Navigation"]),
}


@pytest.mark.parametrize(("body", "cells", "left"), PRODUCTS.values(), ids=PRODUCTS)
def test_a_product(body: str, cells: dict[str, str], left: list[str]) -> None:
    found = product_cells(read(body), Dialect())
    assert {key: cell.text for key, cell in found.cells.items()} == cells
    assert [path for path, _ in found.left] == left
