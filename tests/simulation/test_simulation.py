"""With any fault, no row is lost, doubled, stale or wrongly reported.

4 worlds of offers, 2 with products and 2 with an undo in the normal suite, 10,000, 2,000 and
2,000 in the long one. A failing seed shows its steps, and is run again by
`python -m tests.simulation SEED [shop]`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from feedtool.model.nouns import Status
from tests.simulation.checker import Findings
from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import MUTANTS
from tests.simulation.shop import Shop
from tests.simulation.undone import Undone
from tests.simulation.world import World

CHUNK, LONG_CHUNK = 10, 200


class Worlds(NamedTuple):
    kind: type[World]
    seeds: int
    many: int
    refusal: Status
    """The status that some row must have."""


OFFERS = Worlds(World, 4, 10_000, Status.REJECTED)
SHOPS = Worlds(Shop, 2, 2000, Status.REFUSED)
UNDONE, MANY_UNDONE = 2, 2000
CASES = [
    pytest.param(
        worlds, range(first, min(first + CHUNK, worlds.seeds)), id=f"{worlds.kind.__name__}-{first}"
    )
    for worlds in (OFFERS, SHOPS)
    for first in range(0, worlds.seeds, CHUNK)
]
LONG_CASES = [
    pytest.param(
        worlds,
        range(first, min(first + LONG_CHUNK, worlds.many)),
        id=f"{worlds.kind.__name__}-{first}",
        marks=pytest.mark.long,
    )
    for worlds in (OFFERS, SHOPS)
    for first in range(worlds.seeds, worlds.many, LONG_CHUNK)
]


UNDONE_CASES = [
    pytest.param(range(UNDONE), id="undone-0"),
    *(
        pytest.param(
            range(first, min(first + LONG_CHUNK, MANY_UNDONE)),
            id=f"undone-{first}",
            marks=pytest.mark.long,
        )
        for first in range(UNDONE, MANY_UNDONE, LONG_CHUNK)
    ),
]


class Failed(AssertionError):
    """A seed whose world is not as it must be."""


def run_seed(seed: int, ledger: FragileLedger, kind: type[World] = World) -> Findings:
    """The findings of a seed's world; Failed, with the world's log, for any fault."""
    world = kind(seed, ledger)
    try:
        world.live()
        return world.judged()
    except Exception as error:
        steps = "\n".join(world.log)
        name = "" if kind is World else f" {kind.__name__.lower()}"
        again = f"again by: python -m tests.simulation {seed}{name}"
        raise Failed(f"{steps}\n\nseed {seed}: {error}\n{again}") from error
    finally:
        world.close()


def run_seeds(seeds: Iterable[int], ledger: FragileLedger, kind: type[World] = World) -> Findings:
    """The findings of all worlds together."""
    total = Findings(Counter(), Counter())
    for seed in seeds:
        found = run_seed(seed, ledger, kind)
        total.statuses.update(found.statuses)
        total.unknown.update(found.unknown)
    return total


@pytest.mark.parametrize(("worlds", "seeds"), [*CASES, *LONG_CASES])
def test_no_row_is_lost_doubled_stale_or_wrongly_reported(
    ledger: FragileLedger, worlds: Worlds, seeds: range
) -> None:
    statuses = run_seeds(seeds, ledger, worlds.kind).statuses
    # The faults are many enough to matter, and few enough that most rows have an answer.
    assert statuses[Status.UNKNOWN] < 0.05 * statuses.total()
    assert statuses[Status.INTEGRATED] > 0.5 * statuses.total()
    assert statuses[worlds.refusal] > 0


@pytest.mark.parametrize("seeds", UNDONE_CASES)
def test_undo_restores_the_changes_of_a_run_and_nothing_else(
    ledger: FragileLedger, seeds: range
) -> None:
    statuses = run_seeds(seeds, ledger, Undone).statuses
    assert statuses[Status.INTEGRATED] > 0.8 * statuses.total() > 0


def test_a_seed_is_the_same_world_every_time(ledger: FragileLedger) -> None:
    assert steps(3, ledger) == steps(3, ledger)


def steps(seed: int, ledger: FragileLedger) -> list[str]:
    """The steps of a seed's world."""
    world = World(seed, ledger)
    world.live()
    world.close()
    return world.log


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name: str) -> None:
    mutant = MUTANTS[name]
    with mutant.ledger() as ledger, mutant.alter():
        assert any(is_caught(seed, ledger, mutant.kind) for seed in (mutant.seed, *range(500)))


def is_caught(seed: int, ledger: FragileLedger, kind: type[World]) -> bool:
    try:
        run_seed(seed, ledger, kind)
    except Failed:
        return True
    return False
