"""Passes that several workers share, on a PostgreSQL: handed out, taken over, called."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from feedtool.cli.console import StopSignal
from feedtool.ledger import Ledger
from feedtool.ledger.lock import Holder
from feedtool.ledger.parcels import DueSeller
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.worker import engine, queue
from feedtool.worker.engine import EngineSettings, PassEngine
from feedtool.worker.queue import (
    Presence,
    Recovery,
    connect_arguments,
    procrastinate,
    session_of,
)
from tests.ledger.cluster import PATIENCE
from tests.ledger.conftest import Process, Server
from tests.worker.fleet import SOON, WORKER, Fleet, Work, key
from tests.worker.pooler import pooling


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers of this process look more often after each other and at the end."""
    monkeypatch.setattr(engine, "LOOK", 0.02)
    monkeypatch.setattr(queue, "LOOK", 0.02)


def test_passes_go_side_by_side_each_once(fleet: Fleet) -> None:
    meeting = threading.Barrier(6)

    def do(_: str) -> bool:
        meeting.wait(PATIENCE)
        return False

    work = Work(do)
    for number in range(12):
        fleet.queue.put(key(f"S{number}"))
    with fleet.working(work, 3), fleet.working(work, 3):
        assert sorted(work.next() for _ in range(12)) == sorted(f"S{n}" for n in range(12))
    assert work.begun.empty()
    assert fleet.queue.listed() == []


def test_passes_of_a_higher_priority_go_first(fleet: Fleet) -> None:
    fleet.queue.put(key("first"))
    fleet.queue.put(key("second"))
    fleet.queue.put(key("urgent"), priority=1)
    fleet.queue.put(key("late"), datetime.now(UTC) + timedelta(hours=1), priority=2)
    work = Work()
    with fleet.working(work):
        assert [work.next() for _ in range(3)] == ["urgent", "first", "second"]
    assert [entry.key for entry in fleet.queue.listed()] == [key("late")]


def test_a_sellers_passes_go_one_after_the_other_behind_the_others(fleet: Fleet) -> None:
    left = ["again", "again"]

    def do(seller: str) -> bool:
        if seller == "big" and left:
            left.pop()
            fleet.queue.put(key("big"))
            return True
        return False

    fleet.queue.put(key("big"))
    fleet.queue.put(key("small"))
    work = Work(do)
    with fleet.working(work):
        assert [work.next() for _ in range(4)] == ["big", "small", "big", "big"]


@pytest.mark.usefixtures("often")
def test_a_seller_queued_during_its_pass_follows_soon(fleet: Fleet) -> None:
    running = []

    def do(seller: str) -> bool:
        running.append(seller)
        assert len(running) == 1
        if not first.is_set():
            first.set()
            fleet.queue.put(key("S1"))  # by somebody who does not know that it is under way
        running.remove(seller)
        return False

    first = threading.Event()
    work = Work(do)
    fleet.queue.put(key("S1"))
    with fleet.working(work, 2), fleet.working(work, 2):
        assert [work.next(), work.next(PATIENCE)] == ["S1", "S1"]


@pytest.mark.usefixtures("often")
def test_a_pass_comes_when_it_is_due(fleet: Fleet) -> None:
    work, due = Work(), datetime.now(UTC) + timedelta(seconds=0.3)
    fleet.queue.put(key("S1"), due)
    with fleet.working(work):
        assert work.next() == "S1"
        assert datetime.now(UTC) >= due


@pytest.mark.usefixtures("often")
def test_a_worker_that_is_killed_while_it_waits_for_its_turn_is_missed(fleet: Fleet) -> None:
    looking, going_on = Work(lambda _: not going_on.wait(PATIENCE)), threading.Event()
    with fleet.working(looking):
        fleet.queue.put(key("S1"))
        assert looking.next() == "S1"
        with Process(WORKER, fleet.url, "1h", "50ms") as other:  # longer than anybody waits here
            assert other.heard() == "ready"
            fleet.queue.put(key("S2"))
            assert other.heard() == "S2"
            other.kill()
            going_on.set()
            assert looking.next() == "S2"


