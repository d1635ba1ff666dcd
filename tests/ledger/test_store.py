import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any, NamedTuple, Self

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from feedtool.areas.offers.package_types import PackageType
from feedtool.ledger import (
    Attempt,
    Change,
    Ledger,
    Package,
    Phase,
    Resolution,
    ResultCounts,
    Run,
    Stage,
    clearing,
    tables,
)
from feedtool.ledger.database import reading, writing
from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Item, Message, PackageSummary, PendingRow, Status
from feedtool.model.settings import PackageLimits
from tests.ledger.conftest import NOW, SERVICE, add_run

SMALL = PackageLimits(upload=2, package=3)
UPSERT = PackageType.UPSERT


def item(row: int, channel: str = "P", kind: str = UPSERT) -> Item:
    return Item(row, kind, channel, f"R{row}", f"G{row}", f'{{"n":{row}}}'.encode())


def planned(ledger: Ledger, *rows: Item) -> tuple[int, int]:
    return add_run(ledger, rows, SMALL)


def one_package(ledger: Ledger) -> tuple[int, Package]:
    """The file of three rows in two uploads, and its package."""
    run, file = planned(ledger, item(3), item(4), item(5))
    (package,) = ledger.read_packages(run)
    return file, package


# Runs, files, rows.


def test_a_run_is_read_as_it_was_written(ledger: Ledger) -> None:
    options = {"out": "b.xlsx", "nested": [1, None]}
    run = ledger.start_run(now=NOW, seller="S1", service="x", language="fr", options=options)
    found = ledger.run(run)
    assert found is not None
    assert (found.run_id, found.started_at, found.seller) == (run, NOW, "S1")
    assert (found.language, found.options) == ("fr", options)
    assert ledger.run(run + 1) is None


def test_rows_become_packages_and_uploads(ledger: Ledger) -> None:
    run, file = planned(ledger, item(3), item(4, "S"), item(5), item(6), item(7))
    packages = ledger.read_packages(run)
    assert [(p.number, p.channel, p.rows, len(p.uploads)) for p in packages] == [
        (1, "P", 3, 2),
        (2, "S", 1, 1),
        (3, "P", 1, 1),
    ]
    assert packages[0] == Package(
        key=packages[0].key,
        file=file,
        number=1,
        channel="P",
        package_type=UPSERT,
        rows=3,
        uploads=(Stage.PLANNED, Stage.PLANNED),
    )
    assert ledger.bodies(packages[0].key, [1])[1] == [b'{"n":3}', b'{"n":5}']
    assert ledger.bodies(packages[0].key, [2])[2] == [b'{"n":6}']
    assert ledger.packages(file) == [
        PackageSummary(None, UPSERT, "P", None, 3, 2),
        PackageSummary(None, UPSERT, "S", None, 1, 1),
        PackageSummary(None, UPSERT, "P", None, 1, 1),
    ]


def test_files_of_a_run_keep_apart(ledger: Ledger) -> None:
    run, first = planned(ledger, item(3))
    _, second = add_run(ledger, [item(3), item(4)], run_id=run, path="b", sheet="Offers")
    assert [file.file for file in ledger.files(run)] == [first, second]
    assert [(p.file, p.number) for p in ledger.read_packages(run)] == [(first, 1), (second, 1)]
    assert [len(list(ledger.verdicts(file))) for file in (first, second)] == [1, 2]


def test_a_file_that_breaks_off_leaves_nothing(ledger: Ledger) -> None:
    run = ledger.start_run(now=NOW, seller="S1", service="x")

    def rows() -> Iterator[Item]:
        yield from (item(row) for row in range(1, 20_000))
        raise FileProblem("cut short")

    with pytest.raises(FileProblem):
        add_run(ledger, rows(), run_id=run)
    assert (ledger.files(run), ledger.read_packages(run)) == ([], [])


def test_verdicts_come_in_row_order_however_mixed(ledger: Ledger) -> None:
    kinds = list(PackageType)
    rows = [item(row, "PST"[row % 3], kinds[row % 2]) for row in range(2, 12_002)]
    _, file = add_run(ledger, rows)
    assert [(v.row, v.reference) for v in ledger.verdicts(file)] == [
        (row, f"R{row}") for row in range(2, 12_002)
    ]


