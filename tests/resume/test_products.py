"""The real command is killed while it sends products and their offers, and goes on.

What counts is what the service has done: no product comes to it twice unless the reports were read
in between and named none, no offer is made before its product, and every row has one true answer.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.resume.products import LAMPS, Shop
from tests.resume.proxy import NONE, SOME, Faults, Plan
from tests.resume.world import DEADLINE, Gate, Served, World

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kill = int | str

WRITES = 400
"""A whole submit of the workbook reaches so many points or somewhat fewer; see `runner`."""
FIRST = range(0, 10, 3)
LAST = ("before annotate", "after add_output")
STRIDE = 61


@pytest.fixture(scope="module")
def catalogue(
    served: Served, runner: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The cache after a sync."""
    world = World(tmp_path_factory.mktemp("synced") / "world", served, runner, "somebody")
    world.meet("sync", Plan())
    ran = world.run("catalog", "sync", "--profile", "shop", "--category", LAMPS)
    assert ran.code == 0, ran.err
    return world.folder / "home" / "catalog.sqlite"


@pytest.fixture
def shop_of(
    tmp_path: Path, served: Served, runner: subprocess.Popen[str], catalogue: Path
) -> Callable[..., Shop]:
    """Makes a seller of its own, in a world with these faults."""

    def make(seed: str, faults: Faults = NONE) -> Shop:
        folder = tmp_path / "shop"
        shop = Shop(folder, served, runner, seller=str(folder), catalogue=catalogue)
        shop.meet(seed, Plan(faults=faults))
        return shop

    return make


def kill(shop: Shop, *kills: Kill) -> None:
    """Be killed, go on until it ends, and compare."""
    done = shop.finish(kills, rounds=25)
    assert done[-1].code in (1, 9), [(ran.code, ran.err, ran.points[-1:]) for ran in done]
    shop.check()


def posts(shop: Shop) -> int:
    return sum(line.endswith("/products-integration") for line in shop.served.proxy.plan.asked)


def test_without_any_fault(shop_of: Callable[..., Shop]) -> None:
    shop = shop_of("calm")
    (ran,) = shop.finish()
    assert ran.code == 1
    assert len(ran.points) <= WRITES
    shop.check()
    assert posts(shop) == 3


@pytest.mark.parametrize("at", [*FIRST, *LAST, *range(FIRST.stop, WRITES, STRIDE)])
def test_killed_at_a_write(shop_of: Callable[..., Shop], at: Kill) -> None:
    kill(shop_of(f"write {at}"), at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_every_write(shop_of: Callable[..., Shop], at: int) -> None:
    kill(shop_of(f"every write {at}", SOME), at)


@pytest.mark.parametrize("at", [4, 20])
def test_killed_in_resume_too(shop_of: Callable[..., Shop], at: Kill) -> None:
    kill(shop_of(f"resume {at}", SOME), 40, at)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])
def test_ended_between_a_post_and_its_answer(shop_of: Callable[..., Shop], number: int) -> None:
    """The POST has left, and arrives when nobody waits for its answer any more."""
    shop = shop_of("gate")
    gate = shop.served.proxy.plan.wait = Gate("POST", "products-integration")
    with shop.start(*SUBMIT, "--answer-timeout", "60") as process:
        gate.wait()
        process.send_signal(number)
        if number == signal.SIGKILL:
            process.wait(DEADLINE)
        gate.open()
        process.communicate(timeout=DEADLINE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    assert shop.go_on()[-1].code == 1
    shop.check()
    asked = [line for line in shop.served.proxy.plan.asked if "products-integration" in line]
    if number == signal.SIGKILL:
        # The first thing that is asked of the service is whether it has them.
        assert "POST" in asked[0]
        assert "GET" in asked[1]
        assert shop.gtin(1) in asked[1]


SUBMIT = ("submit", "offers.xlsx", "--profile", "shop", "--format", "jsonl")


def test_what_was_judged_by_is_kept(shop_of: Callable[..., Shop]) -> None:
    """The cache goes while the run is dead, before all of its rows are in the ledger."""
    shop = shop_of("cache")
    shop.submit(kill="after add_file")
    (shop.folder / "home" / "catalog.sqlite").unlink()
    assert shop.go_on()[-1].code == 1
    shop.check()
