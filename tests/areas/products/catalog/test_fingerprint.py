from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.products.catalog import Necessity, PropertyChoice
from feedtool.areas.products.catalog.fingerprint import (
    PropertyFingerprint,
    fingerprint,
    fingerprint_of,
    read,
    written,
)
from tests.catalogues import choices, prop

FIRST = prop("1", choices=choices("a", "b"), is_ranged=True, unit="cm")
SECOND = prop("2")

SAME: dict[str, dict[str, Any]] = {
    "another label": {"label": "x"},
    "another index": {"index": 70},
    "choices in another order": {"choices": choices("b", "a")},
    "choices with labels": {"choices": (PropertyChoice("a", "A"), PropertyChoice("b", "B"))},
}
OTHER: dict[str, tuple[dict[str, Any], str]] = {
    "another choice": ({"choices": choices("a", "c")}, "choices"),
    "another unit": ({"unit": "mm"}, "form"),
    "any text": ({"is_ranged": False}, "form"),
    "several now": ({"is_multiple": True}, "form"),
    "a file now": ({"allowed_file_types": ("pdf",)}, "form"),
    "mandatory now": ({"necessity": Necessity.MANDATORY}, "necessity"),
}
CHANGES = {name: (changes, "") for name, changes in SAME.items()} | OTHER


@pytest.mark.parametrize(("changes", "part"), CHANGES.values(), ids=CHANGES)
def test_changes_of_a_property(changes: dict[str, Any], part: str) -> None:
    now = replace(FIRST, **changes)
    before, after = fingerprint_of(FIRST), fingerprint_of(now)
    parts = PropertyFingerprint._fields
    assert [name for name in parts if getattr(before, name) != getattr(after, name)] == part.split()
    assert (fingerprint([SECOND, now]) != fingerprint([FIRST, SECOND])) is bool(part)


@pytest.mark.parametrize("properties", [[FIRST], [FIRST, SECOND, prop("3")]])
def test_other_properties(properties: list[Any]) -> None:
    assert fingerprint(properties) != fingerprint([FIRST, SECOND])


def test_fingerprints_are_for_good() -> None:
    """They stand in the templates that users have filled."""
    assert fingerprint([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5"
    whole = fingerprint([prop("1", label="Größe", choices=choices("é"))])
    assert whole == "f9ba4083aeb2c2df47a53bdb7f3baa4c"
    assert [*written([FIRST])] == ["1:O3e16120473ef"]


@given(st.text(), st.sampled_from(Necessity))
def test_written_ones_are_read_again(text: str, necessity: Necessity) -> None:
    properties = [prop(text, unit=text, necessity=necessity, choices=choices(text)), FIRST]
    assert len(fingerprint(properties)) == 32
    result = read(written(properties))
    assert result["1"] == fingerprint_of(FIRST)
    assert result.keys() <= {text, "1"}


@pytest.mark.parametrize("text", ["", "1", "1:", "1:Mzz", "1:O12345", ":O123456123456"])
def test_other_texts_are_passed_over(text: str) -> None:
    assert read([text]) == {}