def test_another_worker_replaces_the_dead_caretaker(fleet: Fleet) -> None:
    with Process(WORKER, fleet.url) as first:
        assert first.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert first.heard() == "S1"
        with Process(WORKER, fleet.url) as second:
            assert second.heard() == "ready"
            fleet.queue.put(key("S2"))
            assert second.heard() == "S2"
            work = Work()
            with fleet.working(work):
                first.kill()
                second.kill()
                assert sorted([work.next(SOON), work.next(SOON)]) == ["S1", "S2"]


@pytest.mark.usefixtures("often")
def test_a_stopped_worker_keeps_its_passes(fleet: Fleet) -> None:
    work = Work()
    work.ours = [key("S2")]
    with fleet.working(work), Process(WORKER, fleet.url) as other:
        assert other.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert other.heard() == "S1"
        os.kill(other.pid, signal.SIGSTOP)
        # Whoever looks after the others calls for it, and would have given out S1 as well.
        fleet.queue.put(key("S2"), datetime.now(UTC) + timedelta(seconds=0.2))
        assert work.next() == "S2"
        assert [(entry.key, entry.is_running) for entry in fleet.queue.listed()][:1] == [
            (key("S1"), True)
        ]
        os.kill(other.pid, signal.SIGCONT)


def test_sigterm_lets_passes_end_and_begins_no_more(fleet: Fleet) -> None:
    with Process(WORKER, fleet.url) as other:
        assert other.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert other.heard() == "S1"
        os.kill(other.pid, signal.SIGTERM)
        fleet.queue.put(key("S2"))
        other.tell()
        assert other.heard() == "parked"
    assert [entry.key for entry in fleet.queue.listed()] == [key("S2")]


