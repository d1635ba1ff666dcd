"""`worker` on the command line: until nothing is due, for some sellers, monitored, and stopped."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from subprocess import PIPE
from threading import Timer

import pytest

from feedtool.cli.console import Clock
from feedtool.ledger import Ledger
from feedtool.worker import engine
from tests.cli.conftest import Feedtool
from tests.cli.fleet import (
    answers,
    names_in,
    postgresql,
    server,
    service,
    shared,
    write_profiles,
)
from tests.clocks import quick_clock
from tests.conftest import Files, offer
from tests.forked import Child
from tests.ledger.cluster import PATIENCE
from tests.ledger.conftest import Server as Database
from tests.pairs import sample
from tests.resume.proxy import Proxy
from tests.resume.world import Gate

__all__ = ("answers", "postgresql", "server", "service", "shared")
"""The fixtures of databases and services."""


@pytest.fixture
def brought(feedtool: Feedtool, files: Files, answers: Path) -> Path:
    """The folder of the answers to a file of each profile, which wait; shop's has a mistake."""
    for profile, rows in {"shop": [offer(1), offer(9, quantity="x")], "mall": [offer(2)]}.items():
        path = files.csv(*rows, name=f"{profile}.csv")
        assert feedtool(f"enqueue --profile {profile}", path).code == 0
    return answers


OF_MALL = ["mall.result.csv", "mall.summary.json"]
OF_SHOP = ["shop.failed.xlsx", "shop.result.csv", "shop.summary.json"]
OF_BOTH = [*OF_MALL, *OF_SHOP]


