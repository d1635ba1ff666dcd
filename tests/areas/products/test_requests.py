"""JSON requests laid flat: every cell, and what no cell can hold."""

import json
from decimal import Decimal

import pytest

from feedtool.areas.products.feeds import product_cells
from feedtool.model.settings import AccountSettings

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
    found = product_cells(json.loads(body, parse_float=Decimal), AccountSettings())
    assert {key: cell.text for key, cell in found.cells.items()} == cells
    assert [path for path, _ in found.left] == left
