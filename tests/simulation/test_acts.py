"""With any fault, no single call is doubled, no money sent twice, no wrong result reported.

8 worlds in the normal suite, 10,000 in the long one. A failing seed shows its steps, and is run
again by `python -m tests.simulation SEED acts`.
"""

from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from unittest import mock

import pytest
from msgspec.structs import replace

from feedtool.delivery import direct, machine
from feedtool.delivery.steps import Step
from feedtool.delivery.transition import AnswerContext, Rule, Transition
from feedtool.feeds.direct import Repeat
from feedtool.ledger import Package, Phase, Stage
from feedtool.model.nouns import Status
from feedtool.service.answers import AnswerKind
from tests.pairs import sample
from tests.simulation.acts import Acts
from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import Alter, Forgetful, Mutant
from tests.simulation.test_simulation import is_caught, run_seeds

MANY, LONG_CHUNK = 10_000, 200
CASES = [
    range(7, 15),  # which end in all ways
    *(
        pytest.param(range(first, min(first + LONG_CHUNK, MANY)), marks=pytest.mark.long)
        for first in range(0, MANY, LONG_CHUNK)
    ),
]


@pytest.mark.parametrize("seeds", CASES, ids=str)
def test_no_act_is_doubled_or_wrongly_reported(ledger: FragileLedger, seeds: range) -> None:
    statuses = run_seeds(seeds, ledger, Acts).statuses
    # The faults are many enough to matter, and few enough that most rows have an answer.
    assert statuses[Status.UNKNOWN] < 0.1 * statuses.total()
    for done in (Status.ACCEPTED, Status("Shipped"), Status("Cancelled")):
        assert statuses[done] > 0.05 * statuses.total()


# Mutants. None touches feedtool.


def blind(package: Package, context: AnswerContext) -> Transition:
    """Send the request after any look."""
    act = context.intent.act
    baseline = context.protocol.baseline(act, context.answer.value)
    return Transition(package.advance(context.time, phase=Phase.CHECKED, baseline=baseline))


def impatient(package: Package, context: AnswerContext) -> Transition:
    """Send a request again if its effect does not show at once after a lost answer."""
    told = CONFIRMED(package, context)
    if told.package.phase is not Phase.SUBMITTING or not told.package.readings:
        return told
    return Transition(replace(package, phase=Phase.CHECKED, uploads=(Stage.PLANNED,)))


def forgotten(package: Package, context: AnswerContext) -> Transition:
    """Forget the state before the request."""
    told = CHECKED(package, context)
    return told._replace(package=replace(told.package, baseline=None))


def rule_for(step: Step, rule: Rule) -> Alter:
    return lambda: mock.patch.dict(machine.RULES, {(step, AnswerKind.DONE): rule})


def _again() -> AbstractContextManager[object]:
    return mock.patch.dict(direct.SENDS, {Repeat.NEVER: direct.SENDS[Repeat.SAFE]})


CHECKED, CONFIRMED = (machine.RULES[step, AnswerKind.DONE] for step in (Step.CHECK, Step.CONFIRM))
MUTANTS = {
    "no look before the call": Mutant(rule_for(Step.CHECK, blind), 16, Acts),
    "money is sent again": Mutant(_again, 208, Acts),
    "no intent before the call": Mutant(nullcontext, 126, Acts, Forgetful),
    "sent again at once": Mutant(rule_for(Step.CONFIRM, impatient), 7, Acts),
    "baseline forgotten": Mutant(rule_for(Step.CHECK, forgotten), 2, Acts),
}


# The normal run has the other two with creations.
@pytest.mark.parametrize("name", sample(MUTANTS, 3))
def test_every_mutant_is_caught(name: str) -> None:
    """The seed that is known to catch it is tried first, and then many."""
    mutant = MUTANTS[name]
    with mutant.ledger() as ledger, mutant.alter():
        assert any(is_caught(seed, ledger, Acts) for seed in (mutant.seed, *range(500)))


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught_by_more_than_one_seed(name: str) -> None:
    mutant = MUTANTS[name]
    with mutant.ledger() as ledger, mutant.alter():
        catching = (seed for seed in range(1000) if is_caught(seed, ledger, Acts))
        assert len([*islice(catching, 2)]) == 2
