"""Calls several at a time, and their pace."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.model.call import Reply
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import (
    BURST,
    LONGEST_PAUSE,
    RISE_AFTER,
    SPEEDS,
    CallResult,
    Pace,
    answered,
    back_off,
)

HEARD = Reply(204, {}, b"", "https://service.example/v2")
LONG = 60.0
"""Seconds that no test takes: who waits so long has hung."""


def call(state: str) -> Future[CallResult]:
    found: Future[CallResult] = Future()
    if state != "waiting":
        found.set_running_or_notify_cancel()
    if state == "answered":
        found.set_result(HEARD)
    return found


@pytest.mark.parametrize(
    ("states", "linger"),
    [
        (["answered"], LONG),
        (["answered", "under way"], LONG),
        (["answered", "answered", "under way"], LONG),
        (["answered", "under way", "waiting"], LONG),
        (["answered", "under way", "waiting", "waiting"], 0.0),
    ],
)
def test_no_lane_is_kept_idle_and_nothing_waited_for_long(states: list[str], linger: float) -> None:
    calls = [call(state) for state in states]
    assert answered(calls, linger) == [one for one in calls if one.done()]


def test_answers_are_taken_in_together_while_calls_wait_for_a_lane() -> None:
    let_go = Event()

    def last() -> CallResult:
        let_go.wait(LONG)
        return HEARD

    with ThreadPoolExecutor(1) as lane:
        calls: list[Future[CallResult]] = [lane.submit(lambda: HEARD) for _ in range(5)]
        calls.append(lane.submit(last))
        done = answered(calls, LONG)
        let_go.set()
    # At most one call waits, and one is under way.
    assert len(done) >= len(calls) - 2


# The pace.

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SLOWEST = 30.0


def driven(pace: Pace, kinds: list[AnswerKind], apart: timedelta = BURST) -> tuple[Pace, datetime]:
    """The pace after answers that come so far apart, and the time of the last one."""
    now = START
    for kind in kinds:
        now += apart
        pace = pace.after(kind, now)
    return pace, now


@pytest.mark.parametrize(
    ("pool", "refusals", "successes", "lanes", "pause"),
    [
        *((4, 0, 0, 4, None), (4, 1, 0, 2, None), (4, 2, 0, 1, None), (4, 3, 0, 1, 0.5)),
        *((4, 4, 0, 1, 1.0), (4, 5, 0, 1, 2.0), (4, 8, 0, 1, SLOWEST), (4, 50, 0, 1, SLOWEST)),
        *((7, 1, 0, 3, None), (7, 2, 0, 1, None), (1, 0, 0, 1, None), (1, 1, 0, 1, 0.5)),
        *((4, 1, RISE_AFTER - 1, 2, None), (4, 1, RISE_AFTER, 3, None)),
        *((4, 1, 2 * RISE_AFTER, 4, None), (4, 1, 9 * RISE_AFTER, 4, None)),
        *((4, 3, RISE_AFTER - 1, 1, 0.5), (4, 3, RISE_AFTER, 1, None)),
        *((4, 3, 2 * RISE_AFTER, 2, None), (4, 4, RISE_AFTER, 1, SLOWEST / 31)),
        (4, 8, RISE_AFTER, 1, SLOWEST / 2),
    ],
)
def test_each_429_halves_the_pace_and_so_many_successes_raise_it_by_a_step(
    pool: int, refusals: int, successes: int, lanes: int, pause: float | None
) -> None:
    pace, now = driven(Pace(pool), [AnswerKind.WAIT] * refusals + [AnswerKind.DONE] * successes)
    assert pace.lanes == lanes
    assert pace.next_at == (now + timedelta(seconds=pause) if pause else None)


def test_calls_that_flew_together_halve_it_once() -> None:
    pace, now = driven(Pace(8), [AnswerKind.WAIT] * 4, apart=BURST / 10)
    assert pace.lanes == 4
    assert pace.after(AnswerKind.WAIT, now + BURST).lanes == 2
    # However close they come, they do not put the next fall off.
    assert driven(Pace(8), [AnswerKind.WAIT] * 21, apart=BURST / 10)[0].lanes == 1


@given(
    st.integers(1, 64),
    st.lists(st.tuples(st.sampled_from(sorted(AnswerKind)), st.floats(0, 100)), max_size=200),
)
def test_it_stays_within_its_bounds_and_recovers(
    pool: int, answers: list[tuple[AnswerKind, float]]
) -> None:
    pace, now = Pace(pool), START
    for kind, seconds in answers:
        now += timedelta(seconds=seconds)
        before, pace = pace, pace.after(kind, now)
        assert 1 <= pace.lanes <= pool
        if kind is AnswerKind.WAIT:
            assert before.behind <= pace.behind
        else:
            # Other answers say nothing of quotas.
            lowest = before.behind - (kind is AnswerKind.DONE)
            assert lowest <= pace.behind <= before.behind
        if pace.pause:
            assert pace.lanes == 1
            assert timedelta() < pace.pause <= LONGEST_PAUSE
        assert pace.next_at == (now + pace.pause if pace.pause else None)
    for _ in range(RISE_AFTER * (pool + SPEEDS)):
        pace = pace.after(AnswerKind.DONE, now)
    assert (pace.lanes, pace.next_at) == (pool, None)


@pytest.mark.parametrize(("luck", "pauses"), [(1.0, [2, 4, 8, 60, 60]), (0.0, [0.5] * 5)])
def test_pauses_after_failures_grow_to_a_limit(luck: float, pauses: list[float]) -> None:
    assert [back_off(times, luck).total_seconds() for times in (1, 2, 3, 6, 10**6)] == pauses
