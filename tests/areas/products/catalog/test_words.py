import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.products.catalog.words import folded, near_codes, nearest


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Nestlé", "NESTLE"),
        ("  Black   &  Decker ", "black & decker"),
        ("L\u2019Oréal", "L'OREAL"),
        ("Müller", "Muller"),
        ("Straße", "STRASSE"),
        ("\ufb01ne", "fine"),
        ("\uff33\uff4f\uff4e\uff59", "sony"),
    ],
)
def test_the_same_to_people(name: str, other: str) -> None:
    assert folded(name) == folded(other)


@pytest.mark.parametrize(("name", "other"), [("3M", "3 M"), ("A+B", "AB"), ("Bosch", "Bosh")])
def test_not_the_same(name: str, other: str) -> None:
    assert folded(name) != folded(other)


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
