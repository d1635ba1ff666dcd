from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feedtool.catalog import Necessity, PropertyChoice
from feedtool.catalog.model import (
    PropertyFingerprint,
    fingerprint,
    fingerprint_of,
    folded,
    near_codes,
    nearest,
    read_fingerprints,
    with_paths,
    with_subcategories,
    written_fingerprints,
)
from tests.catalogues import TREE, category, choices, prop

ALL = {item.reference: item for item in TREE}


@pytest.mark.parametrize(
    ("changes", "takes"), [({}, True), ({"is_active": False}, False), ({"level": 2}, False)]
)
def test_only_active_categories_of_the_deepest_level_take_products(
    changes: dict[str, Any], *, takes: bool
) -> None:
    assert category("0A0101", "Kettles", **changes).takes_products is takes


PATHS = {
    "the labels from the top down": (ALL, "0A0101", "Home > Kitchen > Kettles"),
    "a parent that is not listed": ({"0A0101": ALL["0A0101"]}, "0A0101", "Kettles"),
    "a parent without a label": (
        {"0A": category("0A", ""), "0A01": category("0A01", "Kitchen")},
        "0A01",
        "0A > Kitchen",
    ),
    "a tree that bites its tail": (
        {"0A": category("0A", "A", parent="0B"), "0B": category("0B", "B", parent="0A")},
        "0A",
        "B > A",
    ),
}


@pytest.mark.parametrize(("tree", "code", "path"), PATHS.values(), ids=PATHS)
def test_paths(tree: dict[str, Any], code: str, path: str) -> None:
    assert with_paths(tree)[code].full_path == path


@pytest.mark.parametrize(
    ("wanted", "result"),
    [
        (["0A0101"], {"0A0101"}),
        (["0B"], {"0B", "0B01", "0B0101"}),
        (["0A01", "0B0101"], {"0A01", "0A0101", "0A0102", "0A0103", "0B0101"}),
        (["ZZ"], set()),
        ([], set()),
    ],
)
def test_categories_within_others(wanted: list[str], result: set[str]) -> None:
    assert with_subcategories(wanted, ALL) == result


ALIKE = {
    "Nestlé": "NESTLE",
    "L\u2019Oréal": "L'OREAL",
    "Müller": "Muller",
    "Straße": "STRASSE",
    "  Black   &  Decker ": "black & decker",
    "\ufb01ne": "fine",
    "\uff33\uff4f\uff4e\uff59": "sony",
}


def test_names_that_are_the_same_to_people() -> None:
    assert list(map(folded, ALIKE)) == list(map(folded, ALIKE.values()))
    others = {"3M": "3 M", "A+B": "AB", "Bosch": "Bosh"}
    assert all(folded(name) != folded(other) for name, other in others.items())


@given(st.text())
def test_folding_twice_changes_nothing(name: str) -> None:
    assert folded(folded(name)) == folded(name)


NEAR = [("bosh", ["bosch"]), ("samsnug", ["samsung"]), ("zzz", []), ("", [])]


@pytest.mark.parametrize("others", [["sony", "philips"], [f"{n:07}" for n in range(5_000)]])
@pytest.mark.parametrize(("wanted", "found"), NEAR)
def test_the_nearest_of_few_and_of_very_many(
    wanted: str, found: list[str], others: list[str]
) -> None:
    assert nearest(wanted, [*others, "bosch", "samsung"]) == found


@pytest.mark.parametrize(
    ("code", "near"),
    [
        ("1E0I01", ["1E0101", "1E0401"]),
        ("1eo4o1", ["1E0401"]),
        ("OA", ["0A"]),
        (" 0a ", ["0A"]),
        ("", []),
    ],
)
def test_near_codes(code: str, near: list[str]) -> None:
    assert near_codes(code, ["1E0401", "1E0101", "0A"])[: len(near) or 1] == near


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


def test_fingerprints_never_change() -> None:
    """They are in the templates that users have filled."""
    assert fingerprint([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5"
    whole = fingerprint([prop("1", label="Größe", choices=choices("é"))])
    assert whole == "f9ba4083aeb2c2df47a53bdb7f3baa4c"
    assert [*written_fingerprints([FIRST])] == ["1:O3e16120473ef"]


@given(st.text(), st.sampled_from(Necessity))
def test_written_ones_are_read_again(text: str, necessity: Necessity) -> None:
    properties = [prop(text, unit=text, necessity=necessity, choices=choices(text)), FIRST]
    assert len(fingerprint(properties)) == 32
    result = read_fingerprints(written_fingerprints(properties))
    assert result["1"] == fingerprint_of(FIRST)
    assert result.keys() <= {text, "1"}


@pytest.mark.parametrize("text", ["", "1", "1:", "1:Mzz", "1:O12345", ":O123456123456"])
def test_other_texts_are_passed_over(text: str) -> None:
    assert read_fingerprints([text]) == {}
