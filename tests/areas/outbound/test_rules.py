"""The rules of shipments and returns, each with rows that pass it and rows that fail it."""

import json

import pytest

from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, changed, checked, problems_of

Row = dict[str, str]


def parcel(**changes: str | None) -> Row:
    """A row of a shipment; `__` in a name is the dot of its key."""
    row = {
        "action": "",
        "outboundShipmentId": "",
        "reason": "",
        "reference": "OUT-1",
        "sellerProductReference": "KETTLE",
        "productId": "",
        "productCondition": "",
        "expectedQuantity": "2",
        "delivery.mode": "THD",
        "deliveryAddress.lastName": "Martin",
        "deliveryAddress.line": "12 rue des Lilas",
        "deliveryAddress.postalCode": "01000",
        "deliveryAddress.city": "Bourg",
        "deliveryAddress.countryCode": "FR",
        "deliveryAddress.pickupId": "",
        "storageCountry": "",
        "unitSalesPrice": "",
        "shippingCost": "",
        "currencyCode": "",
    }
    return changed(row, changes)


def back(**changes: str | None) -> Row:
    """A row of a return."""
    row = {
        "returnId": "",
        "outboundShipmentId": "U-1",
        "reference": "RET-1",
        "reason": "Retraction",
        "comment": "",
        "productId": "4006381333931",
        "quantity": "1",
        "productCondition": "New",
    }
    return changed(row, changes)


def problems_in(files: Files, *rows: Row, settings: AccountSettings | None = None) -> list[object]:
    kind = "returns" if "quantity" in rows[0] else "outbound-shipments"
    (sheet,) = checked(files.csv(*rows), dialect=settings, kind=kind)
    assert not sheet.error
    return [(problem.row, problem.code, problem.field) for problem in sheet.problems()]


CH = {"deliveryAddress__countryCode": "Suisse"}
PASSES: dict[str, list[Row]] = {
    "a shipment": [parcel()],
    "of two products": [parcel(), parcel(sellerProductReference="POT")],
    "a product by its identifier": [
        parcel(sellerProductReference=None, productId="1", productCondition="New")
    ],
    "to a pickup point": [parcel(delivery__mode="PPMR", deliveryAddress__pickupId="P1")],
    "to Switzerland": [parcel(unitSalesPrice="9.90", shippingCost="0", currencyCode="CHF", **CH)],
    "to a country by its name": [
        parcel(deliveryAddress__countryCode="Grande-Bretagne", storageCountry="Reino Unido")
    ],
    "what is there already": [parcel(outboundShipmentId="U", delivery__mode="PPMR", **CH)],
    "a cancellation": [parcel(action="Cancel", outboundShipmentId="U", reason="no")],
    "a return": [back()],
    "of two lines": [back(), back(productId="2")],
    "two returns": [back(), back(reference="RET-2", reason="Damaged")],
}
FAILS: dict[str, tuple[list[Row], list[object]]] = {
    "both identifications": (
        [parcel(productId="1", productCondition="New")],
        [(2, "both-identifications", "productId")],
    ),
    "no product": (
        [parcel(sellerProductReference=None)],
        [(2, "required-missing", "sellerProductReference")],
    ),
    "a product without its condition": (
        [parcel(sellerProductReference=None, productId="1")],
        [(2, "required-missing", "productCondition")],
    ),
    "no pickup point": (
        [parcel(delivery__mode="PPMR")],
        [(2, "pickup-point-missing", "deliveryAddress.pickupId")],
    ),
    "no amounts for Switzerland": (
        [parcel(shippingCost="4.90", **CH)],
        [(2, "swiss-amounts", "unitSalesPrice"), (2, "swiss-amounts", "currencyCode")],
    ),
    "no country": (
        [parcel(deliveryAddress__countryCode="XX")],
        [(2, "enum-value", "deliveryAddress.countryCode")],
    ),
    "the country by another name": (
        [parcel(deliveryAddress__countryCode="UK", storageCountry="uk")],
        [
            (2, "country-read", "deliveryAddress.countryCode"),
            (2, "country-read", "storageCountry"),
        ],
    ),
    "an unknown mode": (
        [parcel(delivery__mode="PIGEON")],
        [(2, "delivery-mode-unknown", "delivery.mode")],
    ),
    "two addresses": (
        [parcel(), parcel(sellerProductReference="POT", deliveryAddress__city="Nice")],
        [
            (2, "request-incomplete", None),
            (3, "header-differs", "deliveryAddress.city"),
        ],
    ),
    "a product twice": (
        [parcel(), parcel()],
        [(2, "parcel-row-twice", None), (3, "parcel-row-twice", None)],
    ),
    "no pieces": ([parcel(expectedQuantity="0")], [(2, "number-range", "expectedQuantity")]),
    "a cancellation of nothing": (
        [parcel(action="Cancel", reason="no")],
        [(2, "required-missing", "outboundShipmentId")],
    ),
    "a cancellation without a reason": (
        [parcel(action="Cancel", outboundShipmentId="U")],
        [(2, "required-missing", "reason")],
    ),
    "a carrier's reason": (
        [back(reason="Undeliverable")],
        [(2, "carrier-reason", "reason")],
    ),
    "an unknown reason": ([back(reason="Boredom")], [(2, "return-reason-unknown", "reason")]),
    "two shipments of one return": (
        [back(), back(productId="2", outboundShipmentId="U-2")],
        [(2, "request-incomplete", None), (3, "header-differs", "outboundShipmentId")],
    ),
}


