"""Counted lists: windows that cover everything once, and lists that change while they are read."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.finance import wire
from feedtool.areas.finance.columns import operation_row
from feedtool.areas.finance.windows import (
    COUNT,
    GONE,
    ROWS,
    TOTAL,
    Window,
    WindowReader,
    parts,
    stamp,
)
from feedtool.model.call import Call, Reply

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
STATES = ("NotPayable", "Estimated", "InProcess", "Paid", "Blocked")
Operation = dict[str, Any]


class Service:
    """Operations by their filters, with inclusive bounds; some change between two answers."""

    def __init__(self, operations: Iterable[Operation], *changes: list[Operation]) -> None:
        self.operations = list(operations)
        self._changes = list(changes)
        self.asked = 0

    def send(self, call: Call) -> Reply:
        self.asked += 1
        found = [it for it in self.operations if _is_asked(it, dict(call.query))]
        if call.target.endswith("/count"):
            return Reply(200, {}, orjson.dumps(len(found)))
        page = int(dict(call.query)["pageIndex"])
        document = {
            "common": {"totalAmount": sum(it["totalAmount"] for it in found)},
            "items": found[(page - 1) * wire.PAGE : page * wire.PAGE],
        }
        if self._changes:
            self.operations = self._changes.pop(0)
        return Reply(200, {}, orjson.dumps(document))


def _is_asked(operation: Operation, query: dict[str, str]) -> bool:
    return (
        all(
            query.get(f"{name}Min", "") <= operation[name] <= query.get(f"{name}Max", "9")
            for name in ("paidAt", "changedAt")
        )
        and query.get("states", operation["paymentState"]) == operation["paymentState"]
    )


def operation(number: int, paid: int = 0, changed: int = 0, state: str = "Paid") -> Operation:
    return {
        "operationReference": f"O{number}",
        "totalAmount": number,
        "paidAt": stamp(BEGIN + timedelta(milliseconds=paid)),
        "changedAt": stamp(BEGIN + timedelta(milliseconds=changed)),
        "paymentState": state,
    }


def read(service: Service, most: int = 10_000, **query: str) -> tuple[Counter[str], dict[str, Any]]:
    """The number of times each operation was kept at the end, and the facts of the list."""
    reader = WindowReader(wire.OPERATIONS, lambda _, page: [*map(operation_row, page.items)], most)
    asked = {"paidAtMin": stamp(BEGIN), "paidAtMax": stamp(BEGIN + timedelta(days=30)), **query}
    call: Call | None = wire.count_operations(tuple(asked.items()))
    kept: dict[str, list[str]] = {}
    facts: dict[str, Any] = {}
    while call:
        page = reader.page(service.send(call), call)
        for thing in page.things:
            kept[thing.key] = [str(row["operationReference"]) for row in thing.rows]
        for _, row in page.rows:
            facts = dict(row)
        call = page.next
    return Counter(name for names in kept.values() for name in names), facts


operations = st.lists(
    st.builds(
        operation,
        st.integers(1, 99),
        st.sampled_from((0, 1, 2, 3, 1000, 86_400_000, 30 * 86_400_000)),
        st.sampled_from((0, 1, 999_999)),
        st.sampled_from(STATES),
    ),
    max_size=25,
    unique_by=lambda it: it["operationReference"],
)


@settings(deadline=None, max_examples=30)
@given(operations, st.integers(1, 9))
def test_each_operation_comes_once_with_windows_of_any_size(
    listed: list[Operation], most: int
) -> None:
    """Operations of the same time and state share a window of any length."""
    came, facts = read(Service(listed), most)
    assert came == Counter(entry["operationReference"] for entry in listed)
    if listed:
        total = sum(it["totalAmount"] for it in listed)
        assert facts == {COUNT: len(listed), ROWS: len(listed), TOTAL: total}


@given(
    st.integers(-(10**11), 10**11),
    st.integers(1, 10**10),
    st.integers(0, 10**10),
)
def test_a_time_is_in_one_half(since: int, length: int, at: int) -> None:
    first = BEGIN + timedelta(milliseconds=since)
    last = first + timedelta(milliseconds=length)
    moment = stamp(min(first + timedelta(milliseconds=at), last))
    halves = parts(Window("", (("paidAtMin", stamp(first)), ("paidAtMax", stamp(last)))))
    ranges = [(dict(it.query)["paidAtMin"], dict(it.query)["paidAtMax"]) for it in halves]
    assert [low <= moment <= high for low, high in ranges].count(True) == 1
    assert (ranges[0][0], ranges[-1][1]) == (stamp(first), stamp(last))


def test_an_indivisible_window_is_not_divided() -> None:
    assert parts(Window("7", ())) == ()
    state = (("paidAtMin", stamp(BEGIN)), ("paidAtMax", stamp(BEGIN)), ("states", "Paid"))
    instant = (("changedAtMin", stamp(BEGIN)), ("changedAtMax", stamp(BEGIN)))
    assert parts(Window("", state + instant)) == ()


MANY = [operation(number) for number in range(1, 151)]


def test_a_list_that_changes_is_read_again() -> None:
    service = Service(MANY, [*MANY, operation(151)], MANY[:40])
    came, facts = read(service)
    assert came == Counter(f"O{number}" for number in range(1, 41))
    assert (facts[COUNT], facts[ROWS]) == (40, 40)


def test_a_move_between_two_pages_is_noticed_by_the_sum() -> None:
    """The number is the same, but one has come to the front, and another is seen twice."""
    moved = [operation(500), *MANY[:-1]]
    came, facts = read(Service(MANY, moved))
    assert came == Counter(it["operationReference"] for it in moved)
    assert facts[TOTAL] == sum(it["totalAmount"] for it in moved)


def test_a_list_that_always_changes_is_reported() -> None:
    changes = [
        [*MANY, *(operation(number) for number in range(200, index))] for index in range(201, 220)
    ]
    service = Service(MANY, *changes)
    came, facts = read(service)
    assert facts[COUNT] > facts[ROWS] == came.total()
    assert service.asked < 15


def test_a_service_that_gives_shorter_pages_is_read_to_its_end() -> None:
    class Short(Service):
        def send(self, call: Call) -> Reply:
            query = dict(call.query)
            if "pageIndex" in query:
                start = (int(query["pageIndex"]) - 1) * 20
                items = self.operations[start : start + 20]
                return Reply(200, {}, orjson.dumps({"items": items}))
            return super().send(call)

    came, facts = read(Short(MANY))
    assert (came.total(), facts[COUNT]) == (150, 150)
    assert facts[TOTAL] is None  # this one tells no sum


def test_an_unknown_invoice_is_no_error() -> None:
    reader = WindowReader(wire.DETAILS, lambda _, __: [])
    page = reader.page(Reply(404), wire.count_details((), "7"))
    assert (page.next, page.tally) == (None, {(GONE, "7"): 1})
    again = reader.page(Reply(200, {}, b"0"), wire.count_details((), "8"))
    assert (again.next, again.tally) == (None, {})