# Changes.


def test_a_package_is_read_as_it_was_saved(ledger: Ledger) -> None:
    file, package = one_package(ledger)
    after = replace(
        package,
        uploads=(Stage.STAGED, Stage.REFUSED),
        phase=Phase.INTEGRATED,
        package_id="p1",
        state="Integrated",
        message=Message("1", "why"),
        created_at=NOW,
        committed_at=NOW.astimezone(timezone(timedelta(hours=5))),
        finished_at=NOW + timedelta(microseconds=1),
        creations=1,
        readings=2,
        link="https://x/y",
        pages=3,
        attempts=4,
        tries=5,
        failures=6,
        since=NOW,
        due=NOW,
    )
    ledger.save([Change(package, after)])
    assert [found.file for found in ledger.files(1)] == [file]
    assert ledger.read_packages(1) == [after]
    ledger.save([Change(after, package)])
    assert ledger.read_packages(1) == [package]


def test_attempts_are_written_before_and_after(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    intent = Attempt(1, "create", NOW, upload=2)
    ledger.save([Change(package, package, intent)])
    answered = replace(
        intent,
        answered_at=NOW,
        outcome="done",
        status=201,
        trace_id="t1",
        detail="Yes.",
        package_id="p1",
    )
    ledger.save([Change(package, package, Attempt(2, "look", NOW))])
    assert ledger.known(["p1", "p2"]) == set()
    ledger.save([Change(package, package, answered)])
    with reading(ledger.engine) as db:  # what no method shows
        found = db.execute(select(tables.attempts).order_by(tables.attempts.c.number)).all()
    assert [tuple(one) for one in found] == [
        (package.key, 1, "create", 2, NOW, NOW, "done", 201, "t1", "Yes.", "p1"),
        (package.key, 2, "look", None, NOW, None, None, None, None, None, None),
    ]
    # Whatever became of the package since, it is ours.
    assert ledger.known(["p1", "p2"]) == {"p1"}
    assert ledger.known([]) == set()
    assert ledger.known([f"p{number}" for number in range(100_000)]) == {"p1"}


def test_changes_are_saved_together_or_not_at_all(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    after = replace(package, phase=Phase.CREATING)
    naive = replace(after, due=NOW.replace(tzinfo=None))
    with pytest.raises(Exception, match="no time zone"):
        ledger.save([Change(package, after), Change(after, naive)])
    assert ledger.read_packages(1) == [package]


# In flight.


def run_of(ledger: Ledger, *rows: Item, seller: str = "S1", service: str = SERVICE) -> "Started":
    """A run with a package of these rows."""
    run_id, _ = add_run(ledger, rows, SMALL, seller=seller, service=service)
    return Started(read_run(ledger, run_id), ledger.read_packages(run_id)[0])


class Started(NamedTuple):
    run: Run
    package: Package


def begin(ledger: Ledger, started: Started, phase: Phase = Phase.FILLING) -> Package:
    """Bring the package of a run to a phase, as far as nothing keeps it waiting."""
    found = ledger.clear(started.package, started.run)
    assert not found.blocked_by
    made = {Phase.CLEARED: 0, Phase.CREATING: 0}.get(phase, 1)
    committed = NOW if phase in COMMITTED else None
    sent = (Stage.STAGED,) * len(found.uploads) if phase in COMMITTED else found.uploads
    after = replace(
        found,
        uploads=sent,
        phase=phase,
        package_id="p" * made or None,
        creations=made,
        committed_at=committed,
    )
    ledger.save([Change(found, after)])
    return after


COMMITTED = {
    *(Phase.COMMITTING, Phase.COMMITTED, Phase.INTEGRATED, Phase.READ),
    *(Phase.LOOKING, Phase.CLOSED),
}
OPEN = [phase for phase in Phase if phase not in COMMITTED | {Phase.PLANNED}]


def told(ledger: Ledger, started: Started) -> list[str]:
    return [str(one.status) for one in ledger.verdicts(started.package.file)]


@pytest.mark.parametrize("phase", OPEN)
def test_what_an_interrupted_run_left_uncommitted_is_given_up(ledger: Ledger, phase: Phase) -> None:
    older, newer = run_of(ledger, item(3), item(4)), run_of(ledger, item(4))
    begin(ledger, older, phase)
    assert begin(ledger, newer).blocked_by == frozenset()
    (left,) = ledger.read_packages(older.run.run_id)
    assert (left.phase, left.package_id, left.state) == (Phase.PLANNED, None, None)
    assert left.uploads == (Stage.PLANNED,)
    # Of the older, only what the newer has not sent is still to be sent.
    found = ledger.clear(left, older.run)
    assert ledger.bodies(found.key, [1])[1] == [b'{"n":3}']
    assert told(ledger, older) == ["Pending", "Superseded"]


@pytest.mark.parametrize("phase", sorted(COMMITTED - {Phase.CLOSED}))
def test_what_is_committed_keeps_the_others_waiting(ledger: Ledger, phase: Phase) -> None:
    older, newer = run_of(ledger, item(3), item(4)), run_of(ledger, item(4))
    before = begin(ledger, older, phase)
    assert ledger.clear(newer.package, newer.run).blocked_by == {before.key}
    assert ledger.read_packages(older.run.run_id) == [before]
    assert ledger.irrevocable(newer.run.run_id) == [before]
    assert ledger.irrevocable(older.run.run_id) == []
    ledger.save([Change(before, replace(before, phase=Phase.CLOSED))])
    assert ledger.clear(newer.package, newer.run).blocked_by == frozenset()
    assert ledger.irrevocable(newer.run.run_id) == []


@pytest.mark.parametrize("phase", [*OPEN, *sorted(COMMITTED - {Phase.CLOSED})])
def test_a_run_that_is_given_up_keeps_no_other_waiting(ledger: Ledger, phase: Phase) -> None:
    older, newer = run_of(ledger, item(3), item(4)), run_of(ledger, item(4), item(5))
    before = begin(ledger, older, phase)
    answered = ("R3", Status.INTEGRATED, ())
    ledger.save([Change(before, before, results=[answered], resolutions=[Resolution(4, None, "")])])
    ended = {before.key: (Status.UNKNOWN, "given up")}
    assert ledger.abandon(older.run.run_id, NOW, ended) == {before.key: 1}
    (left,) = ledger.read_packages(older.run.run_id)
    assert (left.phase, left.finished_at) == (Phase.CLOSED, NOW)
    assert told(ledger, older) == ["Integrated", "Unknown"]
    assert read_run(ledger, older.run.run_id).options == {"abandoned": NOW.isoformat()}
    assert ledger.unfinished() == [newer.run.run_id]
    assert ledger.irrevocable(newer.run.run_id) == []
    assert ledger.clear(newer.package, newer.run).blocked_by == frozenset()


@pytest.mark.parametrize("phase", [None, Phase.FILLING])
def test_what_was_held_supersedes_nothing(ledger: Ledger, phase: Phase | None) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3))
    if phase:
        begin(ledger, newer, phase)
    ledger.abandon(newer.run.run_id, NOW, {newer.package.key: (Status.HELD, "given up")})
    assert ledger.sent_later(older.run, older.package.channel, {"R3"}) == {}
    assert begin(ledger, older).uploads == (Stage.PLANNED,)


