from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.products.catalog import Necessity, PropertyChoice, fingerprint
from tests.areas.products.catalog.conftest import category, choices, prop

BASE = [prop("1", choices=choices("a", "b"), is_ranged=True), prop("2", unit="cm")]


@pytest.mark.parametrize(
    ("changes", "takes"), [({}, True), ({"is_active": False}, False), ({"level": 2}, False)]
)
def test_only_active_ones_of_the_deepest_level_take_products(
    changes: dict[str, Any],
    takes: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert category("0A0101", "Kettles", **changes).takes_products is takes


SAME = {
    "another order": BASE[::-1],
    "another label": [prop("1", choices=choices("a", "b"), is_ranged=True, label="x"), BASE[1]],
    "another index": [BASE[0], prop("2", unit="cm", index=70)],
    "choices in another order": [prop("1", choices=choices("b", "a"), is_ranged=True), BASE[1]],
    "choices with labels": [
        prop("1", choices=(PropertyChoice("a", "A"), PropertyChoice("b", "B")), is_ranged=True),
        BASE[1],
    ],
}
OTHER = {
    "one less": BASE[:1],
    "one more": [*BASE, prop("3")],
    "another choice": [prop("1", choices=choices("a", "c"), is_ranged=True), BASE[1]],
    "another unit": [BASE[0], prop("2", unit="mm")],
    "mandatory now": [BASE[0], prop("2", unit="cm", necessity=Necessity.MANDATORY)],
    "several now": [BASE[0], prop("2", unit="cm", is_multiple=True)],
    "a file now": [BASE[0], prop("2", unit="cm", allowed_file_types=("pdf",))],
}


@pytest.mark.parametrize("properties", SAME.values(), ids=SAME)
def test_a_sheet_still_fits(properties: list[Any]) -> None:
    assert fingerprint(properties) == fingerprint(BASE)


@pytest.mark.parametrize("properties", OTHER.values(), ids=OTHER)
def test_a_sheet_no_longer_fits(properties: list[Any]) -> None:
    assert fingerprint(properties) != fingerprint(BASE)


def test_a_fingerprint_is_for_good() -> None:
    assert fingerprint([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5"
    assert fingerprint([prop("1", label="Größe", choices=choices("é"))]) == FOR_GOOD


FOR_GOOD = "f9ba4083aeb2c2df47a53bdb7f3baa4c"
"""Stands in the templates that users have filled: when this changes, all of them are strange."""


@given(st.text())
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert len(fingerprint([prop(text, unit=text, choices=choices(text))])) == 32
