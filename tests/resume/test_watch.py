"""Two watchers on one folder, several writers, and a SIGKILL: each good file is answered once."""

import csv as text
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.machines import chance
from tests.resume import writers
from tests.resume.proxy import Plan
from tests.resume.watching import Watched, one_machine, two_machines
from tests.resume.world import DEADLINE, Gate, Served

WRITERS = 4
PATIENCE = 3.0
"""Seconds for each file at most, beyond the usual ones."""


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    """A machine with SQLite; with the parameter `postgresql`, two machines that share a server."""
    machines = one_machine(tmp_path)
    if request.param == "postgresql":
        ledger, served = (request.getfixturevalue(name) for name in ("postgresql", "served"))
        served.proxy.plan = Plan()
        machines = two_machines(tmp_path, served, ledger)
    with machines as watched:
        yield watched


def statuses(path: Path) -> set[str]:
    """The statuses of an answer's rows."""
    if path.suffix == ".csv":
        rows = text.DictReader(path.read_text("utf-8-sig").splitlines())
        return {row["feedtool status"] for row in rows}
    head, *cells = load_workbook(path).worksheets[0].iter_rows(values_only=True)
    return {str(row[head.index("feedtool status")]) for row in cells}


@pytest.mark.parametrize(
    ("world", "count", "kills"),
    [
        ("sqlite", len(writers.USUAL), 1),
        pytest.param("sqlite", len(writers.WAYS), 2, marks=pytest.mark.long),
        pytest.param("postgresql", 4, 1, marks=pytest.mark.long),
        pytest.param("sqlite", 200, 8, marks=pytest.mark.long),
        pytest.param("postgresql", 64, 8, marks=pytest.mark.long),
    ],
    indirect=["world"],
)
def test_each_good_file_is_answered_once(
    request: pytest.FixtureRequest, world: Watched, count: int, kills: int
) -> None:
    random = chance(request.node.nodeid)
    ways = [writers.WAYS[number % len(writers.WAYS)] for number in range(count)]
    random.shuffle(ways)
    seconds = DEADLINE + count * PATIENCE
    with ThreadPoolExecutor(WRITERS) as threads:
        world.start()
        world.start()
        written = [threads.submit(way, world.inbox, n) for n, way in enumerate(ways, start=1)]
        for number in range(kills):
            least = len(ways) * number // (kills + 1) // 2
            world.wait_for(lambda least=least: len(world.summaries()) >= least, seconds)  # type: ignore[misc]
            world.wait_for(lambda: bool(world.names("processing")), seconds)
            time.sleep(random.random() / 10)
            world.kill(random.choice(world.processes))
            world.start()
        expected = [one.result(seconds) for one in written]
        good = sorted(one.good for one in expected if one.good)
        bad = {name: reason for one in expected for name, reason in one.bad.items()}
        world.wait_for(lambda: len(world.summaries()) >= len(good) and world.is_quiet(), seconds)
        world.end()
    assert world.summaries() == good
    assert world.names("done") == good
    assert world.names("processing") == []
    answers = set()
    for one in expected:
        if one.good:
            name, kind = one.good.split(".")
            answer = world.root / "results" / f"{name}.result.{kind}"
            assert statuses(answer) == {"Integrated", *(["Invalid"] if one.has_failed else [])}
            failed = [f"{name}.failed.xlsx"] if one.has_failed else []
            answers |= {answer.name, f"{name}.summary.json", *failed}
    assert set(world.names("results")) == answers
    refused = {name for name in world.names("error") if not name.endswith(".reason.txt")}
    assert refused == set(bad)
    for name, reason in bad.items():
        assert reason in (world.root / "error" / f"{name}.reason.txt").read_text("utf-8")
    assert sorted(world.applied()) == sorted(f"SKU-{name.split('.')[0]}" for name in good)
    assert world.claimed() == []


# The other tests kill one of two watchers, and go on at another machine.
@pytest.mark.long
@pytest.mark.parametrize("world", ["sqlite", "postgresql"], indirect=True)
def test_claims_of_a_dead_watcher_are_taken_over(world: Watched) -> None:
    first = world.start()
    world.wait_for((world.root / "processing").is_dir)
    for number in (1, 2):
        writers.renamed_in(world.inbox, number)
    world.wait_for(lambda: bool(world.names("processing")))
    second = world.start()
    world.kill(first)
    left = world.names("processing")
    world.wait_for(lambda: not set(left) & set(world.names("processing")))
    world.wait_for(world.is_quiet)
    assert second.poll() is None
    assert world.summaries() == [f"{number}.xlsx" for number in (1, 2)]
    assert sorted(world.applied()) == ["SKU-1", "SKU-2"]


# `test_signals` and `tests/cli/test_worker.py` send a real SIGTERM; a stopped watcher goes on in
# `tests/watch/test_watcher.py`, another machine on PostgreSQL in `tests/worker/test_passes.py`.
@pytest.mark.long
@pytest.mark.parametrize("world", ["postgresql"], indirect=True)
def test_sigterm_finishes_the_call_under_way_and_another_machine_goes_on(
    world: Watched, served: Served
) -> None:
    gate = served.proxy.plan.wait = Gate("POST", "offer-requests")
    first = world.start()
    for number in (1, 2):
        writers.marked(world.inbox, number)
    gate.wait()
    first.terminate()
    gate.open()
    assert first.wait(DEADLINE) == 0
    world.processes.remove(first)
    assert world.names("processing") == ["1.csv"]
    assert world.names("inbox") == ["2.csv", "2.csv.done"]
    assert world.claimed() == ["1.csv"]  # its run is begun, and is anybody's to go on with
    world.start()
    world.wait_for(lambda: len(world.summaries()) == 2 and world.is_quiet())
    assert world.summaries() == ["1.csv", "2.csv"]
    assert sorted(world.applied()) == ["SKU-1", "SKU-2"]
    assert world.claimed() == []
