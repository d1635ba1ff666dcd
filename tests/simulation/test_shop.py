"""Products, and offers for them: whatever goes wrong, each row has one true answer.

40 worlds in the normal suite, 2,000 in the long one; `python -m tests.simulation SEED shop` shows
one.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from unittest import mock

import pytest

from feedtool.delivery import machine
from feedtool.delivery.steps import Step, StepIntent
from feedtool.delivery.transition import Transition, TransitionContext, fail
from feedtool.ledger import Package, Phase, Stage, clearing
from feedtool.model.nouns import Status
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer
from tests.simulation.checker import Findings
from tests.simulation.machine import FragileLedger
from tests.simulation.shop import Shop
from tests.simulation.trial import Failed, tried, tried_all

SEEDS = 40
CHUNK = 20
MANY = 2000


@pytest.fixture(scope="module")
def ledger() -> Iterator[FragileLedger]:
    """One for all worlds: making the tables takes as long as a world."""
    with FragileLedger() as ledger:
        yield ledger


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_every_product_and_every_offer_has_one_true_answer(
    ledger: FragileLedger, first: int
) -> None:
    check_rates(tried_all(range(first, first + CHUNK), ledger, Shop))


@pytest.mark.long
@pytest.mark.parametrize("first", range(SEEDS, MANY, 7 * CHUNK))
def test_in_two_thousand_too(ledger: FragileLedger, first: int) -> None:
    check_rates(tried_all(range(first, first + 7 * CHUNK), ledger, Shop))


def check_rates(found: Findings) -> None:
    """The faults are many enough to matter, and few enough that most rows have an answer."""
    rows = found.statuses.total()
    assert found.statuses[Status.UNKNOWN] < 0.05 * rows
    assert found.statuses[Status.INTEGRATED] > 0.5 * rows
    assert found.statuses[Status.REFUSED] > 0


@contextmanager
def no_holding() -> Iterator[None]:
    """Offers go before their products are answered."""
    with mock.patch.object(clearing, "unanswered", return_value=frozenset()):
        yield


@contextmanager
def unread() -> Iterator[None]:
    """A batch whose answer was lost is sent again at once."""

    def again(
        package: Package, _intent: StepIntent, answer: Answer, now: TransitionContext
    ) -> Transition:
        before = replace(package, phase=Phase.CLEARED, uploads=(Stage.PLANNED,))
        return fail(before, answer, now)

    with mock.patch.dict(machine.RULES, {(Step.SUBMIT, AnswerKind.UNKNOWN): again}):
        yield


MUTANTS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "offers are not held back": no_holding,
    "a batch is sent again unread": unread,
}

CATCHING = {"offers are not held back": 1, "a batch is sent again unread": 36}
"""The first seed that caught a mutant when this was written: tried first, and then all others."""


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name: str, ledger: FragileLedger) -> None:
    with MUTANTS[name]():
        assert any(is_caught(seed, ledger) for seed in (CATCHING[name], *range(200)))


def is_caught(seed: int, ledger: FragileLedger) -> bool:
    try:
        tried(seed, ledger, Shop)
    except Failed:
        return True
    return False
