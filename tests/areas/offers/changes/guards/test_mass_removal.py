from decimal import Decimal

import pytest

from feedtool.areas.offers.changes.guards import Removals, SheetSummary
from feedtool.model.settings import Guards
from tests.areas.offers.changes.guards.conftest import holdings

CODE = "mass-removal"

PASSES = {
    "nothing": SheetSummary(40),
    "just half": SheetSummary(40, removals=[Removals(20, 40, "PRIMARY")]),
    "just half of all stocks": SheetSummary(40, removals=[Removals(20, 40, None)]),
    "few are known": SheetSummary(40, removals=[Removals(19, 19, "PRIMARY")]),
    "nothing is known": SheetSummary(40, removals=[Removals(0, 0, "PRIMARY")]),
}


@pytest.mark.parametrize("facts", PASSES.values(), ids=PASSES)
def test_passes(usual: Guards, facts: SheetSummary) -> None:
    assert holdings(CODE, facts, usual) == []


FAILS = {
    "to zero": (
        Removals(21, 40, "PRIMARY"),
        "PRIMARY, not counting those at stock zero, would be deleted or set to stock zero, 52.5 %",
    ),
    "deleted": (
        Removals(21, 40, "PRIMARY", are_deleted=True),
        "21 of the 40 offers known on PRIMARY would be deleted, 52.5 % (allowed: 50 %)",
    ),
    "stocks of all channels": (
        Removals(21, 40, None),
        "21 of the 40 stocks known above zero, which all channels share, would be set to zero,",
    ),
}


@pytest.mark.parametrize(("removals", "told"), FAILS.values(), ids=FAILS)
def test_fails_on_the_channel_where_it_is_so(usual: Guards, removals: Removals, told: str) -> None:
    facts = SheetSummary(40, removals=[Removals(20, 40, "SECOND"), removals])
    (found,) = holdings(CODE, facts, usual)
    assert (found.channel, found.only_removals) == (removals.channel, True)
    assert told in found.issue.message


@pytest.mark.parametrize(
    ("settings", "is_held"),
    [
        (Guards(removals=Decimal(0)), False),
        (Guards(removals=Decimal(99)), True),
        (Guards(least=41), False),
        (Guards(least=40), True),
        (Guards(least=0), True),
    ],
)
def test_the_settings(settings: Guards, *, is_held: bool) -> None:
    facts = SheetSummary(40, removals=[Removals(40, 40, "PRIMARY")])
    assert bool(holdings(CODE, facts, settings)) is is_held
