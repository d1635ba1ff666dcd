from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from feedtool.areas.offers.delivery import PackageType
from feedtool.ledger import Attempt, Change, Ledger, Package, Phase, Resolution, Stage
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.row_history import digest_of
from feedtool.ledger.store import BATCH
from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Item, Message, PackageSummary, Status
from feedtool.model.settings import PackageLimits
from tests.ledger.conftest import MOSTLY_SQLITE, NOW, SERVICE, add_run, item, on_both, read_run

SMALL = PackageLimits(upload=2, package=3)
UPSERT = PackageType.UPSERT


def planned(ledger: Ledger, *rows: Item) -> tuple[int, int]:
    return add_run(ledger, rows, SMALL)


@MOSTLY_SQLITE
def test_a_written_run_is_read_unchanged(ledger: Ledger) -> None:
    options = {"out": "b.xlsx", "nested": [1, None]}
    run = ledger.start_run(now=NOW, seller="S1", service="x", language="fr", options=options)
    found = read_run(ledger, run)
    assert (found.run_id, found.started_at, found.seller) == (run, NOW, "S1")
    assert (found.language, found.options) == ("fr", options)
    assert ledger.run(run + 1) is None


def test_rows_become_packages_and_uploads(ledger: Ledger) -> None:
    run, file = planned(ledger, item(3), item(4, "S"), item(5), item(6), item(7))
    packages = ledger.read_packages(run)
    shapes = [(p.number, p.channel, p.rows, len(p.uploads)) for p in packages]
    assert shapes == [(1, "P", 3, 2), (2, "S", 1, 1), (3, "P", 1, 1)]
    new = Package(packages[0].key, file, 1, "P", UPSERT, 3, (Stage.PLANNED, Stage.PLANNED))
    assert packages[0] == new
    assert ledger.bodies(packages[0].key, [1])[1] == [b'{"n":3}', b'{"n":5}']
    assert ledger.bodies(packages[0].key, [2])[2] == [b'{"n":6}']
    shown = (("P", None, 3, 2), ("S", None, 1, 1), ("P", None, 1, 1))
    assert ledger.packages(file) == [PackageSummary(None, UPSERT, *one) for one in shown]


def test_there_is_no_run_of_other_numbers(ledger: Ledger) -> None:
    for run in (0, 7, (1 << 63) - 1, 1 << 63, 10**30):
        assert ledger.run(run) is None, run


@MOSTLY_SQLITE
def test_files_of_a_run_keep_apart(ledger: Ledger) -> None:
    run, first = planned(ledger, item(3))
    _, second = add_run(ledger, [item(3), item(4)], run_id=run, path="b", sheet="Offers")
    assert [file.file for file in ledger.files(run)] == [first, second]
    assert [(p.file, p.number) for p in ledger.read_packages(run)] == [(first, 1), (second, 1)]
    assert [len(list(ledger.verdicts(file))) for file in (first, second)] == [1, 2]


def test_an_incomplete_file_leaves_no_run(ledger: Ledger) -> None:
    run = ledger.start_run(now=NOW, seller="S1", service="x")

    def rows() -> Iterator[Item]:
        yield from (item(row) for row in range(1, 2 * BATCH))
        raise FileProblem("cut short")

    with pytest.raises(FileProblem):
        add_run(ledger, rows(), run_id=run)
    assert (ledger.files(run), ledger.read_packages(run)) == ([], [])


@MOSTLY_SQLITE
def test_verdicts_come_in_row_order_however_mixed(ledger: Ledger) -> None:
    kinds = list(PackageType)
    rows = [item(row, "PST"[row % 3], kinds[row % 2]) for row in range(2, 5_402)]
    _, file = add_run(ledger, rows)
    found = [(verdict.row, verdict.reference) for verdict in ledger.verdicts(file)]
    assert found == [(row, f"R{row}") for row in range(2, 5_402)]


# What is personal.


def kept_bodies(ledger: Ledger) -> dict[int, bytes]:
    """The requests by their rows."""
    with reading(ledger.engine) as db:
        found = db.execute(select(t.requests.c.row, t.requests.c.body))
        return dict(map(tuple, found))


BODIES = {3: b'{"n":3}', 4: b'{"n":4}', 5: b'{"n":5}'}


