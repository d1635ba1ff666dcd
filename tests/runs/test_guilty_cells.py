"""Each result code of the JSON packages, and each entry of a legacy log, lands on its cell.

A code is two digits for the error and two for the property; this is the table of the field's
knowledge, written down once more.
"""

import json
from itertools import product

import pytest

from feedtool.areas.legacy.wire import log_page
from feedtool.areas.offers.wire.packages import results_page
from feedtool.areas.registry import load
from feedtool.model.call import Reply
from feedtool.model.nouns import RowResult
from feedtool.model.settings import AccountSettings
from feedtool.runs import row_notes

ERRORS = (
    *("10", "11", "12", "13", "14", "17", "19", "23", "24", "25", "28", "29", "30", "34", "35"),
    *("36", "40", "43"),
)
CONFIRMATIONS = ("80", "90")
PROPERTIES = {
    "01": ("product.gtin", "product.gtin"),
    "02": ("condition", "condition"),
    "03": ("sellerExternalReference", "sellerExternalReference"),
    "05": ("quantity", "quantity"),
    "06": ("price.price", "price.price"),
    "07": ("taxes.VAT", "taxes.VAT"),
    "08": ("taxes.EcoPart", "taxes.EcoPart"),
    "09": ("preparationTime", "preparationTime"),
    "10": ("preparationTime", "preparationTime"),
    "11": ("deliveryModes.NotTrackedHomeDelivery.cost", "deliveryModes.Standard.cost"),
    "12": ("deliveryModes.TrackedHomeDelivery.cost", "deliveryModes.Tracked.cost"),
    "13": ("deliveryModes.SignedHomeDelivery.cost", "deliveryModes.Registered.cost"),
    "14": (None, "comment"),
    "15": (
        "deliveryModes.NotTrackedHomeDelivery.additionalCost",
        "deliveryModes.Standard.additionalCost",
    ),
    "16": (
        "deliveryModes.TrackedHomeDelivery.additionalCost",
        "deliveryModes.Tracked.additionalCost",
    ),
    "17": (
        "deliveryModes.SignedHomeDelivery.additionalCost",
        "deliveryModes.Registered.additionalCost",
    ),
    "18": ("price.originPrice", "price.originPrice"),
    "23": (None, None),
    "24": ("product.gtin", "product.gtin"),
    "28": (None, None),
    "31": ("taxes.DEA", "taxes.DEA"),
    # What nobody knows marks the row alone.
    "04": (None, None),
    "99": (None, None),
}
"""The key of the cell in a sheet of offers, and in one of legacy offers; the JSON packages have no
comment."""


def guilty(kind: str, verdict: RowResult) -> list[str]:
    """The keys of the cells that are coloured beside a verdict, in the template's columns."""
    keys = [column.key for column in load().feeds[kind].columns(AccountSettings())]
    columns = {key: index for index, key in enumerate(keys)}
    return [keys[index] for index, _ in row_notes.note([verdict], (), columns).guilty]


def of_json(code: str, status: str) -> RowResult:
    item = {
        "sellerExternalReference": "A",
        "integrationStatus": status,
        "results": [{"resultCode": code, "message": "Why."}],
    }
    [found] = results_page(Reply(200, {}, json.dumps({"items": [item]}).encode())).items
    return RowResult(3, *found)


def of_log(error: str, about: str, status: str) -> RowResult:
    said = {"property_code": about, "property_error": error, "log_message": "Why."}
    entry = {
        "seller_product_id": "A",
        "offer_integration_status": status,
        "property_list": [said],
    }
    document = {"integration_state": "Integrated", "offer_log_paged_list": [entry]}
    [found] = log_page(Reply(200, {}, json.dumps(document).encode())).entries
    return RowResult(3, found.reference, found.status, found.messages)


@pytest.mark.parametrize("about", PROPERTIES)
@pytest.mark.parametrize("status", ["Rejected", "Duplicated"])
def test_every_code_lands_on_its_cell(about: str, status: str) -> None:
    key, legacy_key = PROPERTIES[about]
    for error in ERRORS:
        verdict = of_json(error + about, status)
        assert guilty("offers-upsert", verdict) == [key] * (key is not None), error
        logged = of_log(error, about, status)
        assert guilty("legacy-offers", logged) == [legacy_key] * (legacy_key is not None), error
        assert logged.messages[0].code == error + about
        assert logged.messages[0].text == "Why."


@pytest.mark.parametrize(("error", "about"), [*product(CONFIRMATIONS, PROPERTIES)])
def test_a_confirmation_blames_no_cell(error: str, about: str) -> None:
    assert guilty("offers-upsert", of_json(error + about, "Integrated")) == []
    assert guilty("legacy-offers", of_log(error, about, "Integrated")) == []


@pytest.mark.parametrize("error", ["15", "44", "00"])
def test_an_unknown_error_blames_no_cell(error: str) -> None:
    assert guilty("offers-upsert", of_json(f"{error}06", "Rejected")) == []
    assert guilty("legacy-offers", of_log(error, "06", "Rejected")) == []


def test_what_is_about_a_stock_and_price_lands_there_too() -> None:
    verdict = of_log("19", "06", "Rejected")
    assert guilty("legacy-stock-and-price", verdict) == ["price.price"]
