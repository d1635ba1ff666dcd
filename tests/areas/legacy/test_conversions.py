"""Rows converted to another kind, and their losses."""

from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.legacy.conversions import ambiguous_condition, converter
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.model.cells import Value
from feedtool.model.settings import AccountSettings

UPSERT, UPDATE, FULL, STOCK = (
    "offers-upsert",
    "offers-update",
    "legacy-offers",
    "legacy-stock-and-price",
)
TRACKED, SIGNED, EXPRESS, UNTRACKED = (
    f"deliveryModes.{mode}HomeDelivery.cost"
    for mode in ("Tracked", "Signed", "Express", "NotTracked")
)
LEGACY_TRACKED, REGISTERED, STANDARD = (
    f"deliveryModes.{mode}.cost" for mode in ("Tracked", "Registered", "Standard")
)
ONE = Decimal(1)

Row = dict[str, Value]
CARRIED: dict[str, tuple[Any, ...]] = {
    "modes by their legacy names": (
        *(UPSERT, FULL, {TRACKED: ONE, SIGNED: ONE, UNTRACKED: ONE}),
        *({LEGACY_TRACKED: ONE, REGISTERED: ONE, STANDARD: ONE}, []),
    ),
    "and back": (
        *(FULL, UPSERT, {LEGACY_TRACKED: ONE, REGISTERED: ONE, STANDARD: ONE}),
        *({TRACKED: ONE, SIGNED: ONE, UNTRACKED: ONE}, []),
    ),
    "a mode without a legacy name": (UPSERT, FULL, {EXPRESS: ONE}, {}, [EXPRESS]),
    "a deprecated mode keeps its name": (UPSERT, FULL, {STANDARD: ONE}, {STANDARD: ONE}, []),
    "unless the mode that means it is there": (
        *(UPSERT, FULL, {STANDARD: Decimal(2), UNTRACKED: ONE}, {STANDARD: ONE}, [STANDARD]),
    ),
    "a product reference": (UPSERT, FULL, {"product.reference": "A"}, {}, ["product.reference"]),
    "a comment": (FULL, UPSERT, {"comment": "As new"}, {}, ["comment"]),
    "a comment stays among its kind": (FULL, FULL, {"comment": "a"}, {"comment": "a"}, []),
    "what is retired": (UPSERT, UPSERT, {"CDAV": "3"}, {}, ["CDAV"]),
    "an action that the kind says": (UPSERT, FULL, {"action": "Upsert"}, {}, []),
    "a channel": (UPSERT, FULL, {"salesChannelId": "B"}, {"salesChannelId": "B"}, []),
    "stock and price alone": (
        *(UPDATE, STOCK, {"product.gtin": "96385074", "quantity": 3, "preparationTime": 2}),
        *({"product.gtin": "96385074", "quantity": 3}, ["preparationTime"]),
    ),
    "what identifies is no change": (
        *(UPSERT, UPDATE, {"product.gtin": "96385074", "condition": "New", "quantity": 3}),
        *({"quantity": 3}, ["product.gtin", "condition"]),
    ),
    "blank taxes of a whole offer are zero": (
        *(FULL, UPDATE, {"taxes.VAT": ONE, "taxes.DEA": ONE}),
        *({"taxes.VAT": ONE, "taxes.EcoPart": Decimal(0), "taxes.DEA": ONE}, []),
    ),
    "a condition that has a name in both": (
        *(FULL, UPSERT, {"condition": "UsedLikeNew"}, {"condition": "UsedLikeNew"}, []),
    ),
    "a condition that has none stays in its cell": (
        *(FULL, UPSERT, {"condition": "GoodState"}, {"condition": "GoodState"}, ["condition"]),
    ),
}


@pytest.mark.parametrize(
    ("kind", "became", "values", "expected", "lost"), CARRIED.values(), ids=CARRIED
)
def test_a_row(kind: str, became: str, values: Row, expected: Row, lost: list[str]) -> None:
    found = converter(kind, became, AccountSettings())(values)
    assert found.values == expected
    assert [loss.field for loss in found.losses] == lost
    assert all(loss.message and loss.value for loss in found.losses)


def test_the_profile_maps_delivery_modes() -> None:
    dialect = AccountSettings().having(
        LegacySettings(legacy_modes={"Tracked": "TrackedHomeDelivery", "Relay": ""})
    )
    relay = "deliveryModes.Relay.cost"
    found = converter(FULL, UPSERT, dialect)({relay: ONE, LEGACY_TRACKED: ONE})
    assert found.values == {TRACKED: ONE}
    assert [(loss.field, loss.value) for loss in found.losses] == [(relay, "1")]


def test_one_number_means_several_conditions() -> None:
    for condition in ("New", "GoodState", "Refurbished"):
        assert list(ambiguous_condition({"condition": condition}, AccountSettings())) == []
    for state in ("RefurbishedLikeNew", "RefurbishedVeryGoodState", "RefurbishedCorrectState"):
        [loss] = ambiguous_condition({"condition": state}, AccountSettings())
        assert loss.value == state
