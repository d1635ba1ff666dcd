"""The real command is killed at every write in turn, and goes on to one true answer of each row.

The service is the sandbox on a port, behind a proxy that loses and spoils some of what passes.
What counts is what the service applied: the annotated workbook must agree with it. No product and
no offer of a zip comes to it again unless reports, or its offers, were read in between; no offer is
made before its product; a purge comes to it once at most.
"""

import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from tests.chaos import KILLS, Chaos
from tests.chaos import ROWS as MANY_ROWS
from tests.pairs import sample
from tests.resume.proxy import MANY, NONE, SOME, Faults
from tests.resume.sellers import OpenDocument, Reseller, Shop, WebPage, Zips
from tests.resume.world import DEADLINE, Kill, World

Made = Callable[..., Any]

WRITES: dict[type[World], int] = {World: 90, Zips: 130, Shop: 250}
"""A whole submit reaches fewer points; how many, hangs on how often it can ask while the service
works. See `runner`."""

ENDS = ("before annotate", "after add_output")
POINTS: dict[type[World], tuple[Faults, tuple[Kill, ...], list[Kill]]] = {
    # Until the first request has left, every point is one of its own. In the midst of the work
    # `test_chaos` kills it.
    World: (
        SOME,
        (0, "before add_output"),
        [*range(1, 8), 20, "before add_file", *ENDS, "after annotate", *range(8, 70, 20)],
    ),
    Zips: (NONE, (20,), [3, "before annotate", "after add_output", *range(8, 70, 20)]),
    # The test of its catalogue kills it, and kills it again in the midst.
    Shop: (NONE, (), [3, 40, *ENDS, *range(10, 120, 30)]),
}
"""Faults, the points of one run, and of further runs of the long tests, by kind of seller."""
LONG = pytest.mark.long
CASES = [(kind, faults, kills) for kind, (faults, kills, _) in POINTS.items() if kills]
LONGER = [(kind, faults, (at,)) for kind, (faults, _, points) in POINTS.items() for at in points]
ALL = [
    (kind, SOME if kind is not World else NONE, (number,))
    for kind, writes in WRITES.items()
    for number in range(writes)
]


@pytest.mark.parametrize(("kind", "faults", "kills"), sample([*CASES, *LONGER, *ALL], len(CASES)))
def test_killed_at_a_write(
    made: Made, kind: type[World], faults: Faults, kills: tuple[Kill, ...]
) -> None:
    made(kind, f"write {kills}", faults).survive(*kills)


RESUMED: list[Kill] = ["before annotate", "before add_output", 2, 20]


# The normal run kills a chaos twice, and a shop whose catalogue is gone.
@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [(Shop, 40, 20), (World, 60, 15), (Zips, 30, 30), *((World, 60, at) for at in RESUMED)],
)
def test_killed_in_resume_too(made: Made, kind: type[World], first: Kill, second: Kill) -> None:
    made(kind, f"resume {second}", SOME).survive(first, second)


