"""Single requests: each is one call, and a look tells where it stands before and after."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from msgspec.structs import replace

from feedtool.delivery import plan
from feedtool.delivery.direct import NEXT, NO_EFFECT, NOT_READABLE, NOT_SHOWN
from feedtool.delivery.engine import Delivery
from feedtool.delivery.steps import DeliverySettings
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.feed import Feed, Travel
from feedtool.ledger import Ledger, Package, Phase
from feedtool.model.call import READ, STAGED, Call, NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError, Interrupted, UsageProblem
from feedtool.model.nouns import Item, Message, Status
from tests import decisions_drawn
from tests.areas.toy.feeds import FEED
from tests.delivery.conftest import START, Killed
from tests.ledger.empty import ledger_in_memory

SAID = Message("", "It was there already.")


def _state(_: RequestAttempt, replies: Sequence[Reply]) -> dict[str, Any]:
    order, parcels = (json.loads(reply.body) for reply in replies)
    return {**order, "parcels": parcels}


def _judge(act: RequestAttempt, state: dict[str, Any]) -> Judgement:
    before = int(act.baseline or 0)
    word = str(state["word"])
    if state["closed"]:
        return Judgement(Goal.IMPOSSIBLE, Status.REJECTED, (Message("", "It is closed."),), word)
    if act.baseline is None and state["parcels"]:
        return Judgement(Goal.REACHED, Status.INTEGRATED, (SAID,), word)
    if len(state["parcels"]) > before:
        goal = Goal.REACHED if word == "Shipped" else Goal.WAITING
        return Judgement(goal, Status.INTEGRATED, (), word)
    doubt = Status.UNKNOWN if word == "Perhaps" else Status.PENDING
    return Judgement(Goal.OPEN, doubt, (), word)


def protocol(repeat: Repeat) -> Direct[dict[str, Any]]:
    return Direct(
        call=lambda act: Call("POST", f"/orders/{act.reference}/parcels", STAGED, body=act.body),
        looks=lambda act: [
            Call("GET", f"/orders/{act.reference}", READ),
            Call("GET", f"/orders/{act.reference}/parcels", READ),
        ],
        state=_state,
        judge=_judge,
        baseline=lambda _, state: str(len(state["parcels"])),
        repeat=repeat,
    )


LONG = timedelta(minutes=8)
"""The longest time of a call before it is given up."""


def feed_with(direct: Direct[dict[str, Any]]) -> Feed:
    return replace(FEED, travel=Travel(package_type="Ship", protocol=direct))


ROUTES = {repeat: {"Ship": feed_with(protocol(repeat))} for repeat in Repeat}


@dataclass
class Orders:
    """A service of orders. Each POST meets the next fault, if one is left."""

    faults: list[str] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)
    """The faults of the looks."""
    parcels: list[tuple[str, bytes]] = field(default_factory=list)
    """The order and the body of each parcel."""
    closed: bool = False
    late: timedelta = timedelta(0)
    """The delay until an effect shows."""
    words: list[str] = field(default_factory=lambda: ["Shipped"])
    """The order's states, look by look; the last one stays."""
    repeat: Repeat = Repeat.TRACED
    posts: int = 0
    time: datetime = START
    shown_at: datetime = START

    def send(self, call: Call) -> Reply:
        if call.method == "POST":
            self.posts += 1
            return self._post(call, self.faults.pop(0) if self.faults else "")
        fault = self.looks.pop(0) if self.looks else ""
        if fault == "lost":
            raise OutcomeUnknown("a timeout")
        if fault:
            return Reply(int(fault))
        is_shown = self.time >= self.shown_at
        if call.target.endswith("parcels"):
            own = [body.decode() for target, body in self.parcels if target == call.target]
            shown = own if is_shown else []
            return Reply(200, {}, json.dumps(shown).encode())
        word = self.words.pop(0) if self.parcels and len(self.words) > 1 else self.words[0]
        return Reply(200, {}, json.dumps({"word": word, "closed": self.closed}).encode())

    def _post(self, call: Call, fault: str) -> Reply:
        if fault == "not sent":
            raise NotSent("refused")
        if fault.isdigit():
            return Reply(int(fault), {}, b'{"title": "No"}')
        if fault == "ignored":
            return Reply(200)
        if fault != "lost before":
            self.parcels.append((call.target, call.body or b""))
            self.shown_at = self.time + self.late
        if fault == "given up late":
            self.sleep(LONG.total_seconds())
            self.shown_at = self.time + self.late
        if fault:
            raise OutcomeUnknown("a timeout")
        return Reply(200)

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with ledger_in_memory() as opened:
        yield opened


