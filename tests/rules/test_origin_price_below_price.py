from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "origin-price-below-price"

PASSES = {
    "above": offer(price__originPrice="24.99"),
    "equal": offer(price__originPrice="19.99"),
    "none": offer(price__originPrice=""),
    "an Update of the struck price alone": update(price__originPrice="1.00"),
    "the price is refused": offer(price__price="cheap", price__originPrice="1.00"),
}
FAILS = {
    "a cent below": offer(price__originPrice="19.98"),
    "in an Update": update(price__price="10.00", price__originPrice="9.00"),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str]) -> None:
    (problem,) = find(CODE, row)
    assert problem.field == "price.originPrice"
    assert problem.severity == "error"
    assert problem.value == row["price.originPrice"]
