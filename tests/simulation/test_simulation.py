"""Whatever goes wrong, no row is lost, doubled, stale or wrongly reported.

200 worlds in the normal suite, 10,000 in the long one. A failing seed shows its steps, and is
run again by `python -m tests.simulation SEED`.
"""

from collections.abc import Iterator

import pytest

from feedtool.model.nouns import Status
from tests.simulation.checker import Findings
from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import MUTANTS
from tests.simulation.trial import Failed, tried, tried_all
from tests.simulation.world import World

SEEDS = 200
CHUNK = 50
MANY = 10_000


@pytest.fixture(scope="module")
def ledger() -> Iterator[FragileLedger]:
    """One for all worlds: making the tables takes as long as a world."""
    with FragileLedger() as ledger:
        yield ledger


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_row_is_lost_doubled_stale_or_wrongly_reported(
    ledger: FragileLedger, first: int
) -> None:
    check_rates(tried_all(range(first, first + CHUNK), ledger))


@pytest.mark.long
@pytest.mark.parametrize("first", range(SEEDS, MANY, 4 * CHUNK))
def test_nor_in_ten_thousand(ledger: FragileLedger, first: int) -> None:
    check_rates(tried_all(range(first, first + 4 * CHUNK), ledger))


def check_rates(found: Findings) -> None:
    """The faults are many enough to matter, and few enough that most rows have an answer."""
    rows = found.statuses.total()
    assert found.statuses[Status.UNKNOWN] < 0.05 * rows
    assert found.statuses[Status.INTEGRATED] > 0.5 * rows
    assert found.statuses[Status.REJECTED] > 0


def test_a_seed_is_the_same_world_every_time(ledger: FragileLedger) -> None:
    worlds = [told(seed, ledger) for _ in range(2) for seed in range(5)]
    assert worlds[:5] == worlds[5:]


def told(seed: int, ledger: FragileLedger) -> list[str]:
    """The steps of a seed's world."""
    world = World(seed, ledger)
    world.live()
    world.close()
    return world.log


CATCHING = {
    "upload repeated in its package": 21,
    "no intent before the request": 14,
    "no waiting for references in flight": 74,
    "package abandoned after PATCH": 45,
}
"""The first seed that caught a mutant when this was written: tried first, and then all others."""


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name: str) -> None:
    alter, kind = MUTANTS[name]
    with kind() as ledger, alter():
        assert any(is_caught(seed, ledger) for seed in (CATCHING[name], *range(500)))


def is_caught(seed: int, ledger: FragileLedger) -> bool:
    try:
        tried(seed, ledger)
    except Failed:
        return True
    return False
