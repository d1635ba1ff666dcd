"""A run continues with what the last one has learnt, and shares budgets with others."""

from datetime import datetime, timedelta
from itertools import pairwise

import httpx
import pytest
from msgspec.structs import replace

from feedtool.check import Input, ReadOptions
from feedtool.delivery.events import Event
from feedtool.ledger.budgets import LEAST
from feedtool.model.call import Budget, Call, Reply, Sender
from feedtool.model.errors import Stopped
from feedtool.runs.allowance import LONGEST_WAIT, shared_allowance
from feedtool.runs.deliver import Submission
from feedtool.runs.outputs import Outputs
from feedtool.runs.submit import submit
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.service.pace import Pace
from tests.conftest import Files, offer
from tests.runs.conftest import ADDRESS, Desk, statuses

KEY = (ADDRESS, "seller")


class Refusing:
    """Answers so many calls that change something by a 429, and passes the others on."""

    def __init__(self, sender: Sender, refusals: int) -> None:
        self._sender, self._refusals, self.refused = sender, refusals, 0

    def send(self, call: Call) -> Reply:
        if call.method == "POST" and self.refused < self._refusals:
            self.refused += 1
            return Reply(429, {"retry-after": "2"}, b"{}")
        return self._sender.send(call)


def send(
    desk: Desk, files: Files, row: int, refusals: int = 0, stop_after: int | None = None
) -> Submission:
    """A run of one row that is refused so often at first, and stopped after so many refusals."""
    client = Refusing(desk.session.client, refusals)

    def stopping() -> Stopped | None:
        return Stopped("enough") if client.refused == stop_after else None

    by = replace(desk.session, client=client, stopping=stopping)
    inputs = [Input("offers.csv", files.csv(offer(row)))]
    return submit(inputs, ReadOptions(), Outputs(), by, desk.workspace)


def kept(desk: Desk) -> Pace:
    return Pace.restored(1, desk.ledger.sellers.pace(KEY), desk.session.now())


def test_the_next_run_of_a_seller_begins_at_the_pace_of_the_last(desk: Desk, files: Files) -> None:
    send(desk, files, 1)
    assert desk.ledger.sellers.pace(KEY) is None
    send(desk, files, 2, refusals=3)
    learnt = kept(desk)
    assert learnt.pause
    begun = desk.session.now()
    send(desk, files, 3)
    # Its calls came one after the other, each after that pause.
    assert desk.session.now() - begun > 5 * learnt.pause
    for row in (4, 5, 6):  # short runs make up for it together
        send(desk, files, row)
    made_up = kept(desk)
    assert 0 < made_up.behind < learnt.behind
    desk.transport.sleep(3600)
    assert kept(desk).behind == made_up.behind // 2


def test_a_run_that_is_parked_keeps_it_too(desk: Desk, files: Files) -> None:
    found = send(desk, files, 1, refusals=9, stop_after=2)
    assert isinstance(found.stopped, Stopped)
    assert kept(desk).behind


# What sellers share.

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize("hold", [0, 5, 300])
def test_runs_that_share_a_budget_wait_for_each_other(desk: Desk, files: Files, hold: int) -> None:
    clock, at, said = desk.transport, list[datetime](), list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        at.append(clock.now())
        return clock.handle_request(request)

    budget = Budget("both", 2, 3)
    how = (files.folder / "budgets.db", budget, clock.sleep, lambda: None, clock.now)
    inputs = [Input("offers.csv", files.csv(offer(1), offer(2)))]
    with shared_allowance(*how) as allowance, shared_allowance(*how) as others:
        more = {"transport": httpx.MockTransport(answer), "allowance": allowance}
        client = Client(ADDRESS, "seller", StaticToken("sandbox"), **more)  # type: ignore[arg-type]
        by = replace(desk.session, client=client)

        def note(event: Event) -> None:
            if event.kind == "created":
                others.note_reply(Reply(429, {"retry-after": str(hold)}))
            said.append(event.text)

        submission = submit(inputs, ReadOptions(), Outputs(), by, desk.workspace, on_event=note)
    assert statuses(submission) == [[(2, "Integrated"), (3, "Integrated")]]
    assert all(sum(begin <= it < begin + SECOND for it in at) <= 2 + 3 for begin in at)
    # The longest time without a call is as long as the others were asked to wait.
    longest = max(later - earlier for earlier, later in pairwise(at)).total_seconds()
    assert longest >= hold - LEAST
    assert any("“both” is used up until" in text for text in said) == (hold > LONGEST_WAIT)
    # That says nothing of the seller's own quota.
    assert desk.ledger.sellers.pace(KEY) is None