@pytest.mark.usefixtures("often")
def test_a_server_that_comes_back_is_gone_on_with(
    fleet: Fleet, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PATIENCE", 0.1)
    monkeypatch.setattr(engine, "LONGEST_PAUSE", 0.05)
    work = Work()
    with fleet.working(work, 2):
        fleet.queue.put(key("S1"))
        assert work.next() == "S1"
        server.allow(fleet.url, connections=False)
        server.end_connections(fleet.url)
        trouble = work.troubles.get(timeout=PATIENCE)
        assert isinstance(trouble, Interrupted)
        assert "cannot be used" in trouble.message
        server.allow(fleet.url, connections=True)
        fleet.queue.put(key("S2"))
        assert work.next() == "S2"


def test_a_lost_queue_is_rebuilt_from_due_sellers(fleet: Fleet) -> None:
    work = Work()
    work.due_ones = [DueSeller(*key("S1"), "shop", 3), DueSeller(*key("S2"), "shop", 0)]
    fleet.queue.put(key("S2"), datetime.now(UTC) + timedelta(hours=1))
    with fleet.working(work):
        assert work.next() == "S1"
    assert [entry.key for entry in fleet.queue.listed()] == [key("S2")]


def test_once_ends_without_due_passes(fleet: Fleet) -> None:
    left = ["again", "again"]

    def do(seller: str) -> bool:
        if left:
            left.pop()
            fleet.queue.put(key(seller))
        return bool(left)

    work = Work(do)
    fleet.queue.put(key("late"), datetime.now(UTC) + timedelta(hours=1))
    work.due_ones = [DueSeller(*key("S1"), "shop", 0)]
    stop = StopSignal()

    def due() -> Sequence[DueSeller]:
        found, work.due_ones = work.due_ones, []
        return found

    work.due = due  # type: ignore[method-assign]
    fleet.engine(work, stop, is_once=True).run()
    assert work.begun.qsize() == 3


@pytest.mark.usefixtures("often")
def test_drained_ends_when_all_is_done(fleet: Fleet) -> None:
    def do(_: str) -> bool:
        work.is_left = False
        return False

    work = Work(do)
    fleet.queue.put(key("S1"), datetime.now(UTC) + timedelta(seconds=0.2))
    fleet.engine(work, StopSignal(), is_drained=True).run()
    assert work.begun.qsize() == 1


def test_a_worker_of_some_sellers_leaves_the_others(fleet: Fleet) -> None:
    work = Work()
    work.ours = [key("S2"), key("S3")]
    for number in range(4):
        fleet.queue.put(key(f"S{number}"))
    with fleet.working(work):
        assert [work.next(), work.next()] == ["S2", "S3"]
        fleet.queue.put(key("S3"))
        assert work.next(SOON) == "S3"
    assert [entry.key[1] for entry in fleet.queue.listed()] == ["S0", "S1"]


def test_a_hanging_caretaker_loses_its_turn(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "TURN", "100ms")
    monkeypatch.setattr(queue, "STUCK", "10ms")
    with Process(WORKER, fleet.url) as other:
        assert other.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert other.heard() == "S1"
        os.kill(other.pid, signal.SIGSTOP)
        work = Work()
        work.due_ones = [DueSeller(*key("S2"), "shop", 0)]
        with fleet.working(work):
            assert work.next() == "S2"  # queued by whoever looks after the others
        os.kill(other.pid, signal.SIGCONT)


@pytest.mark.usefixtures("often")
def test_a_worker_ends_even_if_it_misses_that_it_is_to_end(fleet: Fleet) -> None:
    """As where Python or the driver loses the cancellation of a query that is just answered."""
    me = Holder.here("worker", datetime.now(UTC))

    async def begin_and_end() -> None:
        begun = asyncio.Event()

        async def miss() -> None:
            if not begun.is_set():
                begun.set()
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(PATIENCE)

        presence = Presence(
            connect_arguments(fleet.ledger.engine),
            session_of(fleet.queue.schema),
            me,
            Recovery(lambda _: miss(), miss),
            lambda _: None,
        )
        await presence.begin(1)
        await begun.wait()
        _, pending = await asyncio.wait([asyncio.create_task(presence.end())], timeout=10)
        assert not pending

    asyncio.run(begin_and_end())


@pytest.mark.usefixtures("often")
def test_a_lost_pass_is_queued_even_if_its_old_entry_cannot_be_removed(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the worker that looks after the others dies, too, before it has removed it."""

    failed = threading.Event()

    async def fail(*_: object, **__: object) -> None:
        failed.set()
        raise psycopg.OperationalError

    with Process(WORKER, fleet.url) as dead:
        assert dead.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert dead.heard() == "S1"
        dead.kill()
    monkeypatch.setattr(procrastinate().manager.JobManager, "finish_job_by_id_async", fail)
    with fleet.working(Work()):
        assert failed.wait(PATIENCE)
    assert [entry.is_running for entry in fleet.queue.listed()] == [True, False]


def test_a_pooler_that_shares_connections_is_refused(fleet: Fleet) -> None:
    me = Holder.here("worker", datetime.now(UTC))
    settings = EngineSettings(fleet.queue.schema, me, 1)
    refused = pytest.raises(UsageProblem, match="through a pooler")
    with pooling(fleet.url) as url, Ledger(url) as pooled, refused:
        PassEngine(pooled.engine, settings, Work(), StopSignal()).run()


@pytest.mark.long
def test_ten_that_idle_ask_less_than_five_times_a_second(fleet: Fleet) -> None:
    with ExitStack() as stack, psycopg.connect(fleet.url, autocommit=True) as looking:
        for _ in range(10):
            stack.enter_context(fleet.working(Work(), 8))

        def transactions() -> int:
            found = looking.execute(
                "SELECT xact_commit + xact_rollback FROM pg_stat_database"
                " WHERE datname = current_database()"
            ).fetchone()
            return int(found[0]) if found else 0

        time.sleep(30)
        before = transactions()
        time.sleep(60)
        assert (transactions() - before) / 60 < 5
