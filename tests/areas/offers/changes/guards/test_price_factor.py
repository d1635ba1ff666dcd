from decimal import Decimal

import pytest

from feedtool.areas.offers.changes.guards import Candidate
from feedtool.model.settings import Guards
from tests.areas.offers.changes.guards.conftest import after, held, row

CODE = "price-factor"
OLD = {"price": 19.99}

PASSES = {
    "as it was": row(19.99, OLD),
    "nine times": row(179.99, OLD),
    "a ninth": row(2.23, OLD),
    "never accepted": row(1999.0),
    "deleted before it had a price": Candidate(*row(1999.0)[:2], row(1, {})[2]),
    "no price known": row(1999.0, {"preparation": 2}),
    "no price in the row": row(None, OLD),
}
FAILS = {
    "a lost decimal sign": (
        row(1999, OLD),
        "up from 19.99, as last accepted, to 1999: by a factor of 100",
    ),
    "ten times": (row(199.9, OLD), "by a factor of 10"),
    "about ten times": (row(199, OLD), "by a factor of 10"),
    "a thousand times": (row(19990, OLD), "by a factor of 1,000"),
    "a tenth": (row(2.0, OLD), "down from 19.99, as last accepted, to 2.0: by a factor of 10"),
    "deleted before": (
        row(1999)._replace(offer=after(None, 19.99, is_sure=True)),
        "up from 19.99, as last accepted, to 1999: by a factor of 100",
    ),
    "of an unknown outcome before": (
        row(1999)._replace(offer=after({}, 19.99, is_sure=False)),
        "up from 19.99, as last accepted, to 1999: by a factor of 100",
    ),
    "a hundredth": (row(0.2, OLD), "by a factor of 99.9"),
}


@pytest.mark.parametrize("candidate", PASSES.values(), ids=PASSES)
def test_passes(usual: Guards, candidate: Candidate) -> None:
    assert held(CODE, candidate, usual) is None


@pytest.mark.parametrize(("candidate", "told"), FAILS.values(), ids=FAILS)
def test_fails(usual: Guards, candidate: Candidate, told: str) -> None:
    assert told in (held(CODE, candidate, usual) or "")


@pytest.mark.parametrize(("factor", "is_held"), [("0", False), ("100", True), ("200", False)])
def test_the_setting(factor: str, *, is_held: bool) -> None:
    settings = Guards(price_factor=Decimal(factor))
    assert (held(CODE, row(1999, OLD), settings) is not None) is is_held