def test_a_commit_that_did_not_show_is_still_intended(ledger: Ledger) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3))
    before = begin(ledger, older, Phase.COMMITTING)
    ledger.save([Change(before, replace(before, phase=Phase.SETTLED))])
    assert ledger.clear(newer.package, newer.run).blocked_by == {before.key}


@pytest.mark.parametrize(
    ("other", "is_blocked"),
    [
        (item(3), True),
        (item(3)._replace(product="another"), True),
        (item(9)._replace(product="G3"), True),
        (item(9), False),
        (item(3, "S"), False),
        # Only an Upsert names a product.
        (item(9)._replace(product=""), False),
    ],
)
def test_by_reference_and_by_product(ledger: Ledger, other: Item, is_blocked: bool) -> None:  # noqa: FBT001
    older = run_of(ledger, item(3), item(4)._replace(product=""))
    begin(ledger, older, Phase.COMMITTED)
    newer = run_of(ledger, other)
    assert bool(ledger.clear(newer.package, newer.run).blocked_by) == is_blocked


@pytest.mark.parametrize("whose", [{"seller": "S2"}, {"service": "https://other.example/v2"}])
def test_sellers_and_services_keep_apart(ledger: Ledger, whose: dict[str, str]) -> None:
    older = run_of(ledger, item(3))
    newer = run_of(ledger, item(3), **whose)
    begin(ledger, older, Phase.COMMITTED)
    assert begin(ledger, newer, Phase.COMMITTED).blocked_by == frozenset()
    assert ledger.irrevocable(newer.run.run_id) == []
    assert told(ledger, older) == ["Pending"]


