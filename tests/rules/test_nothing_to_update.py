from collections.abc import Mapping

import pytest

from tests.conftest import offer, update
from tests.rules.conftest import Find

CODE = "nothing-to-update"

PASSES = {
    "a price": update(price__price="1.00"),
    "a stock of zero": update(quantity="0"),
    "a refused value wants to change something": update(price__price="cheap"),
    "one amount of a mode": update() | {"deliveryModes.SignedHomeDelivery.cost": "4"},
    "an empty Upsert, which required-missing tells": offer(price__price="", quantity=""),
}
FAILS = {
    "every cell is blank": update(price__price="", quantity=""),
    "only the identity": update(quantity="", product__reference="R"),
    "only an unknown column": update(price__price="", colour="red"),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str]) -> None:
    (problem,) = find(CODE, row)
    assert (problem.row, problem.severity) == (2, "error")


def test_a_delete_changes_nothing_and_need_not(find: Find) -> None:
    assert find(CODE, update(price__price=""), kind="offers-delete") == []
