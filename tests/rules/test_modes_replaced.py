from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "modes-replaced"

COST = "deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "deliveryModes.TrackedHomeDelivery.additionalCost"


def tracked(number: int = 1, cost: str = "4.90", additional: str = "1.50") -> dict[str, str]:
    return update(number, price__price="1.00", preparationTime="2") | {
        COST: cost,
        ADDITIONAL: additional,
    }


PASSES = {
    "no modes": update(price__price="1.00"),
    "blank modes": tracked(cost="", additional=""),
    "an Upsert gives them all": offer(),
}
FAILS = {"both amounts": tracked(), "free": tracked(cost="0", additional="0")}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str]) -> None:
    (problem,) = find(CODE, row)
    assert (problem.row, problem.severity) == (None, "warning")
    assert problem.field == COST


def test_it_is_said_once_for_a_sheet(find: Find) -> None:
    assert len(find(CODE, *map(tracked, range(1, 6)))) == 1
