"""The allowance of a budget: who waits, how long, and in which order."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from feedtool.model.call import Budget, NotSent, NotYet, Reply
from feedtool.model.errors import Stopped
from feedtool.runs.allowance import FairLock, SharedAllowance, shared_allowance

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BUDGET = Budget("operator-eu", 4, 2)


class World:
    """Sessions that share a budget, and a clock that sleeping moves on."""

    def __init__(self, folder: Path) -> None:
        self.place, self.at, self.slept = folder / "ledger.db", START, list[float]()
        self.stack = ExitStack()
        self.stopped: Stopped | None = None

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 2))
        self.at += timedelta(seconds=seconds)

    def session(self, budget: Budget = BUDGET) -> SharedAllowance:
        around = (self.sleep, lambda: self.stopped, lambda: self.at)
        return self.stack.enter_context(shared_allowance(self.place, budget, *around))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    with made.stack:
        yield made


def test_calls_wait_until_they_are_allowed(world: World) -> None:
    one, other = world.session(), world.session()
    for session in (one, other, one, other, one):
        session.take()
    assert world.slept == [0.25, 0.25, 0.25]
    world.session(Budget("another", 4)).take()
    assert len(world.slept) == 3


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        # Then they go one after the other.
        (429, {"retry-after": "5"}, [5, 0.25]),
        (429, {}, [1, 0.25]),
        (429, {"retry-after": "Mon, 02 Mar 2026 09:00:07 GMT"}, [7, 0.25]),
        (429, {"retry-after": "0"}, [0.25]),
        # Two at once, as ever.
        (200, {"retry-after": "5"}, []),
        (503, {"retry-after": "5"}, []),
    ],
)
def test_a_429_makes_all_wait(
    world: World, status: int, headers: dict[str, str], waits: list[float]
) -> None:
    one, other = world.session(), world.session()
    one.note_reply(Reply(status, headers))
    other.take()
    one.take()
    assert world.slept == waits


@pytest.mark.parametrize(("asked", "waits"), [("60", 60), ("86400", 600)])
def test_a_long_wait_is_raised(world: World, asked: str, waits: float) -> None:
    one, other = world.session(), world.session()
    one.note_reply(Reply(429, {"retry-after": asked}))
    with pytest.raises(NotYet, match="“operator-eu” is used up until 09:") as raised:
        other.take()
    assert raised.value.wait == pytest.approx(waits, abs=0.01)
    assert world.slept == []
    world.sleep(raised.value.wait)
    other.take()


def test_a_stopped_session_does_not_wait(world: World) -> None:
    one = world.session()
    one.take()
    one.take()
    world.stopped = Stopped("stopped by Ctrl-C")
    with pytest.raises(NotSent, match="stopped by Ctrl-C"):
        one.take()
    assert world.slept == []


def test_connections_are_closed_with_the_last_session(world: World) -> None:
    around = (BUDGET, world.sleep, lambda: None, lambda: world.at)
    with shared_allowance(world.place, *around) as one:
        with shared_allowance(world.place, *around) as other:
            assert other.budgets is one.budgets
        one.take()
    with shared_allowance(world.place, *around) as later:
        assert later.budgets is not one.budgets


class Line(deque[threading.Event]):
    """Says when somebody has joined it."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = threading.Semaphore(0)

    def append(self, own: threading.Event) -> None:
        super().append(own)
        self.joined.release()


def test_threads_go_in_the_order_of_their_arrival() -> None:
    turn, line, through = FairLock(), Line(), list[int]()
    turn._line = line  # noqa: SLF001  # nothing else tells that a thread waits

    def go(number: int) -> None:
        with turn.hold():
            through.append(number)

    threads = [threading.Thread(target=go, args=(number,)) for number in range(5)]
    with turn.hold():
        line.joined.acquire()
        for thread in threads:
            thread.start()
            assert line.joined.acquire(timeout=60)
        assert through == []
    for thread in threads:
        thread.join(60)
    assert through == [0, 1, 2, 3, 4]
