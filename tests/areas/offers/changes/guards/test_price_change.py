from decimal import Decimal

import pytest

from feedtool.areas.offers.changes.guards import Candidate
from feedtool.model.settings import Guards
from tests.areas.offers.changes.guards.conftest import after, held, row

CODE = "price-change"
ALLOWED = Guards(price_change=Decimal(30))
OLD = {"price": 20}

PASSES = {
    "as it was": row(20, OLD),
    "just as much less": row(14, OLD),
    "just as much more": row(26, OLD),
    "never accepted": row(1),
    "no price known": row(1, {"preparation": 2}),
    "no price in the row": row(None, OLD),
    "a tenth that is a little more as a float": row(0.63, {"price": 0.9}),
}
FAILS = {
    "less": (row(12, OLD), "from 20, as last accepted, to 12: 40 % less (allowed: 30 %)"),
    "less than before it was deleted": (
        row(12)._replace(offer=after(None, 20, is_sure=True)),
        "from 20, as last accepted, to 12: 40 % less (allowed: 30 %)",
    ),
    "less than before an unknown outcome": (
        row(12)._replace(offer=after({}, 20, is_sure=False)),
        "from 20, as last accepted, to 12: 40 % less (allowed: 30 %)",
    ),
    "more": (row(26.01, OLD), "to 26.01: 30.1 % more (allowed: 30 %)"),
}


@pytest.mark.parametrize("candidate", PASSES.values(), ids=PASSES)
def test_passes(candidate: Candidate) -> None:
    assert held(CODE, candidate, ALLOWED) is None


@pytest.mark.parametrize(("candidate", "told"), FAILS.values(), ids=FAILS)
def test_fails(candidate: Candidate, told: str) -> None:
    assert told in (held(CODE, candidate, ALLOWED) or "")


def test_it_is_off_unless_it_is_set(usual: Guards) -> None:
    assert held(CODE, row(1, OLD), usual) is None
