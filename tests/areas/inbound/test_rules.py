"""The rules of products and shipments, each with rows that pass it and rows that fail it."""

import pytest

from feedtool.areas.inbound.settings import InboundSettings
from feedtool.model.nouns import Severity
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, checked, codes, problems_of
from tests.rule_tables import Fails, Passes, Row, Rows, cases, listed, places

PRODUCTS, SHIPMENTS = "fulfillment-products", "inbound-shipments"


def product(**changes: str) -> dict[str, str]:
    row = {
        "gtin": "4006381333931",
        "sellerProductReference": "SKU-1",
        "productCondition": "New",
        "label": "Kettle",
        "dimensionMinimum": "",
        "dimensionMedium": "",
        "dimensionMaximum": "",
        "weight": "",
        "hasExpirationDate": "",
        "traceability": "",
        "originCountryCode": "",
        "language": "",
    }
    return row | changes


def item(**changes: str) -> dict[str, str]:
    row = {"reference": "PO-1", "storageCountry": "FR", "supplyMode": "Fulfillment"}
    return {
        **row,
        "gtin": "4006381333931",
        "productCondition": "New",
        "quantity": "5",
        "inboundShipmentId": "",
        **changes,
    }


def sides(*lengths: str) -> dict[str, str]:
    keys = ("dimensionMinimum", "dimensionMedium", "dimensionMaximum")
    return product(**dict(zip(keys, lengths, strict=True)))


OTHER = "3760452000016"
PASSES: Passes = {
    "dimensions-order": {
        "ascending": sides("10", "20", "30.5"),
        "a cube": sides("10", "10", "10"),
        "one alone": sides("", "20", ""),
        "the middle one is missing": sides("10", "", "30"),
    },
    "reference-twice": {
        "two references": [product(), product(sellerProductReference="SKU-2")],
    },
    "duplicate-item": {
        "two products": [item(), item(gtin=OTHER)],
        "two conditions": [item(), item(productCondition="LikeNew")],
        "two shipments": [item(), item(reference="PO-2")],
        "one is there already": [item(), item(inboundShipmentId="I-1")],
    },
    "header-differs": {
        "two shipments": [item(), item(reference="PO-2", storageCountry="GB")],
        "one is there already": [item(), item(inboundShipmentId="I-1", storageCountry="GB")],
    },
    "word-unknown": {"expected": [product(traceability="imei"), product(traceability="")][:1]},
    "country-read": {"GB": item(storageCountry="GB"), "a name": item(storageCountry="France")},
    "enum-value": {"any origin": product(originCountryCode="Germany")},
}
FAILS: Fails = {
    "dimensions-order": {
        "the middle one is the smallest": (sides("20", "10", "30"), "2 dimensionMedium"),
        "descending": (sides("3", "2", "1"), "2 dimensionMedium, 2 dimensionMaximum"),
        "without the middle one": (sides("30", "", "10"), "2 dimensionMaximum"),
    },
    "reference-twice": {
        "two conditions": (
            [product(), product(productCondition="LikeNew")],
            "2 sellerProductReference, 3 sellerProductReference",
        ),
    },
    "duplicate-item": {
        "twice": ([item(), item(quantity="7")], "3 gtin"),
        "with zeros in front": ([item(), item(gtin="04006381333931")], "3 gtin"),
    },
    "header-differs": {
        "country": ([item(), item(gtin=OTHER, storageCountry="GB")], "3 storageCountry"),
        "mode": ([item(), item(gtin=OTHER, supplyMode="Xdock")], "3 supplyMode"),
    },
    "word-unknown": {
        "condition": (product(productCondition="AsNew"), "2 productCondition"),
        "traceability": (product(traceability="Colour"), "2 traceability"),
    },
    "country-read": {"UK": (item(storageCountry="uk"), "2 storageCountry")},
    "enum-value": {
        "country": (item(storageCountry="DE"), "2 storageCountry"),
        "mode": (item(supplyMode="Seller"), "2 supplyMode"),
        "origin": (product(originCountryCode="Atlantis"), "2 originCountryCode"),
        "language": (product(language="de-DE"), "2 language"),
        "expires": (product(hasExpirationDate="perhaps"), "2 hasExpirationDate"),
    },
    "required-missing": {
        "label": (product(label=""), "2 label"),
        "quantity": (item(quantity=""), "2 quantity"),
    },
    "number-range": {
        "nothing is sent": (item(quantity="0"), "2 quantity"),
        "it weighs nothing": (product(weight="0"), "2 weight"),
    },
    "integer-required": {"half a piece": (item(quantity="1.5"), "2 quantity")},
    "gtin-checksum": {"GTIN": (item(gtin="4006381333932"), "2 gtin")},
}


def kind_of(rows: Rows) -> str:
    return SHIPMENTS if "quantity" in listed(rows)[0] else PRODUCTS


@pytest.mark.parametrize(("code", "rows"), cases(PASSES))
def test_rows_that_pass(files: Files, code: str, rows: Rows) -> None:
    (sheet,) = checked(files.csv(*listed(rows)), kind=kind_of(rows))
    assert not problems_of(sheet, code)


@pytest.mark.parametrize(("code", "rows", "where"), cases(FAILS))
def test_rows_that_fail(files: Files, code: str, rows: Rows, where: str) -> None:
    (sheet,) = checked(files.csv(*listed(rows)), kind=kind_of(rows))
    found = problems_of(sheet, code)
    assert places(found) == where
    for problem in found:
        assert problem.message
        assert problem.hint or problem.severity is Severity.WARNING


def test_settings_of_the_profile_are_used(files: Files) -> None:
    inbound = InboundSettings(conditions=("AsNew",), storage_countries=("PT",))
    dialect = AccountSettings().having(inbound)
    row: Row = item(storageCountry="Portugal", productCondition="asnew")
    (sheet,) = checked(files.csv(row), kind=SHIPMENTS, dialect=dialect)
    assert not codes(sheet)
    (request,) = sheet.valid_items()
    assert b'"storageCountry":"PT"' in request.body
    assert b'"productCondition":"AsNew"' in request.body


@pytest.mark.parametrize("country", ["DE", "Allemagne", "Germany"])
def test_the_error_of_a_closed_country_names_the_setting(files: Files, country: str) -> None:
    (sheet,) = checked(files.csv(item(storageCountry=country)), kind=SHIPMENTS)
    (problem,) = problems_of(sheet, "enum-value")
    assert "is not open in the profile, whose storage_countries are" in problem.message
    assert problem.hint == "write the one that is meant"


def test_a_row_becomes_a_request(files: Files) -> None:
    row = product(weight="1.2345", hasExpirationDate="Oui", originCountryCode="Francia")
    (sheet,) = checked(files.csv(row), kind=PRODUCTS)
    (request,) = sheet.valid_items()
    assert request.reference == "SKU-1"
    for part in (b'"weight":1.2345', b'"hasExpirationDate":true', b'"originCountryCode":"FR"'):
        assert part in request.body


def test_an_untouched_row_makes_no_request(files: Files) -> None:
    (sheet,) = checked(files.csv(item(inboundShipmentId="I-1")), kind=SHIPMENTS)
    assert not [*sheet.valid_items()]
    assert not codes(sheet)