def test_packages_of_one_run_wait_for_each_other(ledger: Ledger) -> None:
    started = run_of(ledger, item(3), item(9, kind=PackageType.DELETE)._replace(reference="R3"))
    first, second = ledger.read_packages(started.run.run_id)
    begin(ledger, Started(started.run, first))
    assert ledger.clear(second, started.run).blocked_by == {first.key}
    assert [p.phase for p in ledger.read_packages(started.run.run_id)] == [
        Phase.FILLING,
        Phase.PLANNED,
    ]


def test_a_package_does_not_wait_for_itself(ledger: Ledger) -> None:
    started = run_of(ledger, item(3), item(4))
    assert ledger.clear(started.package, started.run).blocked_by == frozenset()
    # A crash right after: `resume` begins with it again.
    assert ledger.clear(started.package, started.run).blocked_by == frozenset()
    later = run_of(ledger, item(4)._replace(product="x"))
    assert ledger.clear(later.package, later.run).blocked_by == frozenset()
    assert ledger.clear(later.package, later.run).blocked_by == frozenset()


def test_two_open_packages_with_one_reference_are_impossible(ledger: Ledger) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3)._replace(product="x"))
    begin(ledger, older, Phase.COMMITTED)
    with pytest.raises(IntegrityError), writing(ledger.engine) as db:  # the last line of defence
        clearing.acquire(db, newer.package, newer.run)
    assert ledger.clear(newer.package, newer.run).blocked_by == {older.package.key}


@pytest.mark.parametrize(
    ("phase", "is_superseded"),
    [(Phase.CLEARED, False), (Phase.CREATING, False), (Phase.FILLING, True), (Phase.CLOSED, True)],
)
def test_superseded_by_what_a_later_run_has_sent(
    ledger: Ledger,
    phase: Phase,
    is_superseded: bool,  # noqa: FBT001
) -> None:
    older = run_of(ledger, item(3), item(4), item(5))
    newer = run_of(ledger, item(3), item(4))
    begin(ledger, newer, phase)
    found = ledger.clear(older.package, older.run)
    assert found.uploads == (Stage.SKIPPED if is_superseded else Stage.PLANNED, Stage.PLANNED)
    status = "Superseded" if is_superseded else "Pending"
    assert told(ledger, older) == [status, status, "Pending"]
    assert ledger.bodies(found.key, [2])[2] == [b'{"n":5}']


def test_an_earlier_run_supersedes_nothing(ledger: Ledger) -> None:
    older, newer = run_of(ledger, item(3)), run_of(ledger, item(3))
    begin(ledger, older, Phase.CLOSED)
    assert begin(ledger, newer).uploads == (Stage.PLANNED,)
    assert told(ledger, newer) == ["Pending"]


# What is left of a closed package.