@pytest.mark.long  # the tests below end with all that is due sent, too
@pytest.mark.parametrize("words", ["--drain", "--once", "--once --side-by-side 1"])
def test_all_that_is_due_is_sent(
    feedtool: Feedtool, brought: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(engine, "LOOK", 0.01)
    assert feedtool(f"worker {words}").code == 1
    assert names_in(brought) == OF_BOTH
    ran = feedtool(f"worker {words}")
    assert (ran.code, ran.out) == (9, "")


def wrong_clock(minutes: int) -> Clock:
    clock = quick_clock()
    return clock._replace(now=lambda: clock.now() + timedelta(minutes=minutes))


def test_workers_serve_only_some_sellers_and_go_by_the_databases_time(
    feedtool: Feedtool,
    brought: Path,
    postgresql: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Sellers are named by profile or by seller; a typed place is that of all profiles.

    The clocks of both machines are wrong.
    """
    ran = feedtool("worker --drain --sellers eu-*")
    assert ran.code == 2
    assert ran.error() == ("no profile and no seller matches “eu-*”", "profiles: shop, mall")

    def work(words: str, minutes: int, told: str) -> int:
        monkeypatch.setattr("tests.cli.conftest.quick_clock", partial(wrong_clock, minutes))
        ran = feedtool(f"worker --once {words}")
        assert ran.err.splitlines()[0] == (
            f"warning: the clock of this machine is {told}, by the database's: "
            "set both by a time server (NTP)"
        )
        return ran.code

    assert work("--sellers m*", 5, "300 s fast") == 0
    assert names_in(brought) == OF_MALL
    assert [one["profile"] for one in feedtool("queue --format json").json] == ["shop"]
    (typed := tmp_path / "typed").mkdir()
    assert work(f"--sellers 'shop of *' --results {typed}", -60, "3,600 s slow") == 1
    assert names_in(typed) == OF_SHOP
    assert names_in(brought) == OF_MALL
    assert feedtool("queue").out == ""
    with Ledger(postgresql) as ledger:
        parcels = [ledger.parcels.find(number) for number in (1, 2)]
    for parcel in parcels:
        assert parcel
        assert parcel.told_at
        assert abs(parcel.told_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_the_health_of_a_worker(feedtool: Feedtool, answers: Path) -> None:
    del answers
    ran = feedtool("worker --health")
    assert (ran.code, ran.error()[0]) == (
        2,
        f"there is no folder {Path('home/parcels').absolute()}",
    )
    assert feedtool("worker --once").code == 9
    ran = feedtool("worker --health")
    assert (ran.code, ran.out.partition(":")[0]) == (0, "done")
    assert ran.out.endswith("0 in work, 0 waiting\n")
    ran = feedtool("worker --health --health-within 0.001")
    assert (ran.code, ran.out.partition(" looks")[0]) == (5, "no worker")


@pytest.fixture
def proxy(service: str) -> Iterator[Proxy]:
    with closing(Proxy(service)) as proxy:
        yield proxy


def test_parked_files_go_on_at_another_worker(
    feedtool: Feedtool, files: Files, answers: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_profiles(proxy.base, answers, shop="parked")
    for number in (1, 2):
        files.csv(offer(number), name=f"{number}.csv")
    feedtool("enqueue 1.csv 2.csv --profile shop")
    gate = proxy.plan.wait = Gate("POST", "offer-requests")
    words = ["worker", "--home", "one"]
    with Child("feedtool.cli:run", words, folder=Path.cwd(), stderr=PIPE) as worker:
        try:
            gate.wait()
            assert json.loads(Path("one/parcels/health.json").read_text())["state"] == "working"
            worker.terminate()
            gate.open()
            _, said = worker.communicate(PATIENCE)
        finally:
            worker.kill()
    assert (worker.returncode, "Traceback" in said) == (0, False)
    ran = feedtool("worker --health --home one")
    assert (ran.code, "was stopped" in ran.out) == (5, True)
    first, second = feedtool("queue").out.splitlines()
    assert "1.csv: in work since " in first
    assert second.endswith("2.csv: waiting")
    monkeypatch.setenv("FEEDTOOL_HOME", str(Path("two").absolute()))
    assert feedtool("worker --once").code == 0
    assert names_in(answers) == [
        f"{number}.{end}" for number in (1, 2) for end in ("result.csv", "summary.json")
    ]
    posts = [line for line in proxy.plan.asked if line.startswith("POST")]
    assert sum(line.endswith("offer-requests") for line in posts) == 2


# A server that is away.


@pytest.fixture
def away(brought: Path, server: Database, postgresql: str) -> Iterator[None]:
    """The server gives no connection to the ledger."""
    del brought
    server.allow(postgresql, connections=False)
    yield
    server.allow(postgresql, connections=True)


@pytest.mark.usefixtures("away")
def test_a_server_that_is_away_is_waited_for(
    feedtool: Feedtool,
    answers: Path,
    server: Database,
    postgresql: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "LOOK", 0.01)
    ran = feedtool("worker --once")
    assert (ran.code, "cannot be opened" in ran.error()[0]) == (2, True)
    back = Timer(0.2, server.allow, [postgresql], {"connections": True})
    back.start()
    ran = feedtool("worker --drain")
    assert ran.code == 1
    assert ran.err.count("cannot be opened") == 1
    assert names_in(answers) == OF_BOTH
    assert feedtool("queue").out == ""


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize(("number", "code"), sample([(signal.SIGTERM, 0), (signal.SIGINT, 130)], 1))
def test_a_worker_waiting_for_a_server_reports_and_can_be_stopped(
    feedtool: Feedtool, number: signal.Signals, code: int
) -> None:
    Timer(0.2, os.kill, [os.getpid(), number]).start()
    assert feedtool("worker").code == code
    ran = feedtool("worker --health")
    assert (ran.code, "cannot be opened" in ran.out) == (2, True)


def test_a_mistake_in_the_url_is_not_waited_for(
    feedtool: Feedtool, answers: Path, postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del answers
    monkeypatch.setenv("FEEDTOOL_LEDGER", postgresql.replace("postgres@", "nobody@"))
    ran = feedtool("worker")
    assert (ran.code, "does not exist" in ran.error()[0]) == (2, True)
