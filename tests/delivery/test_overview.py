"""Looks by a list: which requests it answers."""

import json
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from feedtool.areas.registry import load
from feedtool.delivery.direct import MANY, SINGLY, OverviewReader
from feedtool.delivery.steps import Step
from feedtool.ledger import Package, Stage
from feedtool.model.call import Call, Reply
from feedtool.service.calls import executor
from tests.delivery.conftest import START

ORDERS = [f"O{number}" for number in range(SINGLY + 1)]


@dataclass
class Listing:
    """A service whose first page shows all orders."""

    calls: int = 0

    def send(self, call: Call) -> Reply:
        del call
        self.calls += 1
        items = [{"orderId": name, "status": "Shipped", "lines": []} for name in ORDERS]
        return Reply(200, {}, json.dumps({"items": items}).encode())


def package(key: int, kind: str) -> Package:
    return Package(key, 1, key, "", kind, 1, (Stage.PLANNED,))


def test_a_request_for_more_than_an_order_is_looked_at_separately() -> None:
    """A gesture needs what is available besides: the list that shows its order is no answer."""
    ships = [package(key, "Ship") for key, _ in enumerate(ORDERS)]
    gesture = package(len(ORDERS), "Gesture")
    references = {**dict(enumerate(ORDERS)), gesture.key: ORDERS[0]}
    service = Listing()
    reader = OverviewReader(service, load().routes, references, executor(1))
    steps = [(one, Step.CHECK, 0) for one in (gesture, *ships)]
    begun = reader.choose(steps, SINGLY, START, is_busy=False)
    assert {gesture.key, *references} == {one.key for one, *_ in begun}
    assert reader.take(gesture, Step.CHECK) is None
    assert reader.take(ships[0], Step.CHECK) is not None
    assert reader.take(ships[0], Step.CHECK) is None
    assert service.calls == 1


class Later(Executor):
    """Runs submitted calls only at `go_on`."""

    def __init__(self) -> None:
        self.left: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.left.append((future, partial(fn, *args, **kwargs)))
        return future

    def go_on(self) -> None:
        """Run all that waits."""
        while self.left:
            future, job = self.left.pop()
            future.set_result(job())


def test_requests_are_sent_while_a_list_is_read() -> None:
    """Sent orders wait for the list; those that it does not show are looked at one by one."""
    packages = [package(key, "Ship") for key in range(MANY + 1)]
    references = {key: f"O{key}" for key in range(MANY + 1)}
    service, lanes = Listing(), Later()
    reader = OverviewReader(service, load().routes, references, lanes)
    follows = [(one, Step.FOLLOW, 0) for one in packages]
    choose = partial(reader.choose, room=8, now=START)
    few, one_more = follows[: MANY - 1], [(packages[-1], Step.CALL, 0)]
    assert choose([*few, *one_more], is_busy=True) == one_more
    assert choose([*follows[:MANY], *one_more], is_busy=True) == one_more
    assert choose(follows[:MANY], is_busy=True) == []
    lanes.go_on()
    begun = choose(follows[:MANY], is_busy=True)
    shown = [step for step in begun if reader.take(step[0], Step.FOLLOW)]
    assert [package.key for package, *_ in shown] == list(range(len(ORDERS)))
    assert len(begun) == len(shown) + 8
    assert service.calls == 1


def test_a_request_that_still_waits_is_looked_at_by_a_list_again() -> None:
    packages = [package(key, "Ship") for key in range(len(ORDERS))]
    service = Listing()
    reader = OverviewReader(service, load().routes, dict(enumerate(ORDERS)), executor(1))
    follows = [(one, Step.FOLLOW, 0) for one in packages]
    for times in (1, 2):
        assert reader.choose(follows, 8, START, is_busy=False) == follows
        assert all(reader.take(one, Step.FOLLOW) for one in packages)
        assert service.calls == times