def close(ledger: Ledger, stages: str, *, rows: int | None = None, **more: Any) -> "Closing":
    """A run of uploads of two rows (R3 R4, R5 R6, …), then its package closed at these stages."""
    count = rows or 2 * len(stages)
    size = PackageLimits(-(-count // len(stages)), 1000)
    run_id, _ = add_run(ledger, (item(row) for row in range(3, 3 + count)), size)
    (before,) = ledger.read_packages(run_id)
    return Closing(ledger, run_id).close(before, stages, **more)


STAGES = {
    "P": Stage.PLANNED,
    "T": Stage.STAGED,
    "D": Stage.DOUBTFUL,
    "R": Stage.REFUSED,
    "S": Stage.SKIPPED,
}


class Closing:
    """Closes one package after the other."""

    def __init__(self, ledger: Ledger, run_id: int) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self.new: list[Package] = []

    def close(
        self,
        before: Package,
        stages: str,
        results: str = "",
        resolutions: Sequence[Resolution] = (),
    ) -> Self:
        after = replace(
            before,
            uploads=tuple(STAGES[one] for one in stages),
            phase=Phase.CLOSED,
            package_id="p1",
        )
        found = [(name, Status.INTEGRATED, ()) for name in results.split()]
        self.new = self.ledger.save([Change(before, after, results=found, resolutions=resolutions)])
        return self

    @property
    def moved(self) -> list[list[int]]:
        """The rows of each upload of the new package."""
        return [
            [json.loads(body)["n"] for body in self.ledger.bodies(package.key, [number])[number]]
            for package in self.new
            for number in range(1, len(package.uploads) + 1)
        ]


@pytest.mark.parametrize(
    ("stages", "results", "moved"),
    [
        ("TT", "R3 R4 R5 R6", []),
        # Completed without it.
        ("TP", "R3 R4", [[5, 6]]),
        # Perhaps sent, and not among the results; or one row of it is.
        ("TD", "R3 R4", [[5, 6]]),
        ("TD", "R3 R4 R6", [[5]]),
        ("TD", "R3 R4 R5 R6", []),
        # Surely sent: not sent again without a look.
        ("TT", "R3 R4", []),
        # Refused: in halves.
        ("TR", "R3 R4", [[5], [6]]),
        ("RR", "", [[3], [4], [5], [6]]),
        ("R", "", [[3], [4]]),
        # All of many: it is not the rows that are wrong.
        ("R" * 201, "", []),
        ("R" * 201 + "P", "", [[405, 406]]),
        ("RRR", "", [[3], [4], [5], [6], [7], [8]]),
        ("RRRT", "R9 R10", [[3], [4], [5], [6], [7], [8]]),
        ("RRRD", "", [[3], [4], [5], [6], [7], [8], [9, 10]]),
        # Each upload stays together.
        ("PDTP", "R7 R8", [[3, 4], [5, 6], [9, 10]]),
    ],
)
def test_what_goes_into_a_later_package(
    ledger: Ledger, stages: str, results: str, moved: list[list[int]]
) -> None:
    closing = close(ledger, stages, results=results)
    assert closing.moved == moved
    packages = ledger.read_packages(closing.run_id)
    assert packages[1:] == closing.new
    assert [package.rows for package in packages] == [
        2 * len(stages) - sum(map(len, moved)),
        *[sum(map(len, moved))] * bool(moved),
    ]
    for package in closing.new:
        assert (package.number, package.phase) == (2, Phase.PLANNED)
        assert set(package.uploads) == {Stage.PLANNED}
    assert len(list(ledger.verdicts(packages[0].file))) == 2 * len(stages)


def test_halves_down_to_one_row(ledger: Ledger) -> None:
    closing = close(ledger, "R", rows=5)
    assert closing.moved == [[3, 4, 5], [6, 7]]
    closing.close(closing.new[0], "RT", "R6 R7")
    assert closing.moved == [[3, 4], [5]]
    closing.close(closing.new[0], "RT", "R5")
    assert closing.moved == [[3], [4]]
    closing.close(closing.new[0], "TR", "R3")
    assert closing.moved == []
    statuses = [str(v.status) for v in ledger.verdicts(1)]
    assert statuses == ["Integrated", "Rejected", *["Integrated"] * 3]


def test_doubtful_rows_go_into_three_packages_and_no_more(ledger: Ledger) -> None:
    closing = close(ledger, "TD", results="R3 R4")
    (before,) = closing.new
    assert [sought.sends for sought in moved_sends(ledger, before)] == [1, 1]
    closing.close(before, "D")
    assert closing.moved == [[5, 6]]
    closing.close(closing.new[0], "D")
    assert closing.moved == []
    assert [str(v.status) for v in ledger.verdicts(1)][2:] == ["Unknown"] * 2


def moved_sends(ledger: Ledger, package: Package) -> list[PendingRow]:
    staged = replace(package, uploads=(Stage.STAGED,) * len(package.uploads))
    ledger.save([Change(package, staged)])
    found = ledger.lookup_rows(package.key, 9)
    ledger.save([Change(staged, package)])
    return found


def test_what_was_never_sent_is_not_counted_as_sent(ledger: Ledger) -> None:
    closing = close(ledger, "PR")
    assert [sought.sends for sought in moved_sends(ledger, closing.new[0])] == [0] * 4


def test_what_was_looked_up(ledger: Ledger) -> None:
    fates = [
        Resolution(3, None, ""),
        Resolution(4, Status.UNKNOWN, "Why."),
        Resolution(5, Status.INTEGRATED, "So."),
    ]
    closing = close(ledger, "TT", results="R6", resolutions=fates)
    assert closing.moved == [[3]]
    assert [(str(v.status), *(m.text for m in v.messages)) for v in ledger.verdicts(1)] == [
        ("Pending", "Not sent: the run stopped before its package was begun."),
        ("Unknown", "Why."),
        ("Integrated", "So."),
        ("Integrated",),
    ]


def test_a_package_that_never_was_leaves_nothing(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    closed = replace(package, phase=Phase.CLOSED, message=Message("", "No such channel."))
    assert ledger.save([Change(package, closed)]) == []


# Look-ups.


@pytest.mark.parametrize(
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
def test_what_has_no_result(
    ledger: Ledger, stages: str, results: str, tail: ResultCounts, sought: list[int]
) -> None:
    run_id, _ = add_run(ledger, (item(row) for row in range(3, 7)), PackageLimits(2, 9))
    (before,) = ledger.read_packages(run_id)
    after = replace(before, uploads=tuple(STAGES[one] for one in stages), phase=Phase.LOOKING)
    found = [(name, Status.INTEGRATED, ()) for name in results.split()]
    ledger.save([Change(before, after, results=found)])
    assert ledger.result_counts(before.key) == tail
    assert [one.row for one in ledger.lookup_rows(before.key, 9)] == sought
    assert [one.row for one in ledger.lookup_rows(before.key, 1)] == sought[:1]
    # What was decided is not asked for again, whatever was decided.
    fates = [Resolution(row, status, "") for row, status in zip(sought, FATES, strict=False)]
    ledger.save([Change(after, after, resolutions=fates)])
    assert [one.row for one in ledger.lookup_rows(before.key, 9)] == sought[len(FATES) :]


FATES = (None, Status.UNKNOWN)


def test_a_row_to_be_looked_up_tells_all_that_the_offers_are_compared_by(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    ledger.save([Change(package, replace(package, uploads=(Stage.STAGED, Stage.PLANNED)))])
    assert ledger.lookup_rows(package.key, 1) == [PendingRow(3, "R3", "G3", body=b'{"n":3}')]


# What was written.


def test_what_was_last_written_to_a_place(ledger: Ledger) -> None:
    run, _ = planned(ledger, item(3))
    assert ledger.output("a.xlsx") is None
    for sha256 in ("11", "22"):
        ledger.add_output(run, "a.xlsx", sha256, NOW)
        ledger.add_output(run, "b.xlsx", "33", NOW)
        assert (ledger.output("a.xlsx"), ledger.output("b.xlsx")) == (sha256, "33")


# What the history asks: counts, clocks, later runs.


def read_run(ledger: Ledger, run_id: int) -> Run:
    run = ledger.run(run_id)
    assert run is not None
    return run


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
    assert ledger.sent_later(read_run(ledger, first), "P", wanted) == {"R3": second, "R4": second}
    assert ledger.sent_later(read_run(ledger, first), "Q", wanted) == {}
    assert ledger.sent_later(read_run(ledger, third), "P", wanted) == {}
