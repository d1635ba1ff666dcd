from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "taxes-incomplete"

PASSES = {
    "all three": update(taxes__VAT="20", taxes__EcoPart="0.10", taxes__DEA="0"),
    "none": update(price__price="1.00", taxes__VAT="", taxes__EcoPart="", taxes__DEA=""),
    "no such columns": update(price__price="1.00"),
    "a refused one is not missing": update(
        taxes__VAT="much", taxes__EcoPart="0.10", taxes__DEA="0"
    ),
    "an Upsert, where blank amounts are zero": offer(taxes__EcoPart="0.10", taxes__DEA=""),
}
FAILS = {
    "VAT alone": (
        update(taxes__VAT="20", taxes__EcoPart="", taxes__DEA=""),
        ["taxes.EcoPart", "taxes.DEA"],
    ),
    "no VAT": (update(taxes__VAT="", taxes__EcoPart="1", taxes__DEA="0"), ["taxes.VAT"]),
    "no column for DEA": (update(taxes__VAT="20", taxes__EcoPart="1"), ["taxes.DEA"]),
    "a zero counts as given": (
        update(taxes__VAT="0", taxes__EcoPart="", taxes__DEA="0"),
        ["taxes.EcoPart"],
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize(("row", "missing"), FAILS.values(), ids=FAILS)
def test_fails_on_each_missing_tax(find: Find, row: Mapping[str, str], missing: list[str]) -> None:
    problems = find(CODE, row)
    assert [problem.field for problem in problems] == missing
    assert {problem.severity for problem in problems} == {"error"}