def pair(seed: int) -> list[Kill]:
    """Two points, and with luck a third."""
    luck = random.Random(seed)  # noqa: S311  # to be repeated
    again: list[Kill] = [luck.randrange(30) for _ in range(luck.choice((1, 1, 2)))]
    return [luck.randrange(WRITES[World] * 3 // 4), *again]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(154))
def test_killed_at_random(world_of: Callable[..., World], seed: int) -> None:
    world_of(f"random {seed}", MANY).survive(*pair(seed))


LONG_CHAOS = [(150, 1, 0), *((MANY_ROWS, KILLS, seed) for seed in range(3))]


@pytest.mark.parametrize(
    ("rows", "kills", "seed"),
    [(40, 2, 0), *(pytest.param(*values, marks=LONG) for values in LONG_CHAOS)],
)
def test_chaos(made: Made, rows: int, kills: int, seed: int) -> None:
    made(Chaos, "chaos", rows=rows, kills=kills).endure(seed)


PACKAGES, PRODUCTS = "offer-integration-packages", "products-integration"


@pytest.mark.parametrize(
    ("kind", "ending", "posts"),
    [(Zips, PACKAGES, 4), pytest.param(Shop, PRODUCTS, 3, marks=LONG)],
)
def test_a_run_without_faults_is_complete(
    made: Made, kind: type[World], ending: str, posts: int
) -> None:
    world = made(kind, "calm")
    (ran,) = world.finish()
    assert ran.code == 1
    assert len(ran.points) < WRITES[kind]
    world.check()
    assert world.posts(ending) == posts


@pytest.mark.parametrize(
    ("kind", "ending", "number"),
    [
        (Shop, PRODUCTS, signal.SIGKILL),
        pytest.param(Zips, PACKAGES, signal.SIGINT, marks=LONG),
        pytest.param(Zips, PACKAGES, signal.SIGKILL, marks=LONG),
        pytest.param(Shop, PRODUCTS, signal.SIGINT, marks=LONG),
    ],
)
def test_ended_between_a_post_and_its_answer(
    made: Made, kind: type[World], ending: str, number: int
) -> None:
    world = made(kind, "gate")
    with world.start_to(ending) as (process, gate):
        process.send_signal(number)
        if number == signal.SIGKILL:
            process.wait(DEADLINE)
        gate.open()  # the answer comes when nobody waits for it
        process.communicate(timeout=DEADLINE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    world.complete()
    asked = [line for line in world.served.proxy.plan.asked if PRODUCTS in line]
    if kind is Shop and number == signal.SIGKILL:
        # The first thing that is asked of the service is whether it has them.
        assert "POST" in asked[0]
        assert "GET" in asked[1]
        assert world.gtin(1) in asked[1]


# `tests/runs/test_selection.py` continues such a run in its own process.
@pytest.mark.long
@pytest.mark.parametrize("at", ["after add_file", "before add_file", "before annotate"])
def test_a_run_of_chosen_rows_goes_on_with_only_these(made: Made, at: Kill) -> None:
    world = made(World, f"rows {at}")
    killed = world.run(*world.SUBMIT, "--rows", "2-3,8", kill=at)
    assert killed.code == -signal.SIGKILL
    assert world.go_on()[-1].code == 1  # for the row that is invalid
    assert set(world.applied()) == {"SKU-1", "SKU-2", "SKU-7"}


@pytest.mark.parametrize("at", [pytest.param(20, marks=LONG), 40])
def test_a_purge_is_sent_once(made: Made, at: int) -> None:
    world = made(Zips, f"purge {at}", size=12)
    world.run(*world.SUBMIT, "--purge-and-replace", "--yes", "--expect-removals", "0", kill=at)
    for _ in range(6):
        if world.run("resume").code in (1, 9):
            break
    assert world.posts(PACKAGES) <= 1
    if world.posts(PACKAGES):
        assert len(world.applied()) == 11
        statuses = {status for beside in world.answers().values() for status in beside}
        assert statuses <= {"Integrated", "Rejected", "Invalid", "Unknown"}


def test_the_catalogue_that_rows_were_judged_by_is_kept(made: Made) -> None:
    """The cache goes before all rows are in the ledger; the next process is killed as well."""
    shop = made(Shop, "cache", SOME)
    shop.submit(kill="after add_file")
    (shop.folder / "home" / "catalog.sqlite").unlink()
    killed, *others = shop.go_on(kills=[40])
    assert killed.code == -signal.SIGKILL
    assert others[-1].code in (1, 9)
    shop.check()


# `tests/watch/test_processor.py` and `tests/cli/test_store.py` show it in their own process.
@pytest.mark.long
@pytest.mark.parametrize("at", ["after add_file", "before add_file", 25, "before annotate"])
def test_a_run_goes_on_with_its_first_recipe_and_joined_file(made: Made, at: Kill) -> None:
    """The list, its recipe and the stock are others by the time that the run goes on."""
    reseller = made(Reseller, f"recipe {at}", SOME)
    assert reseller.submit(kill=at).code == -signal.SIGKILL
    reseller.change()
    reseller.complete()


# `tests/cli/test_other_formats.py` writes the copy of a web page that is gone in its own process.
@pytest.mark.long
@pytest.mark.parametrize("kind", [OpenDocument, WebPage])
@pytest.mark.parametrize("at", ["before add_file", "before annotate"])
def test_a_run_of_another_format_goes_on_with_its_first_file(
    made: Made, kind: type[OpenDocument], at: Kill
) -> None:
    seller = made(kind, f"{kind.ENDING} {at}")
    assert seller.submit(kill=at).code == -signal.SIGKILL
    seller.change()
    seller.complete()
