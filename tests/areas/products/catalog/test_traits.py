import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.products.catalog import Necessity, Property
from feedtool.areas.products.catalog.traits import Traits, read, traits_of, written
from tests.areas.products.catalog.conftest import choices, prop

BASE = prop("1", choices=choices("a", "b"), is_ranged=True, unit="cm")

CHANGES = {
    "nothing": (BASE, []),
    "another label": (
        prop("1", label="x", choices=choices("b", "a"), is_ranged=True, unit="cm"),
        [],
    ),
    "another necessity": (
        prop(
            "1", choices=choices("a", "b"), is_ranged=True, unit="cm", necessity=Necessity.MANDATORY
        ),
        ["necessity"],
    ),
    "another unit": (prop("1", choices=choices("a", "b"), is_ranged=True, unit="mm"), ["form"]),
    "any text": (prop("1", choices=choices("a", "b"), unit="cm"), ["form"]),
    "another choice": (prop("1", choices=choices("a"), is_ranged=True, unit="cm"), ["choices"]),
}


@pytest.mark.parametrize(("now", "changed"), CHANGES.values(), ids=CHANGES)
def test_what_has_changed_shows(now: Property, changed: list[str]) -> None:
    before, after = traits_of(BASE), traits_of(now)
    assert [
        name for name in Traits._fields if getattr(before, name) != getattr(after, name)
    ] == changed


def test_traits_are_for_good() -> None:
    """They stand in the templates that users have filled."""
    assert [*written([BASE])] == ["1:O3e16120473ef"]


@given(st.text(), st.sampled_from(Necessity))
def test_whatever_is_written_is_read(text: str, necessity: Necessity) -> None:
    properties = [prop(text, unit=text, necessity=necessity), BASE]
    found = read(written(properties))
    assert found["1"] == traits_of(properties[-1] if text != "1" else BASE)
    assert found.keys() <= {text, "1"}


@pytest.mark.parametrize("text", ["", "1", "1:", "1:Mzz", "1:O12345", ":O123456123456"])
def test_what_was_not_written_here_is_passed_over(text: str) -> None:
    assert read([text]) == {}
