from collections.abc import Sequence

import pytest

from tests.catalogues import judging, product, shirt
from tests.conftest import Files, checked, told
from tests.rules.conftest import Find

CODE = "variant-group-category"
TROUSERS = {"categoryCode": "010103"}

PASSES = {
    "one category": [shirt(1), shirt(2, p4002="Black")],
    "two groups": [shirt(1), shirt(2, **TROUSERS, variantGroupReference="TROUSERS-7")],
    "no groups": [product(1), product(2)],
    "a category that nobody knows": [shirt(1), shirt(2, categoryCode="ZZZZZZ")],
}
FAILS = {
    "two categories": ([shirt(1), shirt(2, **TROUSERS)], [2, 3]),
    "one of three": ([shirt(1), shirt(2, p4002="Black"), shirt(3, **TROUSERS)], [2, 3, 4]),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(find: Find, rows: Sequence[dict[str, str]]) -> None:
    assert find(CODE, *rows, dialect=judging()) == []


@pytest.mark.parametrize(("rows", "numbers"), FAILS.values(), ids=FAILS)
def test_fails_in_every_row(find: Find, rows: Sequence[dict[str, str]], numbers: list[int]) -> None:
    problems = find(CODE, *rows, dialect=judging())
    assert [one.row for one in problems] == numbers
    assert {(one.field, one.severity) for one in problems} == {("variantGroupReference", "error")}


def test_each_names_a_row_of_another_category_over_several_files(files: Files) -> None:
    one = files.csv(shirt(1), name="one.csv")
    two = files.csv(shirt(2, **TROUSERS), name="two.csv")
    first, second = checked(one, two, dialect=judging())
    assert "of 010103 in row 2 of two.csv" in told(first, CODE)[0].message
    assert "of 010102 in row 2 of one.csv" in told(second, CODE)[0].message
    assert not first.is_clean()
