from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "price-below-taxes"

PASSES = {
    "no taxes": offer(price__price="0.01"),
    "a cent above": offer(price__price="1.21", taxes__EcoPart="1.00", taxes__DEA="0.20"),
    "both blank": offer(price__price="1.00", taxes__EcoPart="", taxes__DEA=""),
    "both zero": offer(price__price="0.01", taxes__EcoPart="0", taxes__DEA="0"),
    "an Update of the taxes alone": update(taxes__VAT="20", taxes__EcoPart="9.00", taxes__DEA="0"),
}
FAILS = {
    "equal to one": offer(price__price="1.20", taxes__EcoPart="1.20"),
    "equal to the sum": offer(price__price="1.20", taxes__EcoPart="1.00", taxes__DEA="0.20"),
    "below the DEA": offer(price__price="1.00", taxes__DEA="2.00"),
    "in an Update": update(
        price__price="1.00", taxes__VAT="20", taxes__EcoPart="1.00", taxes__DEA="0"
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str]) -> None:
    (problem,) = find(CODE, row)
    assert (problem.row, problem.field, problem.severity) == (2, "price.price", "error")
    assert problem.value == row["price.price"]
