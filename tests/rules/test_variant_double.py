from collections.abc import Sequence

import pytest

from tests.catalogues import judging, shirt
from tests.conftest import Files, checked, told
from tests.rules.conftest import Find

CODE = "variant-double"

PASSES = {
    "another colour": [shirt(1), shirt(2, p4002="Black")],
    "another size": [shirt(1), shirt(2, p4001="L")],
    "another group": [shirt(1), shirt(2, variantGroupReference="SHIRT-8")],
    "no group": [shirt(1, variantGroupReference=""), shirt(2, variantGroupReference="")],
    "a size that is refused": [shirt(1, p4001="XXL"), shirt(2, p4001="XXL")],
}
FAILS = {
    "alike": ([shirt(1), shirt(2)], [2, 3]),
    "a label and a code": ([shirt(1, p4001="m"), shirt(2, p4001="101")], [2, 3]),
    "two of three": ([shirt(1), shirt(2, p4001="L"), shirt(3)], [2, 4]),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(find: Find, rows: Sequence[dict[str, str]]) -> None:
    assert find(CODE, *rows, dialect=judging()) == []


@pytest.mark.parametrize(("rows", "numbers"), FAILS.values(), ids=FAILS)
def test_fails_in_every_row(find: Find, rows: Sequence[dict[str, str]], numbers: list[int]) -> None:
    problems = find(CODE, *rows, dialect=judging())
    assert [one.row for one in problems] == numbers
    assert {(one.field, one.severity) for one in problems} == {("variantGroupReference", "error")}


def test_over_several_files(files: Files) -> None:
    one, two = files.csv(shirt(1), name="one.csv"), files.csv(shirt(2), name="two.csv")
    first, second = checked(one, two, dialect=judging())
    assert "row 2 of two.csv" in told(first, CODE)[0].message
    assert "row 2 of one.csv" in told(second, CODE)[0].message