def test_finished_requests_are_kept_as_digests(ledger: Ledger) -> None:
    run, _ = planned(ledger, item(3), item(4, "S"), item(5))
    first, other = ledger.read_packages(run)
    sent = replace(first, phase=Phase.SUBMITTED, creations=1, package_id="1")
    ledger.save([Change(first, sent, is_personal=True)])
    assert kept_bodies(ledger) == BODIES
    ended = Change(sent, replace(sent, phase=Phase.CLOSED), is_personal=True)
    results, again = [("R3", Status.INTEGRATED, ())], [Resolution(5, None, "sent again")]
    closed = ended._replace(results=results, resolutions=again)
    (new,) = ledger.save([closed, Change(other, replace(other, phase=Phase.CLOSED))])
    assert kept_bodies(ledger) == {**BODIES, 3: digest_of(BODIES[3])}
    assert ledger.bodies(new.key, [1])[1] == [BODIES[5]]
    known = [item(3), item(3, body=b'{"n":4}'), item(3, body=digest_of(b""))]
    runs = [ledger.sent_before(SERVICE, "S1", None, one) for one in known]
    assert runs == [run, None, None]


def test_abandoned_requests_are_kept_as_digests(ledger: Ledger) -> None:
    run, _ = planned(ledger, item(3), item(4, "S"))
    first, other = ledger.read_packages(run)
    ended = dict.fromkeys((first.key, other.key), (Status.UNKNOWN, "given up"))
    ledger.abandon(run, NOW, ended, [first.key])
    assert kept_bodies(ledger) == {3: digest_of(BODIES[3]), 4: BODIES[4]}


# What was written.


def test_the_last_output_of_a_path(ledger: Ledger) -> None:
    run, _ = planned(ledger, item(3))
    assert ledger.output("a.xlsx") is None
    for sha256 in ("11", "22"):
        ledger.add_output(run, "a.xlsx", sha256, NOW)
        ledger.add_output(run, "b.xlsx", "33", NOW)
        assert (ledger.output("a.xlsx"), ledger.output("b.xlsx")) == (sha256, "33")


# What the history asks: counts, clocks, later runs.


def answered(ledger: Ledger, run: int, *, ahead: timedelta = timedelta(0)) -> None:
    """Create the first package: a result for R3, a fate for R4 and none for R5."""
    package = ledger.read_packages(run)[0]
    created = replace(package, phase=Phase.FILLING, package_id="p", creations=1)
    created = replace(created, created_at=NOW + ahead)
    intent = Attempt(1, "create", NOW)
    ledger.save([Change(package, package, intent)])
    attempt = replace(intent, answered_at=NOW, outcome="done", package_id="p")
    result = ("R3", Status.REJECTED, (Message("2403", "taken"),))
    fate = Resolution(4, Status.UNKNOWN, "it was changed since")
    ledger.save([Change(package, created, attempt, results=[result], resolutions=[fate])])


@MOSTLY_SQLITE
def test_statuses_count_the_verdicts(ledger: Ledger) -> None:
    run, file = planned(ledger, item(3), item(4), item(5), item(6), item(7))
    answered(ledger, run)
    counts = ledger.statuses(run)
    assert counts == Counter(verdict.status for verdict in ledger.verdicts(file))
    assert counts == {Status.REJECTED: 1, Status.UNKNOWN: 1, Status.PENDING: 3}
    assert ledger.statuses(run + 1) == {}


# A second is a header's precision.
@on_both(("ahead", "told"), [(90, 90), (0, 0), (1, 0), (-90, -90)])
def test_the_skew_of_the_service_s_clock(ledger: Ledger, ahead: int, told: int) -> None:
    assert ledger.skew(SERVICE) == timedelta(0)
    run, _ = planned(ledger, item(3), item(4), item(5))
    answered(ledger, run, ahead=timedelta(seconds=ahead))
    assert ledger.skew(SERVICE) == timedelta(seconds=told)
    assert ledger.skew("https://another.example/v2") == timedelta(0)


def test_references_that_later_runs_have_sent(ledger: Ledger) -> None:
    first, _ = planned(ledger, item(3), item(4))
    second, _ = planned(ledger, item(3), item(4), item(5))
    third, _ = planned(ledger, item(3))
    answered(ledger, second)
    asked = ((first, "P"), (first, "Q"), (third, "P"))
    wanted = ["R3", "R4", "R9"]
    found = [ledger.sent_later(read_run(ledger, run), channel, wanted) for run, channel in asked]
    # The third has planned R3, and sent nothing.
    assert found == [{"R3": second, "R4": second}, {}, {}]
