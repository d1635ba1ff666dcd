"""The defaults of what the specification leaves open."""

import tomllib
from contextlib import nullcontext
from decimal import Decimal
from functools import partial

import pytest

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.offers.columns import CONDITIONS, LEGACY_CONDITIONS
from feedtool.areas.offers.settings import OfferSettings
from feedtool.check import ReadOptions
from feedtool.check.recipes.recipe import parse_tables
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import DEPRECATED_MODES, AccountSettings, read_toml
from feedtool.runs.config import load
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions
from tests.conftest import Files

ABSURD = {
    f"x = {'9' * 5000}": "a number has too many digits",
    f"x = {'1' * 4000}": "a number has too many digits",
    f"[a]\nx = [0x{'f' * 5000}]": "a number has too many digits",
    f"x = -{1 << 64}": "a number has too many digits",
    "x = " + "[" * 100_000: "its brackets are nested too deeply",
    "x = " + "{x=" * 100_000: "its brackets are nested too deeply",
    "x." * 50_000 + "y = 1": "a name has too many parts",
    "['a.b'" + " . 'x\"'" * 50_000 + "]": "a name has too many parts",
    'x = {"\\""' + '. "x"' * 50_000 + " = 1}": "a name has too many parts",
}


@pytest.mark.parametrize(("text", "said"), ABSURD.items(), ids=range(len(ABSURD)))
def test_absurd_texts_end_with_a_sentence(text: str, said: str) -> None:
    for read in (read_toml, partial(parse_tables, shown="r.toml")):
        with pytest.raises((ValueError, UsageProblem), match=said):
            read(text)


def test_the_largest_number_is_read() -> None:
    assert read_toml("x = [9223372036854775807, -9223372036854775808]")["x"][1] == -(1 << 63)


@pytest.mark.parametrize(
    "text",
    [
        "x = '" + "a." * 99 + "'",
        'x = "' + '\\"a.' * 99 + '"',
        "x = '''\n" + "'a.\n" * 99 + "'''",
        'x = """\n' + '\\"a."' * 99 + '""""',
        "x = 1 # it's " + "a." * 99,
        "x = [" + "1.5, " * 99 + "]",
        "a.b.c.d.e = 1\n" + "'" + "a." * 99 + "' = 1",
        "x = '\"' # \"\ny = 1",
    ],
)
def test_dots_in_texts_and_comments_are_no_parts_of_a_name(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


CONSTANTS: dict[str, bool] = {
    "2": True,
    "4.90": True,
    '"New"': True,
    "true": True,
    "nan": False,
    "-inf": False,
    "[1]": False,
    "2026-11-20": False,
}


@pytest.mark.parametrize(("text", "is_right"), CONSTANTS.items())
def test_a_profile_and_a_recipe_take_the_same_values(
    files: Files, text: str, *, is_right: bool
) -> None:
    profile = files.text(f"[profile.shop.default]\nquantity = {text}\n", "feedtool.toml")
    recipe = f'[match]\nkind = "offers-upsert"\n[default]\nquantity = {text}\n'
    for read in (lambda: load(profile), lambda: parse_tables(recipe, "recipe")):
        with nullcontext() if is_right else pytest.raises(UsageProblem, match="quantity"):
            read()


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
    assert options.context.catalog("fr") == "a catalogue"
    assert ReadOptions().context.catalog("fr") is None
    known = RunOptions(options, Outputs()).as_json()
    assert known["dialect"] == {}


def test_the_modes_are_the_specifications_and_no_deprecated_one() -> None:
    assert set(OfferSettings().delivery_modes) == {
        *("TrackedHomeDelivery", "SignedHomeDelivery", "ExpressHomeDelivery"),
        *("NotTrackedHomeDelivery", "FixedDateHomeDelivery", "SpecificRoomHomeDelivery"),
        "WithSetupHomeDelivery",
    }
    assert not set(DEPRECATED_MODES) & set(OfferSettings().delivery_modes)


def test_no_label_means_two_conditions() -> None:
    labels = [label.casefold() for labels in CONDITIONS.values() for label in set(labels)]
    assert len(labels) == len(set(labels))
    assert list(CONDITIONS) == list(AccountSettings().conditions)


def test_every_condition_has_its_number_in_a_legacy_zip() -> None:
    numbers = LegacySettings().legacy_conditions
    assert numbers.keys() == CONDITIONS.keys() | LEGACY_CONDITIONS.keys()
    assert set(numbers.values()) == set("123456")
    assert {numbers[name] for name in CONDITIONS if name.startswith("Refurbished")} == {"5"}
