from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "preparation-time-required"

COST = "deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "deliveryModes.TrackedHomeDelivery.additionalCost"
AMOUNTS = {COST: "4.90", ADDITIONAL: "1.50"}

PASSES = {
    "with it": update(preparationTime="2") | AMOUNTS,
    "zero days": update(preparationTime="0") | AMOUNTS,
    "no mode changes": update(price__price="1.00", preparationTime="") | {COST: "", ADDITIONAL: ""},
    "it is refused, not missing": update(preparationTime="soon") | AMOUNTS,
    "an Upsert, which required-missing tells": offer(preparationTime=""),
}
FAILS = {
    "blank": update(preparationTime="") | AMOUNTS,
    "no such column": update() | AMOUNTS,
    "one amount alone": update(preparationTime="") | {COST: "4.90", ADDITIONAL: ""},
    "free delivery": update() | {COST: "0", ADDITIONAL: "0"},
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str]) -> None:
    (problem,) = find(CODE, row)
    assert (problem.field, problem.severity) == ("preparationTime", "error")
