from collections.abc import Mapping

import pytest

from tests.conftest import offer
from tests.rules.conftest import Find

CODE = "deprecated-delivery-mode"

PASSES = {"the modes of today": offer()}
FAILS = {
    "Standard": offer() | {"Standard.cost": "1", "Standard.additionalCost": "1"},
    "Express, its cells blank": offer() | {"Express.cost": "", "Express.additionalCost": ""},
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("row", FAILS.values(), ids=FAILS)
def test_fails_once_for_the_sheet(find: Find, row: dict[str, str]) -> None:
    (problem,) = find(CODE, row, row | {"sellerExternalReference": "SKU-2"})
    assert (problem.row, problem.severity) == (None, "warning")
    assert problem.header in row


def test_each_such_mode_is_told(find: Find) -> None:
    both = {
        f"{mode}.{amount}": "1"
        for mode in ("Standard", "Express")
        for amount in ("cost", "additionalCost")
    }
    assert len(find(CODE, offer() | both)) == 2
