"""What the history asks of the ledger, on SQLite and on PostgreSQL: counts, clocks, later runs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from feedtool.ledger import Attempt, Change, Ledger, Phase, Resolution, Run
from feedtool.model.nouns import Message, Status
from tests.ledger.test_store import NOW, SERVICE, item, planned


@pytest.fixture
def ledger(place: Path | str) -> Iterator[Ledger]:
    with Ledger(place) as opened:
        yield opened


def run_of(ledger: Ledger, run: int) -> Run:
    found = ledger.run(run)
    assert found is not None
    return found


def answered(ledger: Ledger, run: int, *, ahead: timedelta = timedelta(0)) -> None:
    """Its first package was created, and has a result for R3, a fate for R4 and none for R5."""
    package = ledger.read_packages(run)[0]
    created = replace(
        package, phase=Phase.FILLING, package_id="p", created_at=NOW + ahead, creations=1
    )
    intent = Attempt(1, "create", NOW)
    ledger.save([Change(package, package, intent)])
    attempt = replace(intent, answered_at=NOW, outcome="done", package_id="p")
    result = ("R3", Status.REJECTED, (Message("2403", "taken"),))
    fate = Resolution(4, Status.UNKNOWN, "it was changed since")
    ledger.save([Change(package, created, attempt, results=[result], resolutions=[fate])])


def test_as_many_rows_have_each_status_as_verdicts_say(ledger: Ledger) -> None:
    run, file = planned(ledger, item(3), item(4), item(5), item(6), item(7))
    answered(ledger, run)
    counts = ledger.statuses(run)
    assert counts == Counter(one.status for one in ledger.verdicts(file))
    assert counts == {Status.REJECTED: 1, Status.UNKNOWN: 1, Status.PENDING: 3}
    assert ledger.statuses(run + 1) == {}


@pytest.mark.parametrize(
    ("ahead", "told"),
    [(0, 0), (1, 0), (90, 90), (-90, -90)],
    ids=["as ours", "a header's precision", "ahead", "behind"],
)
def test_how_the_services_clock_goes(ledger: Ledger, ahead: int, told: int) -> None:
    assert ledger.skew(SERVICE) == timedelta(0)
    run, _ = planned(ledger, item(3), item(4), item(5))
    answered(ledger, run, ahead=timedelta(seconds=ahead))
    assert ledger.skew(SERVICE) == timedelta(seconds=told)
    assert ledger.skew("https://another.example/v2") == timedelta(0)


def test_what_later_runs_have_sent_of_some_references(ledger: Ledger) -> None:
    first, _ = planned(ledger, item(3), item(4))
    second, _ = planned(ledger, item(3), item(4), item(5))
    third, _ = planned(ledger, item(3))
    answered(ledger, second)
    wanted = ["R3", "R4", "R9"]
    # The third has planned R3, and sent nothing.
    assert ledger.sent_later(run_of(ledger, first), "P", wanted) == {"R3": second, "R4": second}
    assert ledger.sent_later(run_of(ledger, first), "Q", wanted) == {}
    assert ledger.sent_later(run_of(ledger, third), "P", wanted) == {}
