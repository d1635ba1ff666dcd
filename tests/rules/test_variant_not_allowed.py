import pytest

from tests.catalogues import judging, product, shirt
from tests.rules.conftest import Find

CODE = "variant-not-allowed"

PASSES = {
    "no group": product(),
    "a group where there are variants": shirt(),
    "of an unknown category nothing is known": product(
        categoryCode="ZZZZZZ", variantGroupReference="G"
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: dict[str, str]) -> None:
    assert find(CODE, row, dialect=judging()) == []


def test_fails(find: Find) -> None:
    (problem,) = find(CODE, product(variantGroupReference="G"), dialect=judging())
    assert (problem.row, problem.field, problem.severity) == (2, "variantGroupReference", "error")
    assert "Kettles (010101)" in problem.message
