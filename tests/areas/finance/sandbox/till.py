"""Money at a desk: what is read of it, and operations where tests put them."""

from datetime import timedelta
from typing import Any

from feedtool.areas.finance.sandbox import events, store
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.events import Sold
from tests.areas.orders.sandbox.counter import QUIET
from tests.sandbox.desk import START, Desk

NO_PAST = FinanceBehaviour(history=0)
EMPTY = (QUIET, NO_PAST)
"""Only the orders and money of the test."""
ALL = {"paidAtMin": "2020-01-01T00:00:00Z", "paidAtMax": "2030-01-01T00:00:00Z"}


def sold(reference: str = "O1", channel: str = "PRIMARY", **wish: Any) -> Sold:
    usual = {"products": 10_000, "shipping": 500, "accepted_at": START}
    return Sold(reference, channel, **{**usual, **wish})


def made(desk: Desk, *operations: events.Operation, seller: str = "S1") -> list[int]:
    with desk.sandbox.state.transaction() as db:
        return [store.add(db, seller, operation) for operation in operations]


def sale(desk: Desk, reference: str = "O1", **wish: Any) -> None:
    made(desk, events.sale(sold(reference, **wish), desk.now, NO_PAST))


def many(desk: Desk, count: int, every: timedelta = timedelta(minutes=1)) -> None:
    operations = (
        events.sale(sold(f"O{number}"), desk.now - number * every, NO_PAST)
        for number in range(count)
    )
    made(desk, *operations)


def operations(desk: Desk, **query: Any) -> Any:
    answer = desk.ask("GET", "/operations", query=query or ALL)
    assert answer.status == 200, answer.body
    return answer.json


def payments(desk: Desk, **query: Any) -> Any:
    answer = desk.ask("GET", "/payments", query={"pageSize": 100, **query})
    assert answer.status == 200, answer.body
    return answer.json["items"]
