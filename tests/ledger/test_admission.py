"""Rows of a package: the ones that must wait, and the ones that are sent again."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from sqlalchemy.exc import IntegrityError

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.delivery import product_names as needed_names
from feedtool.areas.products.wire import product_names
from feedtool.ledger import (
    Change,
    Clearance,
    Ledger,
    Package,
    Phase,
    Requeue,
    Resolution,
    ResultCounts,
    Run,
    Stage,
    admission,
)
from feedtool.ledger.admission import FEW
from feedtool.ledger.database import writing
from feedtool.model.nouns import Item, Message, PendingRow, Status
from feedtool.model.settings import PackageLimits
from tests.ledger.conftest import (
    MOSTLY_SQLITE,
    NOW,
    SERVICE,
    add_run,
    cleared,
    item,
    on_both,
    read_run,
)

SMALL = PackageLimits(upload=2, package=3)
NOBODY = frozenset[int]()


class Started(NamedTuple):
    run: Run
    package: Package


def run_of(ledger: Ledger, *rows: Item, seller: str = "S1", service: str = SERVICE) -> Started:
    run_id, _ = add_run(ledger, rows, SMALL, seller=seller, service=service)
    return Started(read_run(ledger, run_id), ledger.read_packages(run_id)[0])


def blockers(ledger: Ledger, started: Started) -> frozenset[int]:
    return cleared(ledger, started.package, started.run).blocked_by


IRREVOCABLE = [Phase.COMMITTING, Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING]
COMMITTED = [*IRREVOCABLE, Phase.CLOSED]
OPEN = sorted(
    {*Phase} - {*COMMITTED, Phase.PLANNED},
    key=[Phase.CREATING, Phase.SUBMITTED, Phase.FILLING, Phase.CLEARED, *Phase].index,
)
"""Those before the commit; of the first the normal run has all."""


def begin(ledger: Ledger, started: Started, phase: Phase = Phase.FILLING) -> Package:
    """Bring the package of a run to a phase, as far as nothing keeps it waiting."""
    found = cleared(ledger, started.package, started.run)
    assert not found.blocked_by
    made = {Phase.CLEARED: 0, Phase.CREATING: 0}.get(phase, 1)
    after = replace(found, phase=phase, package_id="p" * made or None, creations=made)
    if phase in COMMITTED:
        sent = (Stage.STAGED,) * len(found.uploads)
        after = replace(after, uploads=sent, committed_at=NOW)
    ledger.save([Change(found, after)])
    return after


def statuses_of(ledger: Ledger, started: Started) -> list[str]:
    return [str(verdict.status) for verdict in ledger.verdicts(started.package.file)]


def two_runs(ledger: Ledger, older: int, newer: int) -> tuple[Started, Started]:
    """A run of rows from the third on, and a run of rows from the fourth on."""
    rows = [item(row) for row in range(3, 9)]
    return run_of(ledger, *rows[:older]), run_of(ledger, *rows[1 : newer + 1])


@on_both("phase", OPEN, on_sqlite=4)
def test_uncommitted_packages_of_an_interrupted_run_are_given_up(
    ledger: Ledger, phase: Phase
) -> None:
    older, newer = two_runs(ledger, 2, 1)
    begin(ledger, older, phase)
    begin(ledger, newer)
    (left,) = ledger.read_packages(older.run.run_id)
    assert (left.phase, left.package_id, left.state) == (Phase.PLANNED, None, None)
    assert left.uploads == (Stage.PLANNED,)
    # Of the older, only what the newer has not sent is still to be sent.
    found = cleared(ledger, left, older.run)
    assert ledger.bodies(found.key, [1])[1] == [b'{"n":3}']
    assert statuses_of(ledger, older) == ["Pending", "Superseded"]


@on_both("phase", IRREVOCABLE)
def test_a_committed_package_keeps_others_waiting(ledger: Ledger, phase: Phase) -> None:
    older, newer = two_runs(ledger, 2, 1)
    before = begin(ledger, older, phase)
    assert blockers(ledger, newer) == {before.key}
    assert ledger.read_packages(older.run.run_id) == [before]
    assert ledger.irrevocable(newer.run.run_id) == [before]
    assert ledger.irrevocable(older.run.run_id) == []
    if phase is Phase.COMMITTING:
        # A commit that did not show is still intended.
        ledger.save([Change(before, replace(before, phase=Phase.SETTLED))])
        assert blockers(ledger, newer) == {before.key}
    ledger.save([Change(before, replace(before, phase=Phase.CLOSED))])
    assert blockers(ledger, newer) == NOBODY
    assert ledger.irrevocable(newer.run.run_id) == []


@on_both("phase", [*OPEN[:2], *IRREVOCABLE, *OPEN[2:]], on_sqlite=2 + len(IRREVOCABLE))
def test_a_run_that_is_given_up_keeps_no_other_waiting(ledger: Ledger, phase: Phase) -> None:
    older, newer = two_runs(ledger, 2, 2)
    before = begin(ledger, older, phase)
    answered = ("R3", Status.INTEGRATED, ())
    ledger.save([Change(before, before, results=[answered], resolutions=[Resolution(4, None, "")])])
    ended = {before.key: (Status.UNKNOWN, "given up")}
    assert ledger.abandon(older.run.run_id, NOW, ended) == {before.key: 1}
    (left,) = ledger.read_packages(older.run.run_id)
    assert (left.phase, left.finished_at) == (Phase.CLOSED, NOW)
    assert statuses_of(ledger, older) == ["Integrated", "Unknown"]
    assert read_run(ledger, older.run.run_id).options == {"abandoned": NOW.isoformat()}
    assert ledger.unfinished() == [newer.run.run_id]
    assert ledger.irrevocable(newer.run.run_id) == []
    assert blockers(ledger, newer) == NOBODY


@on_both(
    ("channel", "kinds", "status"),
    [
        ("", ("Invoices", "Invoices"), "Superseded"),
        ("", ("Products", "Invoices"), "Pending"),
        ("P", (PackageType.UPSERT, PackageType.UPDATE), "Superseded"),
    ],
)
def test_without_a_channel_only_equal_requests_are_superseded(
    ledger: Ledger, channel: str, kinds: tuple[str, str], status: str
) -> None:
    older, newer = (run_of(ledger, item(3, channel, kind, product="")) for kind in kinds)
    begin(ledger, newer, Phase.CLOSED)
    begin(ledger, older)
    assert statuses_of(ledger, older) == [status]


@on_both("phase", [None, Phase.FILLING], on_postgresql=0)
def test_held_rows_supersede_no_others(ledger: Ledger, phase: Phase | None) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3))
    if phase:
        begin(ledger, newer, phase)
    ledger.abandon(newer.run.run_id, NOW, {newer.package.key: (Status.HELD, "given up")})
    assert ledger.sent_later(older.run, older.package.channel, {"R3"}) == {}
    assert begin(ledger, older).uploads == (Stage.PLANNED,)


@on_both(
    ("other", "whose", "is_blocked"),
    [
        *((row, {}, True) for row in (item(3), item(3, product="x"), item(9, product="G3"))),
        # Only an Upsert names a product.
        *((row, {}, False) for row in (item(9), item(3, "S"), item(9, product=""))),
        (item(3), {"seller": "S2"}, False),
        (item(3), {"service": "https://other.example/v2"}, False),
    ],
)
def test_rows_block_by_reference_and_product_within_a_channel(
    ledger: Ledger, other: Item, whose: dict[str, str], *, is_blocked: bool
) -> None:
    older = run_of(ledger, item(3), item(4, product=""))
    begin(ledger, older, Phase.COMMITTED)
    newer = run_of(ledger, other, **whose)
    assert bool(blockers(ledger, newer)) == is_blocked
    if whose:
        begin(ledger, newer, Phase.COMMITTED)
        assert ledger.irrevocable(newer.run.run_id) == []
        assert statuses_of(ledger, older) == ["Pending"] * 2


@MOSTLY_SQLITE
def test_packages_of_one_run_wait_for_each_other(ledger: Ledger) -> None:
    started = run_of(ledger, item(3), item(9, kind=PackageType.DELETE, reference="R3"))
    first, second = ledger.read_packages(started.run.run_id)
    begin(ledger, Started(started.run, first))
    assert cleared(ledger, second, started.run).blocked_by == {first.key}
    phases = [package.phase for package in ledger.read_packages(started.run.run_id)]
    assert phases == [Phase.FILLING, Phase.PLANNED]


@MOSTLY_SQLITE
def test_a_package_does_not_wait_for_itself(ledger: Ledger) -> None:
    started = run_of(ledger, item(3), item(4))
    later = run_of(ledger, item(4, product="x"))
    # A crash right after: `resume` begins with it again.
    for one in (started, started, later, later):
        assert blockers(ledger, one) == NOBODY


def test_two_open_packages_with_one_reference_are_impossible(ledger: Ledger) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3, product="x"))
    begin(ledger, older, Phase.COMMITTED)
    with pytest.raises(IntegrityError), writing(ledger.engine) as db:  # the last line of defence
        admission.acquire(db, newer.package, newer.run)
    assert blockers(ledger, newer) == {older.package.key}


@on_both(
    ("phase", "is_superseded"),
    [(Phase.CLOSED, True), (Phase.CLEARED, False), (Phase.CREATING, False), (Phase.FILLING, True)],
)
def test_only_rows_sent_by_a_later_run_supersede(
    ledger: Ledger, phase: Phase, *, is_superseded: bool
) -> None:
    older = run_of(ledger, item(3), item(4), item(5))
    newer = run_of(ledger, item(3), item(4))
    begin(ledger, newer, phase)
    found = cleared(ledger, older.package, older.run)
    assert found.uploads == (Stage.SKIPPED if is_superseded else Stage.PLANNED, Stage.PLANNED)
    status = "Superseded" if is_superseded else "Pending"
    assert statuses_of(ledger, older) == [status, status, "Pending"]
    assert ledger.bodies(found.key, [2])[2] == [b'{"n":5}']
    if phase is Phase.CLOSED:
        latest = run_of(ledger, item(3))
        assert begin(ledger, latest).uploads == (Stage.PLANNED,)
        assert statuses_of(ledger, latest) == ["Pending"]


# What is left of a closed package.

WHERE = (Stage.PLANNED, Stage.STAGED, Stage.DOUBTFUL, Stage.REFUSED, Stage.SKIPPED)
STAGES = dict(zip("PTDRS", WHERE, strict=True))


def planned(ledger: Ledger, uploads: int, rows: int) -> Package:
    """The package of a run with so many uploads of rows R3, R4, …"""
    size = PackageLimits(-(-rows // uploads), 1000)
    run_id, _ = add_run(ledger, map(item, range(3, 3 + rows)), size)
    return ledger.read_packages(run_id)[0]


def close(
    ledger: Ledger,
    before: Package,
    stages: str,
    results: str = "",
    resolutions: Sequence[Resolution] = (),
    phase: Phase = Phase.CLOSED,
) -> list[Package]:
    """Close a package at these stages, or bring it to another phase; the new ones."""
    sent = tuple(STAGES[one] for one in stages)
    after = replace(before, uploads=sent, phase=phase, package_id="p1")
    found = [(name, Status.INTEGRATED, ()) for name in results.split()]
    return ledger.save([Change(before, after, results=found, resolutions=resolutions)])


def rows_of(ledger: Ledger, packages: Iterable[Package]) -> list[list[int]]:
    """The rows of each upload."""
    return [
        [json.loads(body)["n"] for body in ledger.bodies(package.key, [number])[number]]
        for package in packages
        for number in range(1, len(package.uploads) + 1)
    ]


@on_both(
    ("stages", "results", "moved"),
    [
        # Each upload stays together.
        ("PDTP", "R7 R8", [[3, 4], [5, 6], [9, 10]]),
        ("TT", "R3 R4 R5 R6", []),
        # Completed without it.
        ("TP", "R3 R4", [[5, 6]]),
        # Perhaps sent, and not among the results; or one row of it is.
        *(("TD", "R3 R4", [[5, 6]]), ("TD", "R3 R4 R6", [[5]]), ("TD", "R3 R4 R5 R6", [])),
        # Surely sent: not sent again without a look.
        ("TT", "R3 R4", []),
        # Refused: in halves.
        *(("TR", "R3 R4", [[5], [6]]), ("RR", "", [[3], [4], [5], [6]]), ("R", "", [[3], [4]])),
        # All of many: it is not the rows that are wrong.
        *(("R" * 201, "", []), ("R" * 201 + "P", "", [[405, 406]])),
        ("RRR", "", [[3], [4], [5], [6], [7], [8]]),
        ("RRRT", "R9 R10", [[3], [4], [5], [6], [7], [8]]),
        ("RRRD", "", [[3], [4], [5], [6], [7], [8], [9, 10]]),
    ],
)
def test_rows_that_move_to_a_later_package(
    ledger: Ledger, stages: str, results: str, moved: list[list[int]]
) -> None:
    rows, count = 2 * len(stages), sum(map(len, moved))
    new = close(ledger, planned(ledger, len(stages), rows), stages, results)
    assert rows_of(ledger, new) == moved
    packages = ledger.read_packages(1)
    assert packages[1:] == new
    assert [package.rows for package in packages] == [rows - count, *[count] * bool(moved)]
    for package in new:
        assert (package.number, package.phase) == (2, Phase.PLANNED)
        assert set(package.uploads) == {Stage.PLANNED}
    assert len(list(ledger.verdicts(packages[0].file))) == rows


HALVES = [
    *(("R", "", [[3, 4, 5], [6, 7]]), ("RT", "R6 R7", [[3, 4], [5]])),
    *(("RT", "R5", [[3], [4]]), ("TR", "R3", [])),
]
DOUBTS = [("TD", "R3 R4", [[5, 6]]), ("D", "", [[5, 6]]), ("D", "", [])]


@on_both(
    ("closings", "statuses"),
    [
        (HALVES, "Integrated Rejected" + " Integrated" * 3),
        (DOUBTS, "Integrated " * 2 + "Unknown " * 2),
    ],
    ids=["halves down to one row", "doubtful rows go into three packages and no more"],
)
def test_a_package_after_the_other(
    ledger: Ledger, closings: list[tuple[str, str, list[list[int]]]], statuses: str
) -> None:
    package = planned(ledger, len(closings[0][0]), len(statuses.split()))
    for stages, results, moved in closings:
        new = close(ledger, package, stages, results)
        assert rows_of(ledger, new) == moved
        package = new[0] if new else package
    assert [str(result.status) for result in ledger.verdicts(1)] == statuses.split()


@on_both(
    ("stages", "results", "sends"), [("TD", "R3 R4", [1, 1]), ("PR", "", [0] * 4)], on_postgresql=0
)
def test_unsent_rows_are_not_counted_as_sent(
    ledger: Ledger, stages: str, results: str, sends: list[int]
) -> None:
    (new,) = close(ledger, planned(ledger, 2, 4), stages, results)
    staged = replace(new, uploads=(Stage.STAGED,) * len(new.uploads))
    ledger.save([Change(new, staged)])
    assert [row.sends for row in ledger.lookup_rows(new.key, 9)] == sends


@MOSTLY_SQLITE
def test_results_of_a_look_up(ledger: Ledger) -> None:
    unknown = Resolution(4, Status.UNKNOWN, "Why.")
    fates = [Resolution(3, None, ""), unknown, Resolution(5, Status.INTEGRATED, "So.")]
    new = close(ledger, planned(ledger, 2, 4), "TT", "R6", fates)
    assert rows_of(ledger, new) == [[3]]
    found = [(str(v.status), *(m.text for m in v.messages)) for v in ledger.verdicts(1)]
    pending = "Not sent: the run stopped before its package was begun."
    others = [("Unknown", "Why."), ("Integrated", "So."), ("Integrated",)]
    assert found == [("Pending", pending), *others]


@MOSTLY_SQLITE
def test_a_package_never_created_leaves_no_rows(ledger: Ledger) -> None:
    package = planned(ledger, 2, 3)
    closed = replace(package, phase=Phase.CLOSED, message=Message("", "No such channel."))
    assert ledger.save([Change(package, closed)]) == []


# What has no result, and is to be looked up.


@on_both(
    ("stages", "results", "tail", "sought"),
    [
        ("TT", "R3 R4 R5 R6", ResultCounts(4, 0, 0), []),
        ("TT", "R3 R6", ResultCounts(2, 2, 0), [4, 5]),
        ("TD", "R3 R4 R5", ResultCounts(3, 0, 1), [6]),
        ("DD", "", ResultCounts(0, 0, 4), [3, 4, 5, 6]),
        ("PR", "", ResultCounts(0, 0, 0), []),
        ("TP", "", ResultCounts(0, 2, 0), [3, 4]),
        # The first of the staged rows has been decided.
        ("TS", "stranger", ResultCounts(0, 2, 0), [3, 4]),
    ],
)
def test_rows_without_results_are_looked_up(
    ledger: Ledger, stages: str, results: str, tail: ResultCounts, sought: list[int]
) -> None:
    before = planned(ledger, 2, 4)
    close(ledger, before, stages, results, phase=Phase.LOOKING)
    (after,) = ledger.read_packages(1)
    assert ledger.result_counts(before.key) == tail
    # A row tells all that the offers are compared by.
    rows = [PendingRow(n, f"R{n}", f"G{n}", 0, 0, b'{"n":%d}' % n) for n in sought]
    assert ledger.lookup_rows(before.key, 9) == rows
    assert ledger.lookup_rows(before.key, 1) == rows[:1]
    # What was decided is not asked for again, whatever was decided.
    fates = zip(sought, (None, Status.UNKNOWN), strict=False)
    ledger.save([Change(after, after, resolutions=[Resolution(*fate, "") for fate in fates])])
    assert ledger.lookup_rows(before.key, 9) == rows[2:]


# Batches of products.

CLEARANCE = Clearance(needs=needed_names, provides={"Products": product_names})


def batches(ledger: Ledger, *rows: int, size: int = 2) -> list[Package]:
    items = (Item(row, "Products", "", f"P{row}", f"{row:013d}", b"{}") for row in rows)
    run, _ = add_run(ledger, items, PackageLimits(products=size))
    return ledger.read_packages(run)


@on_both("stage", [Stage.STAGED, Stage.DOUBTFUL], on_postgresql=0)
def test_a_batch_that_was_not_refused_leaves_no_rows(ledger: Ledger, stage: Stage) -> None:
    (package,) = batches(ledger, 3, 4)
    after = replace(package, phase=Phase.CLOSED, uploads=(stage,), package_id="p1")
    assert ledger.save([Change(package, after, requeue=Requeue.APART)]) == []


OFFERED: list[tuple[list[str], set[int]]] = [
    *((["3||New"], {1}), (["0000000000003||New", "|P5|New"], {1, 2})),
    *((others, set()) for others in (["9||New"], ["|P9|New"], [])),
]


@on_both(
    ("offered", "waits_for", "is_same_run"),
    [*((*row, True) for row in OFFERED), *((*row, False) for row in OFFERED[:2])],
)
def test_offers_wait_for_the_open_batches_of_their_run_with_their_products(
    ledger: Ledger, offered: list[str], waits_for: set[int], *, is_same_run: bool
) -> None:
    packages = batches(ledger, 3, 4, 5)
    rows = [item(row, product=product) for row, product in enumerate([*offered, "8||New"], 2)]
    run_id, _ = add_run(ledger, rows, run_id=1 if is_same_run else None, path="b")
    run, package = read_run(ledger, run_id), ledger.read_packages(run_id)[-1]
    blocked_by = cleared(ledger, package, run, CLEARANCE).blocked_by
    assert blocked_by == {packages[number - 1].key for number in waits_for if is_same_run}
    for batch in packages:
        closed = replace(batch, phase=Phase.CLOSED, uploads=(Stage.STAGED,), package_id="p")
        ledger.save([Change(batch, closed)])
    assert cleared(ledger, package, run, CLEARANCE).blocked_by == NOBODY


@on_both("takes_one", [True, False], on_postgresql=0, ids=["takes one", "takes none"])
def test_halving_ends_if_every_batch_is_refused(ledger: Ledger, *, takes_one: bool) -> None:
    first, *rest = batches(ledger, *range(3, 3 + 2 * (FEW + 2)))
    taken = replace(first, phase=Phase.SUBMITTED, uploads=(Stage.STAGED,), package_id="p1")
    if takes_one:
        ledger.save([Change(first, taken)])
    refused = [replace(one, phase=Phase.CLOSED, uploads=(Stage.REFUSED,)) for one in rest]
    ledger.save([Change(*pair) for pair in zip(rest[:FEW], refused, strict=False)])
    under_way = replace(rest[FEW], phase=Phase.SUBMITTING, uploads=(Stage.SENDING,))
    why = (1, Message("ER400", "Because."))
    last = Change(under_way, refused[FEW], refused=why, requeue=Requeue.APART)
    assert len(ledger.save([Change(rest[FEW], under_way), last])) == (2 if takes_one else 0)
