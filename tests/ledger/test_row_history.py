"""Statuses of a run's rows, noted when it is recorded and after each delivery."""

import json
from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace
from sqlalchemy import select, update

from feedtool.ledger import Change, Ledger, Phase, Stage
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.row_history import HeldCode
from feedtool.ledger.tables import counts, sellers
from feedtool.model.nouns import Message, RowResult, Status
from tests.ledger.conftest import MOSTLY_SQLITE, NOW, SERVICE, add_run, item

LATER = NOW + timedelta(hours=1)
DEAR = RowResult(7, "R7", Status.HELD, (Message("price-factor", "Too dear."),), "P")
NAMES = ("run_id", "answered", "refused", "held", "is_finished")
REJECTED = (Status.REJECTED, Status.INTEGRATED)


def noted(ledger: Ledger, *names: str) -> list[tuple[object, ...]]:
    query = select(*(counts.c[name] for name in names or NAMES)).order_by(counts.c.run_id)
    with reading(ledger.engine) as db:
        return [tuple(row) for row in db.execute(query)]


def statuses(ledger: Ledger, run: int = 1) -> dict[str, int]:
    found: dict[str, int] = json.loads(str(noted(ledger, "statuses")[run - 1][0]) or "{}")
    return found


def answers(ledger: Ledger) -> list[dict[str, int]]:
    with reading(ledger.engine) as db:
        return [
            json.loads(kept) for kept in db.scalars(select(sellers.c.answers).order_by("seller"))
        ]


def close(ledger: Ledger, run: int, *results: Status) -> None:
    """The service answers the requests of a run's only package, whose rows begin with 3."""
    (package,) = [it for it in ledger.read_packages(run) if it.phase is not Phase.CLOSED]
    sent = replace(package, phase=Phase.READ, package_id="p", uploads=(Stage.STAGED,))
    answered = [(f"R{row}", status, ()) for row, status in enumerate(results, 3)]
    closed = replace(sent, phase=Phase.CLOSED)
    ledger.save([Change(package, sent), Change(sent, closed, None, answered)])


def written(ledger: Ledger, *, seller: str = "S1", withheld: Sequence[RowResult] = ()) -> int:
    """A run of two rows, counted."""
    run, _ = add_run(ledger, [item(3), item(4)], seller=seller, withheld=withheld)
    ledger.counts.note(run, NOW)
    return run


def test_a_run_is_counted_when_recorded_and_at_its_end(ledger: Ledger) -> None:
    run, _ = add_run(ledger, [item(3), item(4)], withheld=[DEAR])
    assert noted(ledger) == [(run, 0, 0, 0, 0)]
    assert noted(ledger, "statuses", "counted_at") == [("", NOW)]
    ledger.counts.note(run, NOW)
    assert (noted(ledger), statuses(ledger)) == ([(run, 0, 0, 1, 0)], {"Pending": 2, "Held": 1})
    close(ledger, run, *REJECTED)
    ledger.counts.note(run, LATER)
    assert noted(ledger) == [(run, 2, 1, 1, 1)]
    assert statuses(ledger) == {"Rejected": 1, "Integrated": 1, "Held": 1}
    # What is not new is not answered anew.
    ledger.counts.note(run, LATER + timedelta(days=9))
    assert noted(ledger, "counted_at") == [(LATER,)]
    assert answers(ledger) == [{"Rejected": 1, "Integrated": 1}]


@MOSTLY_SQLITE
def test_rows_that_the_checks_refused_count_as_well(ledger: Ledger) -> None:
    options = {"invalid": 3, "sheets": [["a", None]]}
    run = ledger.start_run(now=NOW, seller="S1", service=SERVICE, options=options)
    ledger.counts.note(run, NOW)
    assert (noted(ledger), statuses(ledger)) == ([(run, 3, 3, 0, 0)], {"Invalid": 3})
    add_run(ledger, [], run_id=run)
    ledger.counts.note(run, NOW)
    assert noted(ledger) == [(run, 3, 3, 0, 1)]


def test_answers_are_added_up_and_never_taken_back(ledger: Ledger) -> None:
    first, second = written(ledger), written(ledger)
    written(ledger, seller="S2")
    close(ledger, first, Status.UNKNOWN, Status.INTEGRATED)
    ledger.counts.note(first, NOW)
    close(ledger, second, Status.INTEGRATED, Status.INTEGRATED)
    ledger.counts.note(second, NOW)
    assert answers(ledger) == [{"Unknown": 1, "Integrated": 3}, {}]
    with writing(ledger.engine) as db:  # it was looked up once more
        db.execute(
            update(t.results).where(t.results.c.status == "Unknown").values(status="Rejected")
        )
    ledger.counts.note(first, NOW)
    assert answers(ledger) == [{"Unknown": 1, "Integrated": 3, "Rejected": 1}, {}]


def test_a_sellers_other_runs_that_have_ended_are_counted_with_one(ledger: Ledger) -> None:
    others = [written(ledger), written(ledger), written(ledger, seller="S2")]
    run = written(ledger)
    close(ledger, others[0], *REJECTED)
    close(ledger, others[2], *REJECTED)
    ledger.counts.note(run, LATER)
    assert noted(ledger, "is_finished") == [(1,), (0,), (0,), (0,)]


@MOSTLY_SQLITE
def test_an_abandoned_run_is_finished_and_holds_no_rows(ledger: Ledger) -> None:
    run = written(ledger, withheld=[DEAR])
    (package,) = ledger.read_packages(run)
    ledger.abandon(run, NOW, {package.key: (Status.HELD, "given up")})
    ledger.counts.note(run, LATER)
    assert (noted(ledger), statuses(ledger)) == ([(run, 0, 0, 0, 1)], {"Held": 3})


def test_a_run_looked_at_again_is_not_finished(ledger: Ledger) -> None:
    run = written(ledger)
    (package,) = ledger.read_packages(run)
    close(ledger, run, Status("Sent"), Status("Sent"))
    ledger.counts.note(run, NOW)
    with writing(ledger.engine) as db:
        db.execute(update(t.packages).values(committed_at=NOW, state="begun"))
    ledger.look_again(run, {package.package_type: ["over"]})
    assert noted(ledger, "is_finished") == [(0,)]


def test_rows_dropped_or_sent_since_are_no_longer_held(ledger: Ledger) -> None:
    run = written(ledger, withheld=[DEAR])
    other = written(ledger, withheld=[DEAR, DEAR._replace(row=8)])
    assert noted(ledger, "held") == [(1,), (2,)]
    assert ledger.held.drop(run, "price-factor", NOW)
    assert noted(ledger, "held") == [(0,), (2,)]
    held: list[HeldCode] = ledger.held.open_codes(other)
    ledger.held.settle(held)
    assert noted(ledger, "held") == [(0,), (0,)]


@MOSTLY_SQLITE
def test_a_run_that_cannot_be_read_keeps_no_other_from_being_counted(ledger: Ledger) -> None:
    broken, whole = written(ledger), written(ledger)
    close(ledger, whole, *REJECTED)
    with writing(ledger.engine) as db:
        db.execute(update(t.runs).filter_by(run_id=broken).values(options="{"))
    ledger.counts.note(whole, LATER)
    assert noted(ledger, "is_finished") == [(0,), (1,)]
