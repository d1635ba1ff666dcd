"""Workers that are killed, that stand still, that lose the server: each file is sent once."""

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.forked import Child
from tests.ledger import cluster
from tests.resume.conftest import served
from tests.resume.world import DEADLINE, Gate, Served
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
    """The amount of work, and the number of workers."""

    files: int
    sellers: int
    side_by_side: int
    pause: float
    """Seconds that a worker stands still."""


SHORT, LONG = Size(4, 2, 2, 0.3), Size(200, 20, 8, 60.0)


@pytest.mark.parametrize(
    ("size", "seed"),
    [(SHORT, 0), *(pytest.param(LONG, seed, marks=pytest.mark.long) for seed in range(20))],
)
def test_files_are_sent_with_one_worker_killed_and_one_stopped(
    open_market: Callable[..., Market], size: Size, seed: int
) -> None:
    luck = random.Random(seed)  # noqa: S311  # to be repeated
    world = open_market(size.sellers)
    world.bring(size.files)
    for _ in range(3):
        world.start("--drain", "--side-by-side", str(size.side_by_side))

    def has_delivered(least: int) -> bool:
        return world.delivered() >= least

    deeds: list[Callable[[Child], None]] = [
        world.kill,
        partial(world.stop, seconds=size.pause),
    ]
    luck.shuffle(deeds)
    for least in sorted(luck.randrange(size.files // 2) for _ in deeds):
        world.wait_for(partial(has_delivered, least))
        time.sleep(luck.random() / 5)
        deeds.pop()(world.someone_at_work(luck))
    assert world.has_ended()
    world.check(size.files)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_the_server_is_stopped_in_the_midst(tmp_path: Path, served: Served, mode: str) -> None:
    with cluster.running() as server, market(tmp_path, served, server.url, 4) as world:
        world.bring(8)
        for _ in range(2):
            world.start()
        world.wait_for(lambda: world.delivered() > 0)
        world.someone_at_work(random.Random(mode))  # noqa: S311  # no secret
        server.stop(mode)
        try:
            world.wait_for(lambda: all(map(world.is_in_trouble, world.processes)))
        finally:
            server.start()
        assert world.has_ended()
        world.check(8)


# `test_passes` has a resume finish a worker's run in this process.
@pytest.mark.long
def test_any_machine_goes_on_with_the_runs_of_workers(open_market: Callable[..., Market]) -> None:
    world = open_market()
    world.bring(1)
    gate = world.served.proxy.plan.wait = Gate("POST", "offer-requests")
    worker = world.start()
    gate.wait()
    world.kill(worker)
    gate.open()
    _, second, third = world.machines
    assert second.run("resume", "1")[0] == 0
    code, said = third.run("results", "1", "--format", "json")
    assert (code, [row["status"] for row in json.loads(said)[0]["results"]]) == (0, INTEGRATED)
    assert world.parcels()[0].run_id is None
    assert world.start().wait(DEADLINE) == 0
    world.check(1)


INTEGRATED = ["Integrated"] * Market.ROWS
