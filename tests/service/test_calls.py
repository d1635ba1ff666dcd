"""Calls several at a time."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from feedtool.model.call import READ, Call, Reply
from feedtool.service.answers import as_whole
from feedtool.service.calls import CallResult, answered, ask_all

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


class Strict:
    """Refuses each query that has a name which it does not know, and has two pages."""

    def __init__(self) -> None:
        self.queries: list[tuple[tuple[str, str], ...]] = []

    def send(self, call: Call) -> Reply:
        self.queries.append(call.query)
        if any(name == "orderId" for name, _ in call.query):
            return Reply(400)
        link = {} if call.target.endswith("2") else {"link": '</list/2>; rel="next"'}
        return Reply(200, link, b"[]", "https://service.example/list")


def test_a_parameter_that_is_refused_is_left_out_where_the_specification_does_not_show_it() -> None:
    query = (("pageSize", "100"), ("orderId", "O1"))
    call = Call("GET", "/list", READ, query=query)
    strict = Strict()
    assert ask_all(strict, [call]) == Reply(400)
    unsure = Call("GET", "/list", READ, query, unsure=frozenset({"orderId"}))
    both = ask_all(strict, [as_whole(unsure)])
    assert isinstance(both, tuple)
    assert [reply.status for reply in both] == [200, 200]
    assert strict.queries == [query, query, query[:1], ()]


def test_an_answer_may_lead_to_another_call() -> None:
    reasons = Call("GET", "/reasons", READ, query=(("status", "Shipped"),))
    order = Call("GET", "/order", READ, query=(("fields", "status"),), following=lambda _: reasons)
    strict = Strict()
    both = ask_all(strict, [order])
    assert isinstance(both, tuple)
    assert strict.queries == [order.query, reasons.query]
