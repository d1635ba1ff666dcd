"""Workers that are killed, that stand still, that lose the server: each file is sent once."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.resume.conftest import served
from tests.resume.world import DEADLINE, Served
from tests.worker.market import Market, market

__all__ = ("served",)


@pytest.fixture
def open_market(
    tmp_path: Path, served: Served, postgresql: str
) -> Iterator[Callable[..., Market]]:  # the fixtures
    with ExitStack() as stack:

        def opened(sellers: int = 1) -> Market:
            return stack.enter_context(market(tmp_path, served, postgresql, sellers))

        yield opened


@dataclass(frozen=True)
class Size:
    """How much there is to do, and by whom."""

    files: int
    sellers: int
    side_by_side: int
    pause: float
    """Seconds that a worker stands still."""


SHORT, LONG = Size(12, 6, 2, 1.0), Size(200, 20, 8, 60.0)


@pytest.mark.parametrize(
    ("size", "seed"),
    [(SHORT, 0), *(pytest.param(LONG, seed, marks=pytest.mark.long) for seed in range(20))],
)
def test_one_is_killed_and_one_stands_still(
    open_market: Callable[..., Market], size: Size, seed: int
) -> None:
    luck = random.Random(seed)  # noqa: S311  # to be repeated
    world = open_market(size.sellers)
    world.bring(size.files)
    for _ in range(3):
        world.start("--side-by-side", str(size.side_by_side))
    deeds = [world.kill, partial(world.stop, seconds=size.pause)]
    luck.shuffle(deeds)
    for least in sorted(luck.randrange(size.files // 2) for _ in deeds):
        world.wait_for(lambda least=least: world.told() >= least)  # type: ignore[misc]
        time.sleep(luck.random() / 5)
        deeds.pop()(world.someone_at_work(luck))
    assert [worker.wait(DEADLINE) for worker in world.processes] == [0, 0]
    world.check(size.files)
