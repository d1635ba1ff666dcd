"""The real command is killed while it sends legacy zips, and goes on.

What counts is what the service has done: no offer comes to it again before its offers were looked
up, a purge comes to it once at most, and every row has one true answer.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from feedtool.ledger.requeue import MOST_SENDS
from tests.resume.conftest import ENDS
from tests.resume.proxy import SOME
from tests.resume.world import INVALID, REFUSED, Kill, World

PACKAGES = "offer-integration-packages"
WRITES = 260
"""A whole submit of the workbook reaches fewer points; how many, hangs on how often it can ask
while the service works. See `runner`."""
REACHED = 140
"""So many even on a slow machine, mostly."""
FIRST = range(0, 8, 3)
LAST = ("before annotate", "after add_output")
STRIDE = 40


@dataclass
class Zips(World):
    """One seller, whose 12 offers fill four zips."""

    SUBMIT = (*World.SUBMIT, "--as", "legacy-offers")

    size: int = 3
    """Offers of a zip at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        with (self.folder / "feedtool.toml").open("a", encoding="utf-8") as file:
            file.write(f"legacy = {self.size}\n")

    def check(self, name: str = "offers.result.xlsx") -> None:
        applied = defaultdict(list)
        for one in self.served.applied(self.seller):
            applied[one.reference].append(one.outcome)
        answers = self.answers(name)
        asked = self.served.proxy.plan.asked
        for number in range(1, self.rows + 1):
            reference = f"SKU-{number}"
            expected = "Rejected" if number in REFUSED else "Integrated"
            if number in INVALID:
                assert (answers[reference], applied[reference]) == (["Invalid"], [])
                continue
            if reference in self.lost() and not applied[reference]:
                assert answers[reference] == ["Unknown"]
                continue
            assert answers[reference] == [expected], applied[reference]
            assert 1 <= len(applied[reference]) <= MOST_SENDS
            assert set(applied[reference]) == {expected}
            if len(applied[reference]) > 1:
                assert any("/offers" in line for line in asked)


@pytest.fixture
def zips_of(made: Callable[..., Any]) -> Callable[..., Zips]:
    """Makes a seller of legacy zips."""
    return partial(made, Zips)


def test_without_any_fault(zips_of: Callable[..., Zips]) -> None:
    world = zips_of("calm")
    (ran,) = world.finish()
    assert ran.code == 1
    assert len(ran.points) < WRITES
    world.check()
    assert world.posts(PACKAGES) == 4


@pytest.mark.parametrize("at", [*FIRST, *LAST, *range(FIRST.stop, REACHED, STRIDE)])
def test_killed_at_a_write(zips_of: Callable[..., Zips], at: Kill) -> None:
    zips_of(f"write {at}").survive(at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_every_write(zips_of: Callable[..., Zips], at: int) -> None:
    zips_of(f"every write {at}", SOME).survive(at)


@pytest.mark.parametrize("seed", range(2))
def test_over_a_bad_line(zips_of: Callable[..., Zips], seed: int) -> None:
    zips_of(f"line {seed}", SOME).survive(30, 30)


@pytest.mark.parametrize("number", ENDS.values(), ids=ENDS)
def test_ended_between_a_post_and_its_answer(zips_of: Callable[..., Zips], number: int) -> None:
    zips_of("gate").survive_between(PACKAGES, number)


@pytest.mark.parametrize("at", [20, 40])
def test_a_purge_is_sent_once(zips_of: Callable[..., Zips], at: int) -> None:
    world = zips_of(f"purge {at}", size=12)
    world.run(*world.SUBMIT, "--purge-and-replace", "--yes", "--expect-removals", "0", kill=at)
    for _ in range(6):
        if world.run("resume").code in (1, 9):
            break
    assert world.posts(PACKAGES) <= 1
    applied = {one.reference for one in world.served.applied(world.seller)}
    if world.posts(PACKAGES):
        assert len(applied) == 11
        told = {told for one in world.answers().values() for told in one}
        assert told <= {"Integrated", "Rejected", "Invalid", "Unknown"}
