"""The real command is killed while it sends legacy zips, and goes on.

What counts is what the service has done: no offer comes to it again before its offers were looked
up, a purge comes to it once at most, and every row has one true answer.
"""

from __future__ import annotations

import signal
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from feedtool.ledger.leftovers import MOST_SENDS
from tests.resume.proxy import NONE, SOME, Faults, Plan
from tests.resume.world import DEADLINE, INVALID, REFUSED, Gate, Ran, Served, World

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kill = int | str

SUBMIT = ("submit", "offers.xlsx", "--as", "legacy-offers", "--profile", "shop")
WRITES = 260
"""A whole submit of the workbook reaches so many points or somewhat fewer; see `runner`."""
FIRST = range(0, 8, 3)
LAST = ("before annotate", "after add_output")
STRIDE = 83


@dataclass
class Zips(World):
    """One seller, whose 12 offers fill four zips."""

    size: int = 3
    """Offers of a zip at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        with (self.folder / "feedtool.toml").open("a", encoding="utf-8") as file:
            file.write(f"legacy = {self.size}\n")

    def submit(self, kill: Kill | None = None) -> Ran:
        return self.run(*SUBMIT, kill=kill)

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
            assert answers[reference] == [expected]
            assert 1 <= len(applied[reference]) <= MOST_SENDS
            assert set(applied[reference]) == {expected}
            if len(applied[reference]) > 1:
                assert any("/offers" in line for line in asked)


@pytest.fixture
def zips_of(tmp_path: Path, served: Served, runner: subprocess.Popen[str]) -> Callable[..., Zips]:
    """Makes a seller of its own, in a world with these faults."""

    def make(seed: str, faults: Faults = NONE) -> Zips:
        folder = tmp_path / "zips"
        world = Zips(folder, served, runner, seller=str(folder))
        world.meet(seed, Plan(faults=faults))
        return world

    return make


def posts(world: World) -> int:
    return sum(
        line.startswith("POST") and "offer-integration-packages" in line
        for line in world.served.proxy.plan.asked
    )


def kill(world: Zips, *kills: Kill) -> None:
    """Be killed, go on until it ends, and compare."""
    done = world.finish(kills, rounds=25)
    assert done[-1].code in (1, 9), [(ran.code, ran.err, ran.points[-1:]) for ran in done]
    world.check()


def test_without_any_fault(zips_of: Callable[..., Zips]) -> None:
    world = zips_of("calm")
    (ran,) = world.finish()
    assert ran.code == 1
    assert len(ran.points) <= WRITES
    world.check()
    assert posts(world) == 4


@pytest.mark.parametrize("at", [*FIRST, *LAST, *range(FIRST.stop, WRITES, STRIDE)])
def test_killed_at_a_write(zips_of: Callable[..., Zips], at: Kill) -> None:
    kill(zips_of(f"write {at}"), at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_every_write(zips_of: Callable[..., Zips], at: int) -> None:
    kill(zips_of(f"every write {at}", SOME), at)


@pytest.mark.parametrize("seed", range(2))
def test_over_a_bad_line(zips_of: Callable[..., Zips], seed: int) -> None:
    kill(zips_of(f"line {seed}", SOME), 30, 30)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])
def test_ended_between_a_post_and_its_answer(zips_of: Callable[..., Zips], number: int) -> None:
    """The POST has left, and arrives when nobody waits for its answer any more."""
    world = zips_of("gate")
    gate = world.served.proxy.plan.wait = Gate("POST", "offer-integration-packages")
    with world.start(*SUBMIT, "--answer-timeout", "60") as process:
        gate.wait()
        process.send_signal(number)
        if number == signal.SIGKILL:
            process.wait(DEADLINE)
        gate.open()
        process.communicate(timeout=DEADLINE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    assert world.go_on()[-1].code == 1
    world.check()


@pytest.mark.parametrize("at", [20, 40])
def test_a_purge_is_sent_once(
    tmp_path: Path, served: Served, runner: subprocess.Popen[str], at: int
) -> None:
    folder = tmp_path / "purge"
    world = Zips(folder, served, runner, seller=str(folder), size=12)
    world.meet(f"purge {at}", Plan())
    world.run(*SUBMIT, "--purge-and-replace", "--yes", "--expect-removals", "0", kill=at)
    for _ in range(6):
        if world.run("resume").code in (1, 9):
            break
    assert posts(world) <= 1
    applied = {one.reference for one in served.applied(world.seller)}
    if posts(world):
        assert len(applied) == 11
        told = {told for one in world.answers().values() for told in one}
        assert told <= {"Integrated", "Rejected", "Invalid", "Unknown"}
