import pytest

from feedtool.areas.offers.changes.guards import Candidate
from feedtool.model.settings import Guards
from tests.areas.offers.changes.guards.conftest import held, row

CODE = "price-below-floor"

PASSES = {
    "no floor": row(0.01),
    "at the floor": row(14.99, floor=14.99),
    "above": row(15, floor=14.99),
    "no price in the row": row(None, floor=14.99),
}


@pytest.mark.parametrize("candidate", PASSES.values(), ids=PASSES)
def test_passes(usual: Guards, candidate: Candidate) -> None:
    assert held(CODE, candidate, usual) is None


def test_fails(usual: Guards) -> None:
    told = held(CODE, row(12.5, floor=14.99), usual)
    assert told == "the price 12.5 is below its floor of 14.99"
