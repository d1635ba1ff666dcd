"""Passes over the parcels of sellers: what is sent, once, and what comes next."""

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from httpx import Request, Response

from feedtool.ledger.database import open_engine
from feedtool.ledger.lock import hold
from feedtool.ledger.parcels import ParcelState
from feedtool.model.errors import Exit, Interrupted, Stopped
from feedtool.runs.deliver import resume
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.watch.processor import FileProcessor
from feedtool.worker import passes
from feedtool.worker.inbox import Intake, IntakeOptions
from feedtool.worker.passes import ServerClock, Slice
from tests.conftest import offer
from tests.ledger.conftest import MOSTLY_SQLITE, Server
from tests.pairs import sample
from tests.watch.conftest import ADDRESS, NOON, RunsOut
from tests.worker.conftest import ParcelWorld, Queued

SOON = NOON + timedelta(hours=1)
SECOND = timedelta(seconds=1)


@MOSTLY_SQLITE
def test_a_parcel_is_sent_and_answered(shared: ParcelWorld) -> None:
    world = shared
    world.bring("a.csv", offer(1), offer(2, quantity="-1"))
    assert world.work() is False
    assert world.sent() == ["SKU-1"]
    parcel = world.parcel()
    assert (parcel.state, parcel.exit_code, parcel.run_id) == (ParcelState.ANSWERED, 1, 1)
    assert parcel.told_at == NOON
    assert world.out == {"shop": ["a.failed.xlsx", "a.result.csv", "a.summary.json"]}
    assert world.files_of("one") == []
    assert world.queued == []
    assert world.told == [("answered", "shop/a.csv: 2 rows: 1 Invalid, 1 Integrated → run 1")]


def test_parcels_of_a_seller_go_by_priority_then_arrival(world: ParcelWorld) -> None:
    world.sellers = {"shop": "seller", "mall": "seller"}
    world.bring("a.csv", offer(1))
    world.bring("b.csv", offer(2), profile="mall")
    world.bring("c.csv", offer(3), options=IntakeOptions(priority=1))
    world.bring("d.csv", offer(4), options=IntakeOptions(not_before=SOON, priority=9))
    world.bring("e.csv", offer(5), profile="other")
    assert world.work() is False
    assert world.sent() == ["SKU-3", "SKU-1", "SKU-2"]
    assert world.queued == [Queued("seller", SOON, 9)]


@pytest.mark.parametrize(
    ("size", "sent", "queued"),
    [
        (Slice(files=1), 1, [Queued("shop")]),
        pytest.param(Slice(files=2), 2, [], marks=pytest.mark.long),
        (Slice(seconds=0.5), 1, [Queued("shop")]),
        pytest.param(Slice(seconds=1.5), 2, [], marks=pytest.mark.long),
    ],
)
def test_a_pass_takes_a_slice_and_queues_the_next(
    world: ParcelWorld,
    monkeypatch: pytest.MonkeyPatch,
    size: Slice,
    sent: int,
    queued: list[Queued],
) -> None:
    take = FileProcessor.take

    def meanwhile(self: FileProcessor, *given: Any) -> Exit | None:
        world.time += 1  # each file takes a second
        return take(self, *given)

    monkeypatch.setattr(FileProcessor, "take", meanwhile)
    world.bring_each("a.csv", "b.csv")
    assert world.work(size=size) is bool(queued)
    assert len(world.sent()) == sent
    assert world.queued == queued


@MOSTLY_SQLITE
def test_a_run_that_was_cut_short_goes_on_at_another_machine(shared: ParcelWorld) -> None:
    world = shared
    world.bring_each("a.csv", "b.csv")
    world.token = RunsOut("sandbox")
    assert world.work() is False
    (again,) = world.queued
    assert again.at == NOON + timedelta(seconds=1)
    assert world.parcel(1).begun_at == NOON
    assert world.parcel(1).run_id is None
    world.token = StaticToken("sandbox")
    world.today += timedelta(seconds=1)
    assert world.work(machine="two", tries=again.tries) is False
    assert world.sent() == ["SKU-1", "SKU-2"]
    assert [parcel.run_id for parcel in world.parcels()] == [1, 2]
    assert world.out["shop"] == [f"{name}.{end}" for name in "ab" for end in ENDS]
    assert world.files_of("two") == []


ENDS = ("result.csv", "summary.json")


