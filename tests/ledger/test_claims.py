"""Files that a watcher has claimed, on both databases."""

from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import Any

from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim, ClaimState, EarlierClaim
from tests.ledger.conftest import NOW, Process, on_both

WEEK = timedelta(days=7)


def take(
    ledger: Ledger, content: str = "c1", scope: str = "S1", now: datetime = NOW, **more: str
) -> Claim | EarlierClaim | None:
    given: dict[str, Any] = {"folder": "F", "lane": "shop", "source": "a.csv", **more}
    given |= {"names": chain(["a"], (f"a-{number}" for number in count(2)))}
    return ledger.claims.take(scope=scope, sha256=content, now=now, since=now - WEEK, **given)


def taken(ledger: Ledger, content: str = "c1", scope: str = "S1", now: datetime = NOW) -> Claim:
    found = take(ledger, content, scope, now)
    assert isinstance(found, Claim)
    return found


def run_of(ledger: Ledger, claim: Claim) -> int:
    return ledger.start_run(now=NOW, seller="S1", service="x", claim=claim.claim)


def test_a_claim_holds_path_and_state(ledger: Ledger) -> None:
    claim = taken(ledger)
    where = (claim.lane, claim.source, claim.name, claim.state)
    assert where == ("shop", "a.csv", "a", ClaimState.TAKEN)
    assert (claim.run_id, claim.target) == (None, None)
    assert ledger.claims.under_way("F") == [claim] == [ledger.claims.read(claim.claim)]
    assert ledger.claims.under_way("G") == []
    run = run_of(ledger, claim)
    assert ledger.claims.read(claim.claim).run_id == run
    ledger.claims.settle(claim.claim, ClaimState.ANSWERED, "done/a.csv")
    (found,) = ledger.claims.under_way("F")
    assert (found.state, found.target) == (ClaimState.ANSWERED, "done/a.csv")
    ledger.claims.end(claim.claim)
    assert ledger.claims.under_way("F") == []


def test_a_content_is_under_way_once(ledger: Ledger) -> None:
    first = taken(ledger)
    assert take(ledger) is None
    assert take(ledger, source="b.csv") is None
    assert isinstance(take(ledger, scope="S2"), Claim)
    assert isinstance(take(ledger, "c2"), Claim)
    ledger.claims.forget(first.claim)
    assert isinstance(take(ledger), Claim)


@on_both(
    ("has_run", "later", "is_earlier"),
    [
        *((True, timedelta(), True), (True, WEEK, True)),
        *((True, WEEK + timedelta(seconds=1), False), (False, timedelta(), False)),
    ],
)
def test_the_same_content_again(
    ledger: Ledger, later: timedelta, *, has_run: bool, is_earlier: bool
) -> None:
    claim = taken(ledger)
    run = run_of(ledger, claim) if has_run else None
    ledger.claims.end(claim.claim)
    found = take(ledger, now=NOW + later, source="b.csv")
    if is_earlier:
        assert found == EarlierClaim(run or 0, "a.csv", NOW)
    else:
        assert isinstance(found, Claim)
        assert (found.source, found.run_id, found.state) == ("b.csv", None, ClaimState.TAKEN)


def test_content_of_an_abandoned_run_may_come_again(ledger: Ledger) -> None:
    claim = taken(ledger)
    ledger.abandon(run_of(ledger, claim), NOW, {})
    ledger.claims.end(claim.claim)
    assert isinstance(take(ledger), Claim)


def test_names_are_given_once_in_a_lane(ledger: Ledger) -> None:
    assert [taken(ledger, content).name for content in ("c1", "c2", "c3")] == ["a", "a-2", "a-3"]
    others = take(ledger, "c1", "S2", folder="G"), take(ledger, "c1", "S3", lane="mall")
    assert [isinstance(one, Claim) and one.name for one in others] == ["a", "a"]


def test_claims_are_listed_in_the_order_of_taking(ledger: Ledger) -> None:
    """Clocks do not matter: that of the machine with the second claim is slow."""
    first, second = taken(ledger, "c1", now=NOW), taken(ledger, "c2", now=NOW - WEEK)
    assert [claim.claim for claim in ledger.claims.under_way("F")] == [first.claim, second.claim]


LINES = """
from datetime import timedelta
from feedtool.ledger import Ledger
with Ledger(place) as ledger:
    for number in range(8):
        say("ready"); listen()
        took = ledger.claims.take(
            folder="F", lane="", scope="S1", sha256=f"c{number}", source="a.csv",
            names=(f"a-{number}-{one}" for one in range(9)), now=now, since=now,
        )
        say("taken" if took else "not")
"""


def test_one_of_two_processes_gets_the_claim(place: Path | str) -> None:
    Ledger(place).close()
    with Process(LINES, place) as first, Process(LINES, place) as second:
        for _ in range(8):
            assert (first.heard(), second.heard()) == ("ready", "ready")
            first.tell()
            second.tell()
            assert {first.heard(), second.heard()} == {"not", "taken"}
