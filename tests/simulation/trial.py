"""One world from a seed to its verdict: `python -m tests.simulation SEED` shows one at length."""

from collections import Counter
from collections.abc import Iterable

from tests.simulation.checker import Findings
from tests.simulation.machine import FragileLedger
from tests.simulation.world import World


class Failed(AssertionError):
    """A seed whose world is not as it must be."""


def tried(seed: int, ledger: FragileLedger, kind: type[World] = World) -> Findings:
    """What became of a seed's world; Failed, with all that happened, when something is wrong."""
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


def tried_all(seeds: Iterable[int], ledger: FragileLedger, kind: type[World] = World) -> Findings:
    """What became of all rows of some seeds' worlds."""
    total = Findings(Counter(), Counter())
    for seed in seeds:
        found = tried(seed, ledger, kind)
        total.statuses.update(found.statuses)
        total.unknown.update(found.unknown)
    return total
