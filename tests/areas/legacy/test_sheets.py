"""An Offers.xml, or its zip, is an input like any other: its offers become JSON requests."""

import json

import pytest

from feedtool.areas.legacy.offers_xml import XmlOffer
from feedtool.areas.legacy.writer import Head
from feedtool.areas.offers.package_types import PackageType
from tests.areas.legacy.conftest import OFFER, changed, member, zipped
from tests.conftest import Files, checked, codes, gtin, told

UPSERT = {
    "sellerExternalReference": "SKU-1",
    "product": {"gtin": gtin(1)},
    "condition": "New",
    "price": {
        "price": 19.99,
        "originPrice": 24.99,
        "taxes": [
            {"code": "VAT", "value": 20},
            {"code": "EcoPart", "value": 0.12},
            {"code": "DEA", "value": 0},
        ],
    },
    "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}],
    "preparationTime": 2,
    "quantity": 7,
}


@pytest.mark.parametrize("content", [zipped([OFFER]), member(zipped([OFFER]))], ids=["zip", "xml"])
def test_an_offer_becomes_a_request(files: Files, content: bytes) -> None:
    (sheet,) = checked(files.text(content, "anything.csv"), kind="offers-upsert")
    assert (sheet.kind, sheet.error) == ("offers-upsert", None)
    (item,) = sheet.valid_items()
    assert (item.row, item.package_type) == (2, PackageType.UPSERT)
    assert json.loads(item.body) == UPSERT
    assert [(one.code, one.value) for one in sheet.problems()] == [("unknown-column", "comment")]


WRONG: dict[str, tuple[XmlOffer, str, str]] = {
    "no place among the JSON conditions": (
        changed(ProductCondition="5"),
        "enum-value",
        "condition",
    ),
    "a wrong check digit": (changed(ProductEan="3000000000018"), "gtin-checksum", "product.gtin"),
    "no tracked shipping": (
        OFFER._replace(shipping=()),
        "required-missing",
        "deliveryModes.TrackedHomeDelivery.cost",
    ),
}


@pytest.mark.parametrize(("offer", "code", "field"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_stands_in_the_line_of_its_offer(
    files: Files, offer: XmlOffer, code: str, field: str
) -> None:
    path = files.text(zipped([changed(SellerProductId="SKU-0"), offer]))
    (sheet,) = checked(path, kind="offers-upsert")
    first = told(sheet, code)[0]
    assert (first.row, first.line, first.field) == (3, 4, field)
    assert sheet.counts().invalid == 1


def test_stock_and_price_change_what_is_there(files: Files) -> None:
    path = files.text(zipped([OFFER], Head("n", PackageType.STOCK_AND_PRICE)))
    (sheet,) = checked(path, kind="offers-update")
    (item,) = sheet.valid_items()
    assert json.loads(item.body) == {
        "sellerExternalReference": "SKU-1",
        "price": {"price": 19.99},
        "quantity": 7,
    }
    assert codes(sheet) == [(None, "identity-not-sent")]