def test_a_run_of_a_worker_that_a_resume_finishes_is_answered(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    world.token = RunsOut("sandbox")
    world.work()
    world.token = StaticToken("sandbox")
    with world.session("shop") as account:
        resume(1, account.session, account.workspace)
    assert world.sent() == ["SKU-1"]
    assert world.parcel().run_id is None
    world.today += SECOND
    world.work(machine="two")
    assert world.sent() == ["SKU-1"]
    assert (world.parcel().run_id, world.parcel().exit_code) == (1, 0)
    assert world.out["shop"] == [f"a.{end}" for end in ENDS]


KILLS = (("_claim", "_submit", "_settle", "_conclude"), ("one", "two"), ("sqlite", "postgresql"))
# Machine `two` goes on after the send and after the later steps in `test_answers`.
USUAL = [
    ("_claim", "two", "sqlite"),
    ("_submit", "one", "postgresql"),
    ("_settle", "one", "sqlite"),
    ("_conclude", "one", "sqlite"),
]


@pytest.mark.parametrize(
    ("where", "machine", "place"),
    sample([*USUAL, *sorted({*product(*KILLS)} - {*USUAL})], len(USUAL)),
    indirect=["place"],
)
def test_a_file_is_sent_and_answered_once_after_a_kill(
    shared: ParcelWorld, monkeypatch: pytest.MonkeyPatch, where: str, machine: str
) -> None:
    world = shared
    world.bring("a.csv", offer(1))
    with monkeypatch.context() as killed:
        from feedtool.worker.parcel_work import ParcelProcessor

        before = getattr(ParcelProcessor, where)

        def die(self: ParcelProcessor, *given: Any) -> None:
            before(self, *given)
            raise KeyboardInterrupt

        killed.setattr(ParcelProcessor, where, die)
        with pytest.raises(KeyboardInterrupt):
            world.work()
    world.work(machine=machine)
    assert world.sent() == ["SKU-1"]
    assert world.parcel().run_id == 1
    assert world.parcel().told_at == NOON
    assert world.out == {"shop": ["a.result.csv", "a.summary.json"]}
    with world.ledger() as ledger:
        assert ledger.claims.under_way("workers") == []
        assert len(ledger.run_ids()) == 1


def test_the_next_pass_delivers_answers_that_could_not_go_out(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1), offer(2, quantity="-1"))
    world.out_trouble = Interrupted("the bucket is away")
    world.work()
    assert (world.parcel().state, world.parcel().told_at) == (ParcelState.ANSWERED, None)
    assert world.told[-1] == ("error", "profile shop: the bucket is away")
    world.out_trouble = None
    with world.ledger() as ledger:
        assert [due.seller for due in ledger.parcels.sellers_due(NOON)] == ["shop"]
    world.work(machine="two")  # which has none of the answers
    assert world.out == {"shop": ["a.failed.xlsx", "a.result.csv", "a.summary.json"]}
    assert world.parcel().told_at == NOON
    assert world.sent() == ["SKU-1"]
    world.work()
    assert len(world.out["shop"]) == 3


@pytest.mark.parametrize("machine", ["one", "two"])
def test_the_reason_of_a_file_that_is_not_sent_goes_out(world: ParcelWorld, machine: str) -> None:
    world.bring("a.csv", {"x": "1"})
    world.out_trouble = Interrupted("the bucket is away")
    world.work()
    parcel = world.parcel()
    assert (parcel.exit_code, parcel.run_id) == (3, None)
    assert parcel.message
    assert "a.csv" in parcel.message
    world.out_trouble = None
    world.work(machine=machine)
    assert world.out == {"shop": ["a.csv.reason.txt"]}
    assert world.sent() == []


def test_a_content_lost_by_the_store_is_reported(world: ParcelWorld) -> None:
    parcel = world.bring("a.csv", offer(1)).parcel
    world.bring("b.csv", offer(2))
    (world.root / world.snapshots / parcel.sha256).unlink()
    world.work()
    assert world.sent() == ["SKU-2"]
    assert world.parcel(1).exit_code == 3
    assert "cannot be read" in str(world.parcel(1).message)
    assert world.out["shop"] == ["a.csv.reason.txt", "b.result.csv", "b.summary.json"]