def item(row: int, reference: int, **more: Any) -> Item:
    return Item(row, "Ship", "", f"O{reference}", "", b'{"n": %d}' % reference, **more)


def begin(ledger: Ledger, items: Sequence[Item]) -> int:
    run = ledger.start_run(now=START, seller="S", service="https://service.example/v2")
    stream = plan.uploads(items, ROUTES[Repeat.SAFE])
    ledger.add_file(run, stream, path="a", sha256="", kind="ship")
    return run


def go_on(
    ledger: Ledger, run: int, orders: Orders, **options: Any
) -> list[tuple[str, tuple[Message, ...]]]:
    clock: Any = {"now": lambda: orders.time, "sleep": orders.sleep, "jitter": lambda: 1.0}
    Delivery(ledger, run, orders, ROUTES[orders.repeat], **clock, pool=1, **options).run()
    (file,) = ledger.files(run)
    return [(str(found.status), found.messages) for found in ledger.verdicts(file.file)]


ONE = [item(2, 2)]
MANY = [item(2, 2, further_rows=(4,)), item(2, 3, number=1), item(3, 4)]
DONE = ("Integrated", ())
UNSHOWN = ("Unknown", (Message("", NOT_SHOWN),))
SHOWN_LATE = timedelta(minutes=3)


@pytest.mark.parametrize(
    ("orders", "then", "posts", "effects"),
    [
        (Orders(), DONE, 1, 1),
        (Orders(late=SHOWN_LATE), DONE, 1, 1),
        (Orders(words=["Preparing", "Preparing", "Shipped"]), DONE, 1, 1),
        (Orders(["not sent"]), DONE, 2, 1),
        (Orders(["429"]), DONE, 2, 1),
        (Orders(["lost after"]), DONE, 1, 1),
        (Orders(["lost after"], late=SHOWN_LATE), DONE, 1, 1),
        pytest.param(
            Orders(["lost after", "lost after"], late=SHOWN_LATE),
            *(DONE, 1, 1),
            marks=pytest.mark.long,
        ),
        # Its effect is waited for from then on when the call was given up.
        (Orders(["given up late"], late=SHOWN_LATE), DONE, 1, 1),
        (Orders(["500"]), DONE, 2, 1),
        (Orders(["lost before"]), DONE, 2, 1),
        pytest.param(Orders(["lost before", "lost after"]), DONE, 2, 1, marks=pytest.mark.long),
        # Its effect never shows.
        (Orders(["lost before"] * 9, repeat=Repeat.SAFE), UNSHOWN, 3, 0),
        (Orders(["lost before"] * 9), UNSHOWN, 2, 0),
        (Orders(["lost before"] * 9, repeat=Repeat.NEVER), UNSHOWN, 1, 0),
        # Something shows that may be its effect.
        (Orders(["lost before"] * 9, words=["Perhaps"]), UNSHOWN, 1, 0),
        # The second call is refused, since the first one has shipped it after all.
        (Orders(["lost after", "409"], late=timedelta(minutes=11)), DONE, 2, 1),
        (Orders(["409"]), ("Rejected", (Message("", "No (HTTP 409)"),)), 1, 0),
        # A refusal is certain, whether or not it can be looked at again.
        (
            Orders(["409"], looks=["", "", "404"]),
            ("Rejected", (Message("", "No (HTTP 409)"),)),
            1,
            0,
        ),
        (Orders(["404"]), ("Rejected", (Message("", "No (HTTP 404)"),)), 1, 0),
        (Orders(parcels=[("/orders/O2/parcels", b"1")]), ("Integrated", (SAID,)), 0, 1),
        (Orders(closed=True), ("Rejected", (Message("", "It is closed."),)), 0, 0),
        (Orders(looks=["lost", "503"]), DONE, 1, 1),
        (Orders(looks=["404"]), ("Rejected", (Message("", "no reason given (HTTP 404)"),)), 0, 0),
    ],
)
def test_results_of_single_requests(
    ledger: Ledger, orders: Orders, then: tuple[str, Any], posts: int, effects: int
) -> None:
    assert go_on(ledger, begin(ledger, ONE), orders) == [then]
    assert (orders.posts, len(orders.parcels)) == (posts, effects)


