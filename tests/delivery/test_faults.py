"""Whatever goes wrong, the ledger says of every row what the service did with it.

A failing seed is run again by `pytest tests/delivery/test_faults.py -k 'seed17-'`.
"""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply, Sender
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Status
from feedtool.model.settings import PackageLimits
from tests.delivery.conftest import Scene, upsert

FAULTS = ("not sent", "request lost", "answer lost", "late", "500", "429", "crash", "crash after")
EACH = 0.02
"""The chance of each fault at each call."""

LIVES = 60
"""So many processes one after the other, at most."""


class Crash(BaseException):
    """The process is gone."""


class Unreliable:
    """A network and a machine that fail at random, though always the same for a seed."""

    def __init__(self, sender: Sender, seed: int) -> None:
        self.sender = sender
        self.random = random.Random(seed)  # noqa: S311 - it guards nothing
        self.late: list[Call] = []

    def send(self, call: Call) -> Reply:
        if self.late and self.random.random() < 0.2:
            self.sender.send(self.late.pop(0))
        chance = self.random.random()
        fault = FAULTS[int(chance / EACH)] if chance < EACH * len(FAULTS) else ""
        if fault == "not sent":
            raise NotSent("refused")
        if fault == "crash":
            raise Crash
        if fault == "late":
            self.late.append(call)
        if fault in {"request lost", "late"}:
            raise OutcomeUnknown("timeout")
        if fault in {"500", "429"}:
            return Reply(int(fault))
        reply = self.sender.send(call)
        if fault == "answer lost":
            raise OutcomeUnknown("reset")
        if fault == "crash after":
            raise Crash
        return reply


def check(scene: Scene) -> None:
    """What the service applied is what counts, not what the ledger thinks."""
    outcomes = {applied.reference: applied.outcome for applied in scene.applied}
    assert len(scene.applied) == len(outcomes), "a row took effect twice"
    verdicts = scene.verdicts
    assert [verdict.row for verdict in verdicts] == list(range(3, 27))
    for verdict in verdicts:
        if verdict.status is Status.UNKNOWN:
            assert verdict.reference not in outcomes
        else:
            assert outcomes.get(verdict.reference) == verdict.status


def run(scene: Scene, seed: int, pool: int) -> None:
    scene.plan((upsert(row) for row in range(3, 27)), PackageLimits(upload=2, package=10))
    unreliable = Unreliable(scene.client, seed)
    for _ in range(LIVES):
        try:
            scene.go_on(unreliable, pool=pool, jitter=unreliable.random.random())
            break
        except (Crash, Interrupted):
            continue
    check(scene)


@pytest.mark.parametrize("seed", [pytest.param(n, id=f"seed{n}-") for n in range(30)])
def test_no_row_is_lost_doubled_or_wrongly_reported(scene: Scene, seed: int) -> None:
    run(scene, seed, pool=1)


@pytest.mark.parametrize("seed", range(3))
def test_threads_change_nothing_in_that(scene: Scene, seed: int) -> None:
    run(scene, seed, pool=4)


@pytest.mark.long
def test_many_seeds(scene_of: Callable[..., Scene]) -> None:
    found: Counter[str] = Counter()
    for seed in range(1000):
        scene = scene_of()
        run(scene, seed, pool=1)
        found.update(scene.statuses)
    # The faults are many enough to matter, and few enough that most rows arrive.
    assert found[Status.UNKNOWN] > 0
    assert found[Status.INTEGRATED] > 0.8 * found.total()
