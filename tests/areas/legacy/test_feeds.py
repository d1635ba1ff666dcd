"""A row becomes the attributes of its Offer (specification, "Legacy offer routes")."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from feedtool.areas.legacy.feeds import FULL_FEED
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.writer import ATTRIBUTES, Head, offer_of, write_xml
from feedtool.areas.offers.settings import OfferSettings
from feedtool.check.headers import Names
from feedtool.check.requests import schema, validator_of
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.feed import Row, SheetColumns
from feedtool.model.cells import BLANK, Cell, Kind, folded
from feedtool.model.settings import AccountSettings, Context
from tests.conftest import gtin

ROW = {
    "sellerExternalReference": "SKU-1",
    "product.gtin": gtin(1),
    "condition": "New",
    "price.price": "19,99",
    "taxes.VAT": "20",
    "deliveryModes.Tracked.cost": "4.90",
    "deliveryModes.Tracked.additionalCost": "1.50",
    "preparationTime": "2",
    "quantity": "7",
}
SHIPPING = {"DeliveryMode": "Tracked", "ShippingCharges": "4.9", "AdditionalShippingCharges": "1.5"}
STANDARD = {"DeliveryMode": "Standard", "ShippingCharges": "3", "AdditionalShippingCharges": "0"}
BODY: dict[str, Any] = {
    "SellerProductId": "SKU-1",
    "ProductEan": gtin(1),
    "ProductCondition": "6",
    "Price": "19.99",
    "EcoPart": "0",
    "DeaTax": "0",
    "Vat": "20",
    "Stock": "7",
    "Comment": "",
    "PreparationTime": "2",
    "ShippingInformation": [SHIPPING],
}


def row(cells: Mapping[str, str], dialect: AccountSettings | None = None) -> Row:
    """A row that was read; all of its cells are valid."""
    dialect = dialect or AccountSettings()
    types = {column.key: column.type for column in FULL_FEED.sheet.columns(dialect)}
    values = {}
    for key, text in cells.items():
        cell = Cell(Kind.TEXT, text) if text else BLANK
        reader = ColumnReader(types[key], Context(dialect))
        (values[key],) = reader.read([cell], lambda key: key)  # type: ignore[arg-type,return-value]  # a cell is its own key
        assert not reader.is_flawed, values[key]
    modes = tuple(mode for mode in FULL_FEED.sheet.modes(dialect) if mode.cost in cells)
    sheet = SheetColumns(Context(dialect), frozenset(cells), modes)
    return Row(2, FULL_FEED, "PRIMARY", values, frozenset(), sheet)


def request(
    changes: Mapping[str, str], dialect: AccountSettings | None = None
) -> dict[str, object]:
    body: dict[str, object] = FULL_FEED.requests.make(row({**ROW, **changes}, dialect))
    assert validator_of(FULL_FEED)(body)
    return body


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"price.originPrice": "24.50"}, {"StrikedPrice": "24.5"}),
        ({"price.price": "1 200"}, {"Price": "1200"}),
        ({"taxes.EcoPart": "0.12", "taxes.DEA": "1.00"}, {"EcoPart": "0.12", "DeaTax": "1"}),
        ({"taxes.VAT": "5.5"}, {"Vat": "5.5"}),
        ({"comment": "a <b>\nc"}, {"Comment": "a <b>\nc"}),
        ({"quantity": "0"}, {"Stock": "0"}),
        ({"condition": "Refurbished - like new"}, {"ProductCondition": "5"}),
        ({"condition": "reconditionné"}, {"ProductCondition": "5"}),
        ({"condition": "GoodState"}, {"ProductCondition": "3"}),
        ({"condition": "3"}, {"ProductCondition": "3"}),
        ({"deliveryModes.Tracked.cost": ""}, {"ShippingInformation": []}),
        (
            {"deliveryModes.Standard.cost": "3", "deliveryModes.Standard.additionalCost": "0"},
            {"ShippingInformation": [STANDARD, SHIPPING]},
        ),
    ],
)
def test_cells_become_attributes(changes: dict[str, str], expected: dict[str, object]) -> None:
    assert request(changes) == {**BODY, **expected}


def test_the_vat_is_always_a_percentage() -> None:
    assert request({}, AccountSettings().having(OfferSettings(vat_scale=1)))["Vat"] == "20"


def test_the_profile_adds_modes_and_conditions() -> None:
    settings = AccountSettings().having(
        LegacySettings(
            legacy_modes={
                **LegacySettings().legacy_modes,
                "Relay": "RelayDelivery",
            },
            legacy_conditions={
                **LegacySettings().legacy_conditions,
                "Antique": "7",
            },
        )
    )
    changes = {
        "condition": "antique",
        "deliveryModes.Relay.cost": "2",
        "deliveryModes.Relay.additionalCost": "1",
    }
    body = request(changes, settings)
    assert body["ProductCondition"] == "7"
    assert [one["DeliveryMode"] for one in body["ShippingInformation"]] == ["Tracked", "Relay"]  # type: ignore[attr-defined]  # a list of objects


ODD: list[object] = [
    *(None, 0, 1.5, True, [], {}, "", " ", "0", "0.1", "0.12", "0.123", "1.", ".5", "1.2.3", "-1"),
    *("1e3", "1,5", "1.5\n", "\u0663", "123456789012", "1234567890123", "1" * 40, "a|b", "\n", "É"),
]


@given(st.sampled_from([*(one.name for one in ATTRIBUTES), *SHIPPING]), st.sampled_from(ODD))
def test_both_validators_agree(place: str, value: object) -> None:
    body = {**BODY, place: value}
    if place in SHIPPING:
        body = {**BODY, "ShippingInformation": [{**SHIPPING, place: value}]}
    accepted = validator_of(FULL_FEED)(body)
    assert accepted is Draft202012Validator(schema(FULL_FEED)).is_valid(body)
    if accepted:
        write_xml(BytesIO(), Head("n"), [offer_of(body)], 1)


def test_an_attribute_too_many_or_too_few_is_refused() -> None:
    assert not validator_of(FULL_FEED)({**BODY, "Colour": "red"})
    for name in BODY:
        lacking = {key: value for key, value in BODY.items() if key != name}
        assert validator_of(FULL_FEED)(lacking) is (name == "ProductEan")


def test_fields_that_must_be_filled() -> None:
    blank = row(dict.fromkeys(ROW, ""))
    assert FULL_FEED.requests.unfilled(blank) == [
        *("sellerExternalReference", "condition", "price.price", "taxes.VAT", "preparationTime"),
        *("quantity", "deliveryModes.Tracked.cost", "deliveryModes.Tracked.additionalCost"),
    ]
    assert FULL_FEED.requests.unfilled(row(ROW)) == []
    assert FULL_FEED.recognition.missing(row(ROW).sheet) == []
    assert FULL_FEED.recognition.missing(
        SheetColumns(Context(), frozenset(), ())
    ) == FULL_FEED.requests.unfilled(blank)


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("deliveryModes.Standard.cost", "deliveryModes.Standard.cost"),
        ("Standard.cost", "deliveryModes.Standard.cost"),
        ("Standard principal", "deliveryModes.Standard.cost"),
        (
            "deliveryModes.TrackedHomeDelivery.additionalCost",
            "deliveryModes.Tracked.additionalCost",
        ),
        ("Suivi principal", "deliveryModes.Tracked.cost"),
        ("Recommandé additionnel", "deliveryModes.Registered.additionalCost"),
        ("Commentaire offre", "comment"),
        ("EAN", "product.gtin"),
    ],
)
def test_headers_of_the_json_feeds_are_understood_too(header: str, key: str) -> None:
    settings = AccountSettings()
    known = Names(FULL_FEED.sheet.understood(settings), settings, ()).known(header)
    assert known
    assert known.column.key == key


def test_no_label_means_two_columns() -> None:
    names: dict[str, str] = {}
    for column in FULL_FEED.sheet.understood(AccountSettings()):
        for name in {folded(one) for one in (column.key, *column.labels, *column.aliases)}:
            assert names.setdefault(name, column.key) == column.key, name
    assert {attribute.key for attribute in ATTRIBUTES} <= set(names.values())
