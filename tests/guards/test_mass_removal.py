from decimal import Decimal

import pytest

from feedtool.dialect import Guards
from feedtool.guards import Facts, Removals
from tests.guards.conftest import holdings

CODE = "mass-removal"

PASSES = {
    "nothing": Facts(40),
    "just half": Facts(40, removals={"PRIMARY": Removals(20, 40)}),
    "few are known": Facts(40, removals={"PRIMARY": Removals(19, 19)}),
    "nothing is known": Facts(40, removals={"PRIMARY": Removals(0, 0)}),
}


@pytest.mark.parametrize("facts", PASSES.values(), ids=PASSES)
def test_passes(usual: Guards, facts: Facts) -> None:
    assert holdings(CODE, facts, usual) == []


def test_fails_on_the_channel_where_it_is_so(usual: Guards) -> None:
    facts = Facts(40, removals={"PRIMARY": Removals(21, 40), "SECOND": Removals(20, 40)})
    (found,) = holdings(CODE, facts, usual)
    assert (found.channel, found.only_removals) == ("PRIMARY", True)
    assert found.fault.message == (
        "21 of the 40 offers known on PRIMARY would be deleted or set to stock zero, 52.5 %"
        " (allowed: 50 %)"
    )


@pytest.mark.parametrize(
    ("settings", "is_held"),
    [
        (Guards(removals=Decimal(0)), False),
        (Guards(removals=Decimal(99)), True),
        (Guards(least=41), False),
        (Guards(least=40), True),
    ],
)
def test_the_settings(settings: Guards, *, is_held: bool) -> None:
    facts = Facts(40, removals={"PRIMARY": Removals(40, 40)})
    assert bool(holdings(CODE, facts, settings)) is is_held
