"""The defaults of what the specification leaves open."""

from decimal import Decimal

from feedtool.areas.offers.columns import CONDITIONS, LEGACY_CONDITIONS
from feedtool.check import ReadOptions
from feedtool.model.settings import DEPRECATED_MODES, AccountSettings
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.run_record import RunOptions


def test_limits_are_the_specifications() -> None:
    limits = AccountSettings().limits
    assert (limits.upload, limits.package) == (100, 50_000)
    assert (limits.legacy, limits.products) == (40_000, 25)


def test_bounds_are_generous() -> None:
    bounds = AccountSettings().bounds
    assert bounds.highest_price >= Decimal(1_000_000)
    assert bounds.longest_preparation >= 90
    assert bounds.highest_quantity == 9_999_999_999


def test_the_catalogue_is_no_setting() -> None:
    options = ReadOptions(catalog=lambda _: "a catalogue")
    assert options == ReadOptions()
    assert options.context.catalog("fr") == "a catalogue"
    assert ReadOptions().context.catalog("fr") is None
    known = RunOptions([], options, Outputs()).as_json()
    assert known["dialect"] == {}


def test_the_modes_are_the_specifications_and_no_deprecated_one() -> None:
    assert set(AccountSettings().delivery_modes) == {
        *("TrackedHomeDelivery", "SignedHomeDelivery", "ExpressHomeDelivery"),
        *("NotTrackedHomeDelivery", "FixedDateHomeDelivery", "SpecificRoomHomeDelivery"),
        "WithSetupHomeDelivery",
    }
    assert not set(DEPRECATED_MODES) & set(AccountSettings().delivery_modes)


def test_no_label_means_two_conditions() -> None:
    labels = [label.casefold() for labels in CONDITIONS.values() for label in set(labels)]
    assert len(labels) == len(set(labels))
    assert list(CONDITIONS) == list(AccountSettings().conditions)


def test_every_condition_has_its_number_in_a_legacy_zip() -> None:
    numbers = AccountSettings().legacy_conditions
    assert numbers.keys() == CONDITIONS.keys() | LEGACY_CONDITIONS.keys()
    assert set(numbers.values()) == set("123456")
    assert {numbers[name] for name in CONDITIONS if name.startswith("Refurbished")} == {"5"}
