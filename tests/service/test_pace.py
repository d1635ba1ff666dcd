from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.service.answers import AnswerKind
from feedtool.service.calls import BURST, LONGEST_PAUSE, RISE_AFTER, SPEEDS, Pace, back_off

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SLOWEST = 30.0


def driven(
    pace: Pace, kinds: Iterable[AnswerKind], apart: timedelta = BURST
) -> tuple[Pace, datetime]:
    """The pace after answers that come so far apart, and the time of the last one."""
    now = START
    for kind in kinds:
        now += apart
        pace = pace.after(kind, now)
    return pace, now


@pytest.mark.parametrize(
    ("pool", "refusals", "lanes", "pause"),
    [
        (4, 0, 4, None),
        (4, 1, 2, None),
        (4, 2, 1, None),
        (4, 3, 1, 0.5),
        (4, 4, 1, 1.0),
        (4, 5, 1, 2.0),
        (4, 8, 1, SLOWEST),
        (4, 50, 1, SLOWEST),
        (7, 1, 3, None),
        (7, 2, 1, None),
        (1, 0, 1, None),
        (1, 1, 1, 0.5),
    ],
)
def test_each_429_halves_the_pace(
    pool: int, refusals: int, lanes: int, pause: float | None
) -> None:
    pace, now = driven(Pace(pool), [AnswerKind.WAIT] * refusals)
    assert pace.lanes == lanes
    assert pace.next_at == (now + timedelta(seconds=pause) if pause else None)


@pytest.mark.parametrize(
    ("refusals", "successes", "lanes", "pause"),
    [
        (1, RISE_AFTER - 1, 2, None),
        (1, RISE_AFTER, 3, None),
        (1, 2 * RISE_AFTER, 4, None),
        (1, 9 * RISE_AFTER, 4, None),
        (3, RISE_AFTER - 1, 1, 0.5),
        (3, RISE_AFTER, 1, None),
        (3, 2 * RISE_AFTER, 2, None),
        (4, RISE_AFTER, 1, SLOWEST / 31),
        (8, RISE_AFTER, 1, SLOWEST / 2),
    ],
)
def test_so_many_successes_raise_it_by_a_step(
    refusals: int, successes: int, lanes: int, pause: float | None
) -> None:
    pace, now = driven(Pace(4), [AnswerKind.WAIT] * refusals + [AnswerKind.DONE] * successes)
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
