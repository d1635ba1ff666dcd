"""Looks by a list: which requests it answers."""

import json
from dataclasses import dataclass

from feedtool.areas.registry import load
from feedtool.delivery.overview import SINGLY, OverviewReader
from feedtool.delivery.steps import Step
from feedtool.ledger import Package, Stage
from feedtool.model.call import Call, Reply
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


def test_a_request_that_takes_more_than_an_order_is_looked_at_by_itself() -> None:
    """A gesture needs what is available besides: the list that shows its order is no answer."""
    ships = [package(key, "Ship") for key, _ in enumerate(ORDERS)]
    gesture = package(len(ORDERS), "Gesture")
    references = {**dict(enumerate(ORDERS)), gesture.key: ORDERS[0]}
    service = Listing()
    reader = OverviewReader(service, load().routes, references)
    steps = [(one, Step.CHECK, 0) for one in (gesture, *ships)]
    begun = reader.choose(steps, SINGLY, START, are_more_left=False)
    assert {gesture.key, *references} == {one.key for one, *_ in begun}
    assert reader.take(gesture, Step.CHECK) is None
    assert reader.take(ships[0], Step.CHECK) is not None
    assert reader.take(ships[0], Step.CHECK) is None
    assert service.calls == 1