def test_without_a_readable_look_no_request_is_repeated(ledger: Ledger) -> None:
    orders = Orders(["lost after"], looks=["", "", *["500", "404"] * 400])
    run = begin(ledger, ONE)
    for _ in range(9):
        try:
            found = go_on(ledger, run, orders)
            break
        except FeedtoolError:
            orders.sleep(300)
    assert found == [("Unknown", (Message("", NOT_READABLE),))]
    assert orders.posts == 1


def test_a_lost_look_long_after_is_no_last_word(ledger: Ledger) -> None:
    orders = Orders(["lost after"], looks=["", "", *["503"] * 6])
    run = begin(ledger, ONE)
    with pytest.raises(Interrupted):
        go_on(ledger, run, orders)
    orders.sleep(100_000)
    orders.looks = ["lost"]
    assert go_on(ledger, run, orders) == [DONE]
    assert orders.posts == 1


def test_an_accepted_request_without_effect_ends_as_unknown(ledger: Ledger) -> None:
    orders, run = Orders(["ignored"]), begin(ledger, ONE)
    assert [status for status, _ in go_on(ledger, run, orders)] == ["Pending"]
    assert go_on(ledger, run, orders) == [("Unknown", (Message("", NO_EFFECT),))]
    assert orders.posts == 1


def test_a_look_of_an_earlier_process_is_not_trusted(ledger: Ledger) -> None:
    orders, run = Orders(["429"]), begin(ledger, ONE)
    with pytest.raises(Interrupted):
        go_on(ledger, run, orders, stopping=lambda: Interrupted("Ctrl-C") if orders.posts else None)
    (package,) = ledger.read_packages(run)
    assert (package.phase, package.baseline) == (Phase.CHECKED, "0")
    orders.closed = True
    assert [status for status, _ in go_on(ledger, run, orders)] == ["Rejected"]
    assert orders.posts == 1


def test_an_answer_may_hold_the_whole_result(ledger: Ledger) -> None:
    def answered(act: RequestAttempt, reply: Reply) -> Judgement:
        rows = (act.row, *act.further_rows)
        told = (Message("", f"row {row}", row=row) for row in rows)
        whole = Message("", f"HTTP {reply.status}")
        return Judgement(Goal.REACHED, Status.INTEGRATED, (whole, *told), "Shipped")

    says_all = protocol(Repeat.SAFE)._replace(answered=answered)
    orders, run = Orders(repeat=Repeat.SAFE), begin(ledger, MANY[:1])
    with mock.patch.dict(ROUTES[Repeat.SAFE], {"Ship": feed_with(says_all)}):
        found = go_on(ledger, run, orders)
    # Each of its rows is told what is about it, and nothing was looked at afterwards.
    texts = [[message.text for message in messages] for _, messages in found]
    assert texts == [["HTTP 200", "row 2"], ["HTTP 200", "row 4"]]
    (package,) = ledger.read_packages(run)
    assert (package.phase, package.state, orders.posts) == (Phase.CLOSED, "Shipped", 1)


