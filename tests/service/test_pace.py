"""The pace of calls: learnt, and kept until the next run."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.service.answers import AnswerKind
from feedtool.service.pace import BURST, LONGEST_PAUSE, RISE_AFTER, SPEEDS, Pace, back_off

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
def test_the_pace_stays_within_its_bounds_and_recovers(
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


# Kept from one run to the next.


@pytest.mark.parametrize(
    ("behind", "hours", "expected"),
    [
        *((0, 0, 0), (1, 0, 1), (20, 0, 20), (20, 0.5, 14), (20, 1, 10), (20, 2, 5), (20, 5, 0)),
        *((1, 1, 0), (63, 10_000, 0), (20, -3, 20)),
    ],
)
def test_the_next_run_begins_where_the_last_one_ended(
    behind: int, hours: float, expected: int
) -> None:
    kept = Pace(4, behind, successes=3, fell_at=START).stored(START)
    successes = 3 if expected else 0
    assert Pace.restored(4, kept, START + timedelta(hours=hours)) == Pace(4, expected, successes)


@given(st.integers(1, 16), st.integers(1, 16), st.integers(0, 75))
def test_another_pool_has_the_same_lanes_and_pause(pool: int, other: int, behind: int) -> None:
    before = Pace(pool, min(behind, pool - 1 + SPEEDS))
    after = Pace.restored(other, before.stored(START), START)
    if before.behind == 0:
        assert after == Pace(other)
    else:
        assert (after.lanes, after.pause) == (min(before.lanes, other), before.pause)


@pytest.mark.parametrize(
    "kept",
    [None, "", "{", "7", "[]", '{"behind": 7}', '{"behind": 7, "at": "2026-03-02T09:00:00"}'],
)
def test_an_unreadable_pace_is_full_speed(kept: str | None) -> None:
    assert Pace.restored(4, kept, START) == Pace(4)
