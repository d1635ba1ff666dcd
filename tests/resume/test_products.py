"""The real command is killed while it sends products and their offers, and goes on.

What counts is what the service has done: no product comes to it twice unless the reports were read
in between and named none, no offer is made before its product, and every row has one true answer.
"""

import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.resume.conftest import ENDS
from tests.resume.products import LAMPS, Shop
from tests.resume.proxy import SOME, Plan
from tests.resume.world import Kill, Served, World

WRITES = 500
"""A whole submit of the workbook reaches fewer points; how many, hangs on how often it can ask
while the service works. See `runner`."""
REACHED = 240
"""So many even on a slow machine, mostly."""
FIRST = range(0, 10, 3)
LAST = ("before annotate", "after add_output")
STRIDE = 45


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
def shop_of(made: Callable[..., Any], catalogue: Path) -> Callable[..., Shop]:
    """Makes a seller of products."""
    return partial(made, Shop, catalogue=catalogue)


def test_without_any_fault(shop_of: Callable[..., Shop]) -> None:
    shop = shop_of("calm")
    (ran,) = shop.finish()
    assert ran.code == 1
    assert len(ran.points) < WRITES
    shop.check()
    assert shop.posts("/products-integration") == 3


@pytest.mark.parametrize("at", [*FIRST, *LAST, *range(FIRST.stop, REACHED, STRIDE)])
def test_killed_at_a_write(shop_of: Callable[..., Shop], at: Kill) -> None:
    shop_of(f"write {at}").survive(at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_every_write(shop_of: Callable[..., Shop], at: int) -> None:
    shop_of(f"every write {at}", SOME).survive(at)


@pytest.mark.parametrize("at", [4, 20])
def test_killed_in_resume_too(shop_of: Callable[..., Shop], at: Kill) -> None:
    shop_of(f"resume {at}", SOME).survive(40, at)


@pytest.mark.parametrize("number", ENDS.values(), ids=ENDS)
def test_ended_between_a_post_and_its_answer(shop_of: Callable[..., Shop], number: int) -> None:
    shop = shop_of("gate")
    shop.survive_between("products-integration", number)
    asked = [line for line in shop.served.proxy.plan.asked if "products-integration" in line]
    if number == signal.SIGKILL:
        # The first thing that is asked of the service is whether it has them.
        assert "POST" in asked[0]
        assert "GET" in asked[1]
        assert shop.gtin(1) in asked[1]


def test_what_was_judged_by_is_kept(shop_of: Callable[..., Shop]) -> None:
    """The cache goes while the run is dead, before all of its rows are in the ledger."""
    shop = shop_of("cache")
    shop.submit(kill="after add_file")
    (shop.folder / "home" / "catalog.sqlite").unlink()
    assert shop.go_on()[-1].code == 1
    shop.check()