def test_an_order_looked_at_again_keeps_its_result_meanwhile(ledger: Ledger) -> None:
    orders, run = Orders(words=["Shipped"]), begin(ledger, ONE)
    assert go_on(ledger, run, orders) == [DONE]
    for words, is_open in (({"Shipped"}, False), ({"Delivered"}, True)):
        ledger.look_again(run, {"Ship": words})
        assert ledger.has_to_fetch(run) is is_open
    (file,) = ledger.files(run)
    assert [found.status for found in ledger.verdicts(file.file)] == [Status.INTEGRATED]
    assert go_on(ledger, run, orders) == [DONE]
    assert (ledger.has_to_fetch(run), orders.posts) == (False, 1)


def test_single_requests_do_not_wait_for_each_other(ledger: Ledger) -> None:
    orders = Orders(words=["Preparing"] * 6 + ["Shipped"])
    run = begin(ledger, [item(row, row) for row in (2, 3, 4)])
    with pytest.raises(UsageProblem):
        go_on(ledger, run, Orders(["405"]))
    assert [status for status, _ in go_on(ledger, run, orders)] == ["Integrated"] * 3


@pytest.mark.parametrize(
    ("repeat", "at", "items"),
    [
        *(
            pytest.param(
                repeat, number, ONE, marks=() if number % 6 == 2 * place else pytest.mark.long
            )
            for place, repeat in enumerate(Repeat)
            for number in range(12)
        ),
        *(
            pytest.param(
                Repeat.TRACED, index, MANY, marks=() if index % 5 == 2 else pytest.mark.long
            )
            for index in range(20)
        ),
    ],
)
def test_a_request_is_sent_once_with_a_kill_at_any_commit(
    repeat: Repeat, at: int, items: Sequence[Item]
) -> None:
    """Before and after each commit: one effect, which each of its rows reports."""

    class Fragile(Ledger):
        left = at

        def save(self, changes: Any) -> list[Package]:
            self.left -= 1
            if self.left == -1:
                raise Killed
            return super().save(changes)

    orders = Orders(repeat=repeat)
    with Fragile() as fragile:
        run = begin(fragile, items)
        try:
            found = go_on(fragile, run, orders)
        except Killed:
            orders.sleep(60)
            found = go_on(fragile, run, orders)
    assert sorted(body for _, body in orders.parcels) == sorted(item.body for item in items)
    assert len(found) == sum(1 + len(item.further_rows) for item in items)
    assert set(found) <= {DONE, ("Integrated", (SAID,))}


@pytest.mark.parametrize(("fault", "posts"), [("lost before", 2), ("lost after", 1)])
def test_a_run_that_is_stopped_goes_on(ledger: Ledger, fault: str, posts: int) -> None:
    run = begin(ledger, ONE)
    orders = Orders([fault], looks=["", "", *["503"] * 20])
    with pytest.raises(Interrupted):
        go_on(ledger, run, orders)
    (package,) = ledger.read_packages(run)
    assert (package.phase, package.baseline) == (Phase.SUBMITTING, "0")
    orders.looks.clear()
    # Where answers alone are fetched nothing is sent again.
    hasty = DeliverySettings(patience=timedelta(minutes=15))
    found = go_on(ledger, run, orders, only_fetch=True, settings=hasty)
    assert [status for status, _ in found] == ["Pending" if posts > 1 else "Integrated"]
    assert orders.posts == 1
    assert go_on(ledger, run, orders) == [DONE]
    assert orders.posts == posts


def test_the_table_of_decisions_is_as_documented() -> None:
    drawn = {phase: told for phase, _, told in decisions_drawn.table(decisions_drawn.REQUESTS)}
    assert list(drawn) == [phase.value for phase in NEXT]
    assert drawn["submitting"] == (
        "it is done, it cannot be done → **closed**; it is under way, nothing shows, refused (400),"
        " no answer, 5xx, not connected, 429 → **submitting**; nothing shows for long →"
        " **checked**"
    )
