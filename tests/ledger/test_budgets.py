"""The calls that several sellers may make together: what is allowed, and when."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event

from feedtool.ledger.budgets import LEAST, Budgets
from feedtool.model.call import Budget
from tests.ledger.conftest import Process

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def budgets(place: Path | str) -> Iterator[Budgets]:
    """Budgets on SQLite, then on PostgreSQL, where the given time does not count."""
    opened = Budgets(place)
    yield opened
    opened.close()


Own = Callable[..., list[float]]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Own]:
    """The waits of a new budget at each of some seconds."""
    opened, names = Budgets(tmp_path_factory.mktemp("budgets") / "ledger.db"), iter(range(10**6))

    def take(
        per_second: float, burst: int, seconds: list[float], held: tuple[float, float] | None = None
    ) -> list[float]:
        budget, waits = Budget(str(next(names)), per_second, burst), []
        for second in seconds:
            now = START + timedelta(seconds=second)
            if held and held[0] == second:
                opened.hold(budget, held[1], now)
            waits.append(round(opened.take(budget, now), 2))
        return waits

    yield take
    opened.close()


@pytest.mark.parametrize(
    ("per_second", "burst", "seconds", "waits"),
    [
        # One after the other.
        (10, 1, [0, 0, 0.05, 0.1, 0.1, 0.2], [0, 0.1, 0.05, 0, 0.1, 0]),
        # What is refused takes nothing of it.
        (1, 1, [0, 0, 0, 0, 0.5, 1], [0, 1, 1, 1, 0.5, 0]),
        # So many at once, and then one after the other.
        (10, 3, [0, 0, 0, 0, 0.1, 0.1], [0, 0, 0, 0.1, 0, 0.1]),
        # However long it was quiet, no more of them.
        (10, 3, [0, 3600, 3600, 3600, 3600], [0, 0, 0, 0, 0.1]),
        # Half of the burst is there again after half of its time.
        (10, 4, [0, 0, 0, 0, 0.2, 0.2, 0.2], [0, 0, 0, 0, 0, 0, 0.1]),
        (0.5, 1, [0, 1, 2], [0, 1, 0]),
    ],
)
def test_the_waits_of_a_budget(
    own: Own,
    per_second: float,
    burst: int,
    seconds: list[float],
    waits: list[float],
) -> None:
    assert own(per_second, burst, seconds) == waits


@pytest.mark.parametrize(
    ("seconds", "held", "waits"),
    [
        ([0, 0, 5, 5], (0, 5), [5, 5, 0, 0.1]),
        # The longest counts, whoever is asked to wait in the meantime.
        ([0, 1, 5], (1, 2), [0, 2, 0]),
        ([0], (0, 0), [0]),
    ],
)
def test_held_calls_wait_and_then_go_one_by_one(
    own: Own,
    seconds: list[float],
    held: tuple[float, float],
    waits: list[float],
) -> None:
    assert own(10, 3, seconds, held) == waits


@given(
    per_second=st.sampled_from([0.5, 3.0, 20.0, 1000.0]),
    burst=st.integers(1, 20),
    steps=st.lists(st.floats(0, 0.3), min_size=2, max_size=60),
)
def test_no_second_has_more_calls_than_allowed(
    own: Own, per_second: float, burst: int, steps: list[float]
) -> None:
    at = [sum(steps[:n]) for n in range(len(steps))]
    allowed = [now for now, wait in zip(at, own(per_second, burst, at), strict=True) if not wait]
    for begin in allowed:
        within = sum(begin <= now < begin + 1 for now in allowed)
        assert within <= burst + per_second * (1 + LEAST)


def test_a_call_may_go_after_its_wait(own: Own) -> None:
    waits = own(7, 1, [0, 0, 1 / 7 + LEAST])
    assert waits == [0, pytest.approx(1 / 7, abs=0.01), 0]


def test_a_budget_works_on_both_databases(budgets: Budgets) -> None:
    one, other = Budget("one", 0.1, 2), Budget("other", 0.1, 1)
    assert [budgets.take(one, START) for _ in range(2)] == [0, 0]
    assert 9 < budgets.take(one, START) <= 10
    assert budgets.take(other, START) == 0
    budgets.hold(one, 60, START)
    budgets.hold(one, 30, START)
    assert 59 < budgets.take(one, START) <= 60


def test_a_server_is_asked_in_one_statement_that_waits_for_no_disk(postgresql: str) -> None:
    budgets = Budgets(postgresql)
    said: list[str] = []
    # What it says to the server is what is tested, and no one else is told of that.
    event.listen(budgets._engine, "before_cursor_execute", lambda *it: said.append(it[2]))  # noqa: SLF001
    with budgets._transaction() as db:  # noqa: SLF001
        assert db.exec_driver_sql("SHOW synchronous_commit").scalar() == "off"
    said.clear()
    budgets.take(Budget("b", 1), START)
    assert len(said) == 1
    budgets.close()


PROCESS = """
from feedtool.ledger.budgets import Budgets
from feedtool.model.call import Budget
from feedtool.runs.allowance import shared_allowance
import psycopg, time
budget = Budget("shared", 100, 5)
clock = psycopg.connect(rest[0], autocommit=True)
at = lambda: clock.execute("SELECT date_part('epoch', clock_timestamp())").fetchone()[0]
with shared_allowance(place, budget, time.sleep, lambda: None) as allowance:
    say("ready")
    while said := listen():
        if said == "told to wait":
            before = at()
            allowance.budgets.hold(budget, float(rest[1]), now)
            say(before)
            continue
        for _ in range(int(said)):
            before = at()
            allowance.take()
            say(f"{before} {at()}")
"""
"""Makes as many calls as it is told, and says of each when it was allowed at the earliest, and at
the latest."""


@pytest.fixture
def four(postgresql: str) -> Iterator[list[Process]]:
    """Processes that share a budget."""
    with ExitStack() as stack:
        given = (PROCESS, postgresql, postgresql, str(HELD))
        started = [stack.enter_context(Process(*given)) for _ in range(4)]
        assert [one.heard() for one in started] == ["ready"] * 4
        yield started


CALLS = 8
WINDOW = 0.1
"""Seconds in each of which the calls are counted."""
HELD = 0.3
"""Seconds that all are made to wait."""


def test_four_processes_share_one_budget_and_its_waits(four: list[Process]) -> None:
    # Together they never make more calls.
    for one in four:
        one.tell(str(CALLS))
    lines = [one.heard() for one in four for _ in range(CALLS)]
    times = sorted((float(a), float(b)) for a, b in (line.split() for line in lines))
    for begin, _ in times:
        # Those that were allowed in this time for certain.
        within = sum(begin <= before and after < begin + WINDOW for before, after in times)
        assert within <= 100 * WINDOW + 5
    took = max(after for _, after in times) - times[0][0]
    assert took >= (4 * CALLS - 5) / 100
    # What one of them is told makes all wait.
    four[0].tell("told to wait")
    told = float(four[0].heard())
    for one in four:
        one.tell("1")
    allowed = [float(one.heard().split()[1]) for one in four]
    assert min(allowed) >= told + HELD - LEAST