@pytest.mark.parametrize("case", PASSES)
def test_valid_rows_pass(files: Files, case: str) -> None:
    assert problems_in(files, *PASSES[case]) == []


@pytest.mark.parametrize("case", FAILS)
def test_wrong_rows_fail(files: Files, case: str) -> None:
    rows, expected = FAILS[case]
    assert sorted(problems_in(files, *rows), key=str) == sorted(expected, key=str)


def test_the_profile_sets_expected_modes_and_reasons(files: Files) -> None:
    settings = AccountSettings().having(OutboundSettings(modes=("PIGEON",), return_reasons=()))
    assert problems_in(files, parcel(delivery__mode="pigeon"), settings=settings) == []
    assert problems_in(files, back(reason="Boredom"), settings=settings) == []


def test_each_code_explains_the_fix(files: Files) -> None:
    (sheet,) = checked(files.csv(parcel(delivery__mode="PPMR")))
    (problem,) = problems_of(sheet, "pickup-point-missing")
    assert problem.hint == "fill the pickup point, or choose another delivery mode"


def test_an_unknown_country_lists_no_countries(files: Files) -> None:
    (sheet,) = checked(files.csv(parcel(deliveryAddress__countryCode="Germani")))
    (problem,) = problems_of(sheet, "enum-value")
    assert problem.message == "“Germani” is not a country or the code of a country"
    assert problem.hint == "did you mean DE?"


def test_rows_of_a_reference_are_one_shipment(files: Files) -> None:
    rows = [parcel(storageCountry="FR", unitSalesPrice="1.50"), parcel(reference="OUT-2")]
    pot = parcel(sellerProductReference="POT", storageCountry="FR", expectedQuantity="1")
    (sheet,) = checked(files.csv(*rows, pot))
    bodies = [json.loads(item.body) for item in sheet.valid_items()]
    assert [body["reference"] for body in bodies] == ["OUT-1", "OUT-2"]
    mode = {"mode": "THD"}
    assert bodies[0] == {
        "reference": "OUT-1",
        "storageCountry": "FR",
        "deliveryAddress": {
            "lastName": "Martin",
            "city": "Bourg",
            "postalCode": "01000",
            "countryCode": "FR",
            "line": "12 rue des Lilas",
        },
        "items": [
            {
                "sellerProductReference": "KETTLE",
                "expectedQuantity": 2,
                "delivery": mode,
                "unitSalesPrice": 1.5,
            },
            {"sellerProductReference": "POT", "expectedQuantity": 1, "delivery": mode},
        ],
    }
