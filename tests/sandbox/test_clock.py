from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.sandbox.clock import FastClock, LeapingClock
from feedtool.sandbox.state import State, latest_moment

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Real:
    """Real time, as far as these tests know."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    def elapsed(self) -> float:
        return self.passed


@pytest.fixture
def state() -> Iterator[State]:
    state = State(None, [])
    yield state
    state.close()


def see(state: State, seconds: float) -> None:
    """A request so many seconds after the start."""
    with state.transaction() as db:
        latest_moment(db, START + timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("speed", "passed", "expected"), [(100, 0, 0), (100, 1, 100), (1, 60, 60), (0.5, 60, 30)]
)
def test_a_fast_clock(state: State, speed: float, passed: float, expected: float) -> None:
    real = Real()
    clock = FastClock(state, speed, real.now, real.elapsed)
    real.passed = passed
    assert clock.now() == START + timedelta(seconds=expected)


@pytest.mark.parametrize(("seen", "begins"), [(-60, 0), (0, 0), (3600, 3600)])
def test_a_fast_clock_goes_on_where_the_state_has_been(
    state: State, seen: float, begins: float
) -> None:
    see(state, seen)
    assert FastClock(state, 100, Real().now).now() >= START + timedelta(seconds=begins)


def test_sleeping_moves_a_leaping_clock_at_once(state: State) -> None:
    real = Real()
    clock = LeapingClock(state, real.now)
    assert clock.now() == START
    clock.sleep(40.5)
    assert clock.now() == START + timedelta(seconds=40.5)
    real.passed = 2
    assert clock.now() == START + timedelta(seconds=42.5)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["real", "sleep", "see"]),
            st.floats(-100, 1000, allow_nan=False),
        )
    )
)
def test_a_leaping_clock_never_runs_backwards(events: list[tuple[str, float]]) -> None:
    real = Real()
    state = State(None, [])
    clock = LeapingClock(state, real.now)
    moments = [clock.now()]
    see_now(state, moments[0])
    for event, seconds in events:
        if event == "real":  # also when somebody sets the machine's clock back
            real.passed += seconds
        elif event == "sleep":
            before = clock.now()
            clock.sleep(max(0, seconds))
            assert abs((clock.now() - before).total_seconds() - max(0, seconds)) < 1e-5
        else:
            see(state, seconds)
        moments.append(clock.now())
        see_now(state, moments[-1])
    state.close()
    assert moments == sorted(moments)


def see_now(state: State, now: datetime) -> None:
    """Every time that a clock gives is that of a request."""
    with state.transaction() as db:
        latest_moment(db, now)
