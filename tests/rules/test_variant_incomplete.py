import pytest

from tests.catalogues import judging, product, shirt
from tests.rules.conftest import Find

CODE = "variant-incomplete"
GROUP = "variantGroupReference"

PASSES = {
    "whole": shirt(),
    "none of it: a product that stands alone": shirt(variantGroupReference="", p4001="", p4002=""),
    "a refused value is no missing one": shirt(p4001="XXL"),
    "of a category without variants": product(variantGroupReference="G"),
}
FAILS = {
    "no size": (shirt(p4001=""), ["4001"]),
    "no colour, whose column is absent": (shirt(p4002=None), ["4002"]),
    "no group": (shirt(variantGroupReference=""), [GROUP]),
    "the group alone": (shirt(p4001="", p4002=""), ["4001", "4002"]),
    "the size alone": (shirt(p4002="", variantGroupReference=None), [GROUP, "4002"]),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: dict[str, str]) -> None:
    assert find(CODE, row, dialect=judging()) == []


@pytest.mark.parametrize(("row", "fields"), FAILS.values(), ids=FAILS)
def test_fails_on_what_is_missing(find: Find, row: dict[str, str], fields: list[str]) -> None:
    problems = find(CODE, row, dialect=judging())
    assert sorted(str(one.field) for one in problems) == sorted(fields)
    assert {one.severity for one in problems} == {"error"}


def test_names_properties_by_their_label(find: Find) -> None:
    (problem,) = find(CODE, shirt(p4001=""), dialect=judging())
    assert problem.message.startswith("Size (4001) is missing")
