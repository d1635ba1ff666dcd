"""The real command is killed at every write in turn, and goes on to one true answer of each row.

The service is the sandbox on a port, behind a proxy that loses and spoils some of what passes.
What counts is what the service applied: the annotated workbook must agree with it.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.chaos import KILLS, Chaos
from tests.chaos import ROWS as MANY_ROWS
from tests.resume.proxy import MANY, NONE, SOME
from tests.resume.world import Kill, World

WRITES = 180
"""A whole submit of the workbook reaches so many points or somewhat fewer; see `runner`."""
FIRST = range(8)
"""Until the first request has left, every point is one of its own."""
LAST = ("before annotate", "after annotate", "before add_output", "after add_output")
STRIDE = 20


@pytest.mark.parametrize("at", [*FIRST, *LAST, *range(FIRST.stop, WRITES, STRIDE)])
def test_killed_at_a_write(world_of: Callable[..., World], at: Kill) -> None:
    world_of(f"write {at}", SOME).survive(at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_every_write(world_of: Callable[..., World], at: int) -> None:
    world_of(f"every write {at}", NONE).survive(at)


@pytest.mark.parametrize("at", ["before annotate", "before add_output", *range(2, 30, 13)])
def test_killed_in_resume_too(world_of: Callable[..., World], at: Kill) -> None:
    world_of(f"resume {at}", SOME).survive(60, at)


def pair(seed: int) -> list[Kill]:
    """Two points, and with luck a third."""
    luck = random.Random(seed)  # noqa: S311  # to be repeated
    again: list[Kill] = [luck.randrange(60) for _ in range(luck.choice((1, 1, 2)))]
    return [luck.randrange(WRITES * 3 // 4), *again]


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random(world_of: Callable[..., World], seed: int) -> None:
    world_of(f"random {seed}", MANY).survive(*pair(seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 154))
def test_killed_at_many_random_writes(world_of: Callable[..., World], seed: int) -> None:
    world_of(f"random {seed}", MANY).survive(*pair(seed))


LONG = [pytest.param(MANY_ROWS, KILLS, seed, marks=pytest.mark.long) for seed in range(3)]


@pytest.mark.parametrize(("rows", "kills", "seed"), [(150, 1, 0), *LONG])
def test_chaos(made: Callable[..., Any], rows: int, kills: int, seed: int) -> None:
    made(Chaos, "chaos", rows=rows, kills=kills).endure(seed)
