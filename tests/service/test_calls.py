"""Calls several at a time."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from feedtool.model.call import Reply
from feedtool.service.calls import CallResult, answered

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
