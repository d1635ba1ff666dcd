"""With any fault, no message is written twice, and no parcel sent twice.

8 worlds in the normal suite, 10,000 in the long one. A failing seed shows its steps, and is run
again by `python -m tests.simulation SEED creations`.
"""

from contextlib import nullcontext
from itertools import islice

import pytest

from feedtool.delivery.steps import Step
from feedtool.model.nouns import Status
from tests.pairs import sample
from tests.simulation.creations import Creations
from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import Forgetful, Mutant
from tests.simulation.test_acts import CASES, blind, forgotten, impatient, rule_for
from tests.simulation.test_simulation import is_caught, run_seeds


@pytest.mark.parametrize("seeds", CASES, ids=str)
def test_nothing_is_created_twice(ledger: FragileLedger, seeds: range) -> None:
    statuses = run_seeds(seeds, ledger, Creations).statuses
    assert statuses[Status.UNKNOWN] < 0.1 * statuses.total()
    for done in (Status("Sent"), Status("Opened"), Status.CREATED, Status.ACCEPTED):
        assert statuses[done] > 0.05 * statuses.total()


MUTANTS = {
    "sent again at once": Mutant(rule_for(Step.CONFIRM, impatient), 5, Creations),
    "baseline forgotten": Mutant(rule_for(Step.CHECK, forgotten), 7, Creations),
    "no look before the call": Mutant(rule_for(Step.CHECK, blind), 1, Creations),
    "no intent before the call": Mutant(nullcontext, 74, Creations, Forgetful),
}


# The normal run has the other two with acts.
@pytest.mark.parametrize("name", sample(MUTANTS, 2))
def test_every_mutant_is_caught(name: str) -> None:
    """The seed that is known to catch it is tried first, and then many."""
    mutant = MUTANTS[name]
    with mutant.ledger() as ledger, mutant.alter():
        assert any(is_caught(seed, ledger, Creations) for seed in (mutant.seed, *range(500)))


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught_by_more_than_one_seed(name: str) -> None:
    mutant = MUTANTS[name]
    with mutant.ledger() as ledger, mutant.alter():
        catching = (seed for seed in range(1000) if is_caught(seed, ledger, Creations))
        assert len([*islice(catching, 2)]) == 2
