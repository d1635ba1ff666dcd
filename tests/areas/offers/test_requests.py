"""A row becomes its request (specification, "Offer package and offer request")."""

from typing import Any

import pytest

from feedtool.areas.offers.settings import OfferSettings
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, Sent, checked, gtin, offer, update

TRACKED = {"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}


def taxes(vat: float, eco: float, dea: float) -> list[dict[str, Any]]:
    values = {"VAT": vat, "EcoPart": eco, "DEA": dea}
    return [{"code": code, "value": value} for code, value in values.items()]


UPSERT = {
    "sellerExternalReference": "SKU-1",
    "product": {"gtin": gtin(1)},
    "condition": "New",
    "price": {"price": 19.99, "taxes": taxes(20, 0, 0)},
    "deliveryModes": [TRACKED],
    "preparationTime": 2,
    "quantity": 7,
}


def amounts(mode: str, cost: str, additional: str) -> dict[str, str]:
    keys = (f"deliveryModes.{mode}.cost", f"deliveryModes.{mode}.additionalCost")
    return dict(zip(keys, (cost, additional), strict=True))


SIGNED = {"code": "SignedHomeDelivery", "cost": 0, "additionalCost": 0}
SET_UP = {"code": "WithSetupHomeDelivery", "cost": 30, "additionalCost": 5}


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        (offer(), "quantity", 7),
        (offer(product__reference="REF-1"), "product", {"gtin": gtin(1), "reference": "REF-1"}),
        (offer(product__gtin="", product__reference="REF-1"), "product", {"reference": "REF-1"}),
        (
            offer(price__originPrice="24,99"),
            "price",
            {"price": 19.99, "taxes": taxes(20, 0, 0), "originPrice": 24.99},
        ),
        (
            offer(taxes__VAT="5.5", taxes__EcoPart="0.12", taxes__DEA="1"),
            "price",
            {"price": 19.99, "taxes": taxes(5.5, 0.12, 1)},
        ),
        (
            offer()
            | amounts("SignedHomeDelivery", "0", "0")
            | amounts("ExpressHomeDelivery", "", ""),
            "deliveryModes",
            [TRACKED, SIGNED],
        ),
        (
            offer()
            | amounts("TrackedHomeDelivery", "", "")
            | amounts("WithSetupHomeDelivery", "30", "5"),
            "deliveryModes",
            [SET_UP],
        ),
        (offer(condition="occasion - comme neuf"), "condition", "UsedLikeNew"),
        (offer(quantity="0"), "quantity", 0),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_upsert(sent: Sent, row: dict[str, str], field: str, value: object) -> None:
    assert sent(row) == {**UPSERT, field: value}


@pytest.mark.parametrize(
    ("changes", "request_"),
    [
        ({"price.price": "9"}, {"price": {"price": 9}}),
        ({"price.originPrice": "9.50"}, {"price": {"originPrice": 9.5}}),
        ({"quantity": "0", "price.price": ""}, {"quantity": 0}),
        ({"preparationTime": "3"}, {"preparationTime": 3}),
        (
            {"taxes.VAT": "20", "taxes.EcoPart": "0", "taxes.DEA": "0"},
            {"price": {"taxes": taxes(20, 0, 0)}},
        ),
        (
            {**amounts("TrackedHomeDelivery", "4.90", "1.50"), "preparationTime": "2"},
            {"deliveryModes": [TRACKED], "preparationTime": 2},
        ),
        (
            {"price.price": "9", "product.gtin": gtin(1), "condition": "New"},
            {"price": {"price": 9}},
        ),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_an_update_holds_only_filled_cells(
    sent: Sent, changes: dict[str, str], request_: dict[str, Any]
) -> None:
    expected = {"sellerExternalReference": "SKU-1", **request_}
    assert sent(update() | changes, kind="offers-update") == expected


def test_a_delete_holds_only_the_reference(sent: Sent) -> None:
    row = offer(sellerExternalReference=" SKU-1 ")
    assert sent(row, kind="offers-delete") == {"sellerExternalReference": "SKU-1"}


def test_the_dialect_names_and_scales_taxes(sent: Sent) -> None:
    codes = {"VAT": "TVA", "EcoPart": "Ecotax", "DEA": "Deatax"}
    dialect = AccountSettings().having(OfferSettings(tax_codes=codes, vat_scale=1))
    assert sent(offer(taxes__VAT="5.5"), dialect=dialect)["price"]["taxes"] == [
        {"code": "TVA", "value": 0.055},
        {"code": "Ecotax", "value": 0},
        {"code": "Deatax", "value": 0},
    ]


def test_a_gtin_may_travel_as_a_number(sent: Sent) -> None:
    request = sent(offer(product__gtin="036000291452"), dialect=AccountSettings(gtin_as="number"))
    assert request["product"] == {"gtin": 36000291452}


def test_amounts_keep_their_digits(files: Files) -> None:
    (sheet,) = checked(files.csv(offer(price__price="1234567.89", price__originPrice="2000000")))
    (item,) = sheet.valid_items()
    assert b'"price":1234567.89' in item.body
    assert b'"originPrice":2000000' in item.body


def test_an_item_names_its_offer_and_product(files: Files) -> None:
    rows = [
        offer(1, product__reference="R-1", salesChannelId="SECOND", action="Upsert"),
        update(2, quantity="5", action="Update"),
        update(3, action="Delete"),
    ]
    (sheet,) = checked(files.csv(*rows))
    assert [item[:5] for item in sheet.valid_items()] == [
        (2, "Upsert", "SECOND", "SKU-1", f"{gtin(1)}|R-1|New"),
        (3, "Update", "PRIMARY", "SKU-2", ""),
        (4, "Delete", "PRIMARY", "SKU-3", ""),
    ]
