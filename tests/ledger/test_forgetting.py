"""Old runs that are forgotten, and their records."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import event, func, insert, literal, select, union_all, update

from feedtool.ledger import Ledger
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.forgetting import Forgetting, KeepReason, find_old_runs, removals
from feedtool.ledger.records import seller_key
from feedtool.ledger.tables import counts, parcels
from feedtool.model.nouns import Message, RowResult, Status
from tests.ledger.conftest import MOSTLY_SQLITE, NOW, SERVICE, add_run, item, on_both, read_run
from tests.ledger.test_row_history import close

DAY = timedelta(days=1)
AFTER = NOW + DAY
DONE = (Status.INTEGRATED, Status.REJECTED)
DEAR = RowResult(7, "R7", Status.HELD, (Message("price-factor", "Too dear."),), "P")
STAY = {t.runs, t.files, t.outputs, t.accepted, t.stocks, counts}
"""Tables of which a forgotten run may keep rows."""
A, B, C = "a" * 64, "b" * 64, "c" * 64


def ended(ledger: Ledger, seller: str = "S1", **more: Any) -> int:
    """A run of two rows that is at its end."""
    run, _ = add_run(ledger, [item(3), item(4)], seller=seller, **more)
    close(ledger, run, *DONE)
    ledger.counts.note(run, NOW)
    return run


def forgetting(ledger: Ledger, *remembered: str) -> Forgetting:
    return Forgetting(ledger.engine, remembered)


def old_runs(ledger: Ledger, before: datetime = AFTER, *unfinished: int) -> dict[str, Any]:
    """The runs that go, and the reason why others stay, by seller."""
    every = find_old_runs(ledger.engine, before, unfinished)
    return {of.key[1]: (of.runs, of.stays) for of in every}


def forget(ledger: Ledger, *runs: int, keep_counts: bool = False, remembered: str = "") -> None:
    of = forgetting(ledger, remembered)
    begun = of.begin(runs, AFTER)
    while of.remove(begun, 100):
        pass
    of.end(begun, keep_counts=keep_counts)


def sizes(ledger: Ledger) -> dict[str, int]:
    """The number of rows of each table that has any."""
    with reading(ledger.engine) as db:
        every = {
            table.name: db.execute(select(func.count()).select_from(table)).scalar_one()
            for table in t.metadata.sorted_tables
        }
    return {name: size for name, size in every.items() if size}


def test_all_but_the_last_run_of_each_seller_go(ledger: Ledger) -> None:
    one, two, _ = ended(ledger), ended(ledger), ended(ledger)
    ended(ledger, "S2")
    assert old_runs(ledger) == {"S1": ([one, two], None)}
    assert old_runs(ledger, NOW) == {}
    (of,) = find_old_runs(ledger.engine, AFTER, ())
    assert (of.key, of.rows, of.first, of.last) == (seller_key(SERVICE, "S1"), 4, NOW, NOW)
    assert of.runs == [one, two]


def reopen(ledger: Ledger, run: int) -> None:
    with writing(ledger.engine) as db:
        db.execute(update(counts).filter_by(run_id=run).values(is_finished=0))


def hold(ledger: Ledger, run: int) -> None:
    with writing(ledger.engine) as db:
        db.execute(update(counts).filter_by(run_id=run).values(held=1))


def parcel(ledger: Ledger, run: int | None, state: str = "answered", **more: Any) -> None:
    told: dict[str, Any] = dict.fromkeys(("kind", "origin", "name", "profile"), "")
    told |= {"service": SERVICE, "seller": "S1", "sha256": C, "state": state, "size": 1}
    told |= {"priority": 0, "arrived_at": NOW, "run_id": run, **more}
    with writing(ledger.engine) as db:
        db.execute(insert(parcels).values(told))


def claim(ledger: Ledger, run: int | None, state: str = "answered") -> None:
    told: dict[str, Any] = dict.fromkeys(("folder", "lane", "scope", "source", "name"), str(run))
    told |= {"sha256": C, "state": state, "taken_at": NOW, "run_id": run}
    with writing(ledger.engine) as db:
        db.execute(insert(t.claims).values(told))


def go_on_with(ledger: Ledger, run: int) -> None:
    ledger.sellers.passed(seller_key(SERVICE, "S1"), None, run, None, None, NOW)


@on_both(
    ("change", "reason"),
    [
        (reopen, KeepReason.OPEN),
        (hold, KeepReason.HELD),
        (parcel, KeepReason.UNDELIVERED),
        (claim, KeepReason.UNDELIVERED),
        (go_on_with, None),
    ],
)
def test_a_run_that_is_needed_stays_with_the_later_ones(
    ledger: Ledger, change: Callable[[Ledger, int], None], reason: KeepReason | None
) -> None:
    one, two, three, _ = (ended(ledger) for _ in range(4))
    change(ledger, two)
    assert old_runs(ledger) == {"S1": ([one], (two, reason) if reason else None)}
    # It may have changed since they were found.
    assert forgetting(ledger).begin([one, two, three], AFTER) == [one, three]


@MOSTLY_SQLITE
def test_an_open_run_known_from_outside_is_kept(ledger: Ledger) -> None:
    one, two, _ = (ended(ledger) for _ in range(3))
    assert old_runs(ledger, AFTER, one) == {"S1": ([], (one, KeepReason.OPEN))}
    assert old_runs(ledger, AFTER, two) == {"S1": ([one], (two, KeepReason.OPEN))}


@on_both("keep_counts", [False, True])
def test_a_forgotten_run_leaves_only_its_counts(ledger: Ledger, *, keep_counts: bool) -> None:
    ended(ledger, "S2")
    before = sizes(ledger)
    run = ended(ledger, withheld=[DEAR._replace(status=Status.UNCHANGED)])
    parcel(ledger, run, told_at=NOW, answered_at=NOW)
    claim(ledger, run, "ended")
    ledger.add_output(run, "/a.csv", "x", NOW)
    go_on_with(ledger, 1)
    forget(ledger, run, keep_counts=keep_counts)
    more = {"runs": 1, "files": 1, "outputs": 1, "sellers": 1, "counts": int(keep_counts)}
    names = before.keys() | more.keys()
    after = {name: before.get(name, 0) + more.get(name, 0) for name in names}
    assert sizes(ledger) == after


LOST = union_all(
    *(
        select(literal(f"{table.name} {key}")).where(
            key.parent.not_in(select(key.column)), key.parent.is_not(None)
        )
        for table in t.metadata.sorted_tables
        for key in table.foreign_keys
    )
)
"""Table and key of each row that refers to a missing one."""


def test_no_row_refers_to_a_missing_one(ledger: Ledger) -> None:
    """The database checks it in each transaction."""
    runs = [ended(ledger, withheld=[DEAR._replace(status=Status.UNCHANGED)]) for _ in range(2)]
    ended(ledger, "S2")
    go_on_with(ledger, 3)
    of = forgetting(ledger)
    begun = of.begin(runs, AFTER)
    assert begun == runs
    removed = 0
    while one := of.remove(begun, limit=1):
        removed += one
        assert one == 1
        with reading(ledger.engine) as db:
            assert db.execute(LOST).all() == []
    assert removed == 2 * (1 + 2 + 2 + 1 + 1)  # what was withheld, its upload and its package
    assert sizes(ledger)["packages"] == 1


def test_requests_of_remembered_types_stay_with_their_results(ledger: Ledger) -> None:
    service, seller = SERVICE, "S1"
    ended(ledger)
    with writing(ledger.engine) as db:
        db.execute(update(t.packages).values(creations=1))
    go_on_with(ledger, ended(ledger, "S2"))
    own = item(3)
    before = ledger.sent_before(service, seller, None, own)
    assert before == 1
    forget(ledger, 1, remembered=own.package_type)
    assert ledger.sent_before(service, seller, None, own) == before
    assert sizes(ledger)["requests"] == sizes(ledger)["results"] == 4
    assert sizes(ledger)["uploads"] == 1


@MOSTLY_SQLITE
def test_files_are_still_predecessors(ledger: Ledger) -> None:
    run = ended(ledger, path="a.csv", size=9)
    before = ledger.earlier(SERVICE, "S1", "k", None)
    go_on_with(ledger, ended(ledger, "S2"))
    forget(ledger, run)
    assert sizes(ledger)["requests"] == 2
    assert ledger.earlier(SERVICE, "S1", "k", None) == before != []


def test_only_snapshots_that_no_other_run_needs_go(ledger: Ledger) -> None:
    for digests in ([A, B], [B], [C], []):
        run = ledger.start_run(now=NOW, seller="S", service=SERVICE, options={"inputs": digests})
        ledger.counts.note(run, NOW)
    of = forgetting(ledger)
    assert of.snapshots([1]) == {A}
    assert of.snapshots([1, 2]) == {A, B}
    parcel(ledger, None, "waiting")
    assert of.snapshots([1, 3]) == {A}
    # It has to be known until all is over: whoever was killed begins again.
    assert of.begin([1, 2], AFTER) == [1, 2]
    assert of.snapshots([1, 2]) == {A, B}
    of.end([1, 2], keep_counts=False)
    assert of.snapshots([1, 2]) == set()


@MOSTLY_SQLITE
def test_the_next_process_continues_after_a_kill(ledger: Ledger) -> None:
    one, _ = ended(ledger), ended(ledger)
    forgetting(ledger).begin([one], AFTER)
    assert old_runs(ledger) == {"S1": ([one], None)}
    forget(ledger, one, keep_counts=True)
    assert old_runs(ledger) == {}


@MOSTLY_SQLITE
def test_counts_that_were_kept_go_later(ledger: Ledger) -> None:
    one, _ = ended(ledger), ended(ledger)
    forget(ledger, one, keep_counts=True)
    of = forgetting(ledger)
    of.remove_others(AFTER, keep_counts=True)
    assert ledger.pages.numbers(9) == [2, 1]
    of.remove_others(NOW, keep_counts=False)
    assert ledger.pages.numbers(9) == [2, 1]
    of.remove_others(AFTER, keep_counts=False)
    assert ledger.pages.numbers(9) == [2]


@MOSTLY_SQLITE
def test_files_that_were_refused_go_too(ledger: Ledger) -> None:
    parcel(ledger, None, told_at=NOW, answered_at=NOW)
    parcel(ledger, None, answered_at=NOW)
    parcel(ledger, None, "waiting")
    claim(ledger, None, "ended")
    forgetting(ledger).remove_others(NOW, keep_counts=True)
    assert (sizes(ledger)["parcels"], sizes(ledger)["claims"]) == (3, 1)
    forgetting(ledger).remove_others(AFTER, keep_counts=True)
    assert (sizes(ledger)["parcels"], sizes(ledger).get("claims")) == (2, None)


def test_a_forgotten_run_is_not_taken_up_again(ledger: Ledger) -> None:
    one = ended(ledger)
    with writing(ledger.engine) as db:
        db.execute(update(t.packages).values(committed_at=NOW, state="on its way"))
        db.execute(update(t.results).values(status=str(Status("Shipped"))))
    words = {item(3).package_type: ["done"]}
    ended(ledger)
    assert forgetting(ledger).begin([one], AFTER) == [one]
    ledger.look_again(one, words)
    assert ledger.unfinished() == []
    with writing(ledger.engine) as db:
        db.execute(update(t.runs).values(options="{}"))
    ledger.look_again(one, words)
    assert ledger.unfinished() == [one]


@MOSTLY_SQLITE
def test_a_run_that_cannot_be_read_is_forgotten_as_well(ledger: Ledger) -> None:
    one, _ = ended(ledger), ended(ledger)
    with writing(ledger.engine) as db:
        db.execute(update(t.runs).filter_by(run_id=one).values(options="{broken"))
    assert old_runs(ledger) == {"S1": ([one], None)}
    forget(ledger, one)
    assert read_run(ledger, one).options == {"forgotten": AFTER.isoformat()}


@MOSTLY_SQLITE
def test_a_transaction_is_short(ledger: Ledger) -> None:
    """However many runs there are: others wait to write."""
    *runs, _ = [ended(ledger) for _ in range(5)]
    of = forgetting(ledger)
    begun = of.begin(runs, AFTER)
    committed: list[object] = []
    note = committed.append
    event.listen(ledger.engine, "commit", note)
    steps = 0
    while of.remove(begun, limit=10):
        steps += 1
    event.remove(ledger.engine, "commit", note)
    assert steps == len(committed) - 1 == 3


def test_no_table_is_left_out() -> None:
    """A new one is either removed with its run, or stays for a reason."""
    removed = {table for table, _ in removals([1], [])}
    others = {"schema_version", "sellers", "budgets", "cursors", "batches", "seen", "entries"}
    others |= {"flights"}  # of what is not closed alone
    assert {table.name for table in {*t.metadata.sorted_tables} - removed - STAY} == others