def test_a_locked_seller_is_tried_again_later_and_later(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    with world.ledger() as ledger, hold(ledger.engine, "shop", ADDRESS, command="t", now=NOON):
        for tries, rest in {0: 0.5, 1: 1, 2: 2, 4: 8, 5: 10, 99: 10}.items():
            assert world.work(tries=tries) is False
            again = Queued("shop", NOON + timedelta(seconds=rest), 0, tries + 1)
            assert world.queued.pop() == again
    assert world.queued == []
    assert world.sent() == []
    with world.ledger() as ledger:
        assert ledger.sellers.pass_pause(world.key()) == (0, None)
    assert world.work() is False
    assert world.sent() == ["SKU-1"]


def test_a_seller_in_trouble_rests_longer_and_longer(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    world.closed = {"shop"}
    rests = []
    for _ in range(11):
        world.queued = []
        world.work()
        (queued,) = world.queued
        assert queued.at
        rests.append((queued.at - world.today).total_seconds())
        world.today = queued.at
    assert rests == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert set(world.told) == {("error", "profile shop: there is no token")}
    world.closed = set()
    world.work()
    assert world.sent() == ["SKU-1"]
    with world.ledger() as ledger:
        assert ledger.sellers.pass_pause(world.key()) == (0, None)


def test_a_seller_that_rests_is_left_alone_until_then(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    world.closed = {"shop"}
    world.work()
    world.closed, world.queued = set(), []
    assert world.work() is False
    assert world.sent() == []
    assert world.queued == [Queued("shop", NOON + timedelta(seconds=1), 0, 1)]


@pytest.mark.parametrize(
    ("ahead", "place"),
    sample([(timedelta(minutes=6), "sqlite"), (timedelta(days=400), "postgresql")], 1),
    indirect=["place"],
)
def test_a_rest_by_a_clock_that_is_ahead_is_no_longer_than_any(
    shared: ParcelWorld, ahead: timedelta
) -> None:
    world, longest = shared, timedelta(seconds=300)
    world.bring("a.csv", offer(1))
    world.closed, world.today = {"shop"}, NOON + ahead
    world.work()
    world.closed, world.queued, world.today = set(), [], NOON
    with world.workspace() as workspace:
        Intake(workspace, world, world.key(), "shop", None).queue_pass(IntakeOptions(), NOON)
    world.work()
    assert world.queued == [Queued("shop", NOON + longest), Queued("shop", NOON + longest, 0, 1)]
    world.today += longest
    world.work()
    assert world.sent() == ["SKU-1"]


def test_a_profile_in_trouble_stops_no_other_of_its_seller(world: ParcelWorld) -> None:
    world.sellers = {"shop": "seller", "mall": "seller"}
    world.closed = {"shop"}
    world.bring("a.csv", offer(1))
    world.bring("b.csv", offer(2), profile="mall")
    assert world.work() is True
    assert world.sent() == ["SKU-2"]
    assert world.queued == [Queued("seller")]


def test_a_pass_that_is_stopped_is_at_once_anothers(world: ParcelWorld) -> None:
    world.bring_each("a.csv", "b.csv")
    world.stopped = Stopped("stopped by Ctrl-C")
    assert world.work() is True
    assert world.queued == [Queued("shop")]
    assert world.sent() == []
    with world.ledger() as ledger:
        assert ledger.sellers.pass_pause(world.key()) == (0, None)


def test_files_dropped_or_held_meanwhile_are_not_sent(
    world: ParcelWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.bring_each("a.csv", "b.csv", "c.csv", "d.csv")
    take = FileProcessor.take

    def meanwhile(self: FileProcessor, *given: Any) -> Exit | None:
        with world.ledger() as ledger:
            ledger.parcels.drop(2)
            ledger.parcels.hold(3)
        return take(self, *given)

    monkeypatch.setattr(FileProcessor, "take", meanwhile)
    assert world.work() is False
    assert world.sent() == ["SKU-1", "SKU-4"]


def test_a_profile_of_another_account_sends_no_files(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    key, world.sellers = world.key(), {"shop": "another"}
    with world.passes() as passes:
        passes.do(key, 0)
    assert world.sent() == []
    assert "another account" in world.told[-1][1]
    assert world.parcel().begun_at is None


def test_an_empty_pass_opens_no_account(world: ParcelWorld) -> None:
    world.closed = {"shop"}
    assert world.work() is False
    assert (world.told, world.queued) == ([], [])


def test_a_bug_of_one_seller_stops_no_other(
    world: ParcelWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.bring("a.csv", offer(1))
    world.bring("a.csv", offer(2), profile="mall")
    with world.passes() as passes:
        with monkeypatch.context() as broken:
            broken.setattr(passes, "_work", None)
            assert passes.do(world.key(), 0) is False
        assert [error.exit for _, error in passes.troubles] == [Exit.BUG]
        assert passes.do(world.key("mall"), 0) is False
        assert len(passes.troubles) == 1
        assert passes.do(world.key(), 0) is False
        assert passes.troubles == []
    assert world.sent() == ["SKU-2", "SKU-1"]


def test_passes_are_done_without_sellers_at_hand(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    with world.passes() as passes:
        assert not passes.is_done()
        passes.sellers = lambda: [world.key("mall")]
        assert passes.is_done()
        passes.sellers = lambda: None
        passes.do(world.key(), 0)
        assert passes.is_done()
        assert passes.codes == {Exit.OK}


def test_a_trouble_solved_by_another_worker_ends(world: ParcelWorld) -> None:
    world.bring("a.csv", offer(1))
    with world.passes() as passes, world.passes("two") as others:
        world.closed = {"shop"}
        passes.do(world.key(), 0)
        assert [error.message for _, error in passes.troubles] == ["there is no token"]
        world.closed = set()
        world.today += timedelta(seconds=1)
        others.do(world.key(), 1)
        assert passes.troubles == []
    assert world.sent() == ["SKU-1"]


def test_an_absent_ledger_is_no_trouble_once_it_is_back(
    world: ParcelWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.bring("a.csv", offer(1))
    away = Interrupted("the ledger is away")
    with world.passes() as passes:
        with monkeypatch.context() as cut:
            cut.setattr(passes, "_work", Mock(side_effect=away))
            assert passes.do(world.key(), 0) is False
        assert passes.troubles == [(None, away)]
        passes.do(world.key("mall"), 0)
        assert passes.troubles == []


# The time.


def test_after_a_sleep_a_call_leaves_only_with_the_lock(
    tmp_path: Path, server: Server, postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine sleeps once a call is intended, and the server lets go of the lock meanwhile.

    Then another sleeps, and keeps its lock.
    """
    world, slept = ParcelWorld(tmp_path, place=postgresql), timedelta()
    calls: list[str] = []
    losses = [True]

    class Sleepy(StaticToken):
        def get(self) -> str:
            nonlocal slept
            if calls and losses:  # the first looks at what others have left
                slept += timedelta(minutes=1)
                if losses.pop():
                    server.end_connections(postgresql, "application_name LIKE 'feedtool % %'")
            return super().get()

    now, answer = SandboxTransport.now, SandboxTransport.handle_request

    def answer_noted(self: SandboxTransport, request: Request) -> Response:
        calls.append(request.method)
        return answer(self, request)

    monkeypatch.setattr(SandboxTransport, "now", lambda self: now(self) + slept)
    monkeypatch.setattr(SandboxTransport, "handle_request", answer_noted)
    world.bring("a.csv", offer(1))
    world.token = Sleepy("sandbox")
    world.work()
    assert slept == timedelta(minutes=1)
    assert "POST" not in calls
    assert "let go of the lock of seller shop" in world.told[-1][1]
    calls.clear()
    losses.append(False)
    world.today += SECOND
    world.work(machine="two")
    assert slept == timedelta(minutes=2)
    assert "POST" in calls
    assert world.sent() == ["SKU-1"]


def test_the_time_is_the_servers(server: Server, postgresql: str) -> None:
    """A clock is corrected meanwhile; no call is made while the server is away."""
    engine, seconds, leads = open_engine(postgresql), [0.0], [timedelta()]
    for ahead in (timedelta(minutes=5), timedelta(), timedelta(days=-400)):
        leads[0] = ahead
        clock = ServerClock(engine, lambda: datetime.now(UTC) + leads[0], lambda: seconds[0])
        assert abs(clock() - datetime.now(UTC)) < SECOND
        assert abs(clock.ahead - ahead) < SECOND
    leads[0] = timedelta(hours=1)
    clock = ServerClock(engine, lambda: datetime.now(UTC) + leads[0], lambda: seconds[0])
    leads[0] = timedelta()
    assert clock() < datetime.now(UTC) - timedelta(minutes=59)
    engine.dispose()
    server.allow(postgresql, connections=False)
    seconds[0] += passes.COMPARED_ANEW
    assert clock() < datetime.now(UTC) - timedelta(minutes=59)
    server.allow(postgresql, connections=True)
    assert clock() < datetime.now(UTC) - timedelta(minutes=59)
    seconds[0] += passes.COMPARED_ANEW
    assert abs(clock() - datetime.now(UTC)) < SECOND
    engine.dispose()
