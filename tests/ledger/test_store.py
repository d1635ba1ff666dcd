from __future__ import annotations

import sqlite3
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from feedtool import plan
from feedtool.dialect import Limits
from feedtool.errors import FileProblem, Interrupted, UsageProblem
from feedtool.ledger import Attempt, Change, Ledger, Package, Phase, Stage, Tail
from feedtool.ledger.verdicts import Facts, verdict
from feedtool.model import Item, Message, PackageSummary, PackageType, Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SMALL = Limits(upload=2, package=3)
UPSERT = PackageType.UPSERT


def item(row: int, channel: str = "P", kind: PackageType = UPSERT) -> Item:
    return Item(row, kind, channel, f"R{row}", f"G{row}", f'{{"n":{row}}}'.encode())


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "state" / "ledger.db") as opened:
        yield opened


def planned(ledger: Ledger, *rows: Item) -> tuple[int, int]:
    run = ledger.start_run(now=NOW, seller="S1", service="https://service.example/v2")
    stream = plan.uploads(rows, SMALL)
    return run, ledger.add_file(run, stream, path="a.xlsx", sha256="00", kind="offers-upsert")


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
    assert ledger.bodies(packages[0].key, 1) == [b'{"n":3}', b'{"n":5}']
    assert ledger.bodies(packages[0].key, 2) == [b'{"n":6}']
    assert ledger.packages(file) == [
        PackageSummary(None, UPSERT, "P", None, 3, 2),
        PackageSummary(None, UPSERT, "S", None, 1, 1),
        PackageSummary(None, UPSERT, "P", None, 1, 1),
    ]


def test_files_of_a_run_keep_apart(ledger: Ledger) -> None:
    run, first = planned(ledger, item(3))
    second = ledger.add_file(
        run, plan.uploads([item(3), item(4)]), path="b", sha256="", kind="k", sheet="Offers"
    )
    assert [file.file for file in ledger.files(run)] == [first, second]
    assert [(p.file, p.number) for p in ledger.read_packages(run)] == [(first, 1), (second, 1)]
    assert [len(list(ledger.verdicts(file))) for file in (first, second)] == [1, 2]


def test_a_file_without_rows_has_no_packages(ledger: Ledger) -> None:
    run, file = planned(ledger)
    assert (ledger.read_packages(run), ledger.packages(file)) == ([], [])
    assert list(ledger.verdicts(file)) == []


def test_a_file_that_breaks_off_leaves_nothing(ledger: Ledger) -> None:
    run = ledger.start_run(now=NOW, seller="S1", service="x")

    def rows() -> Iterator[Item]:
        yield from (item(row) for row in range(1, 20_000))
        raise FileProblem("cut short")

    with pytest.raises(FileProblem):
        ledger.add_file(run, plan.uploads(rows()), path="a", sha256="", kind="k")
    assert (ledger.files(run), ledger.read_packages(run)) == ([], [])


def test_verdicts_come_in_row_order_however_mixed(ledger: Ledger) -> None:
    kinds = list(PackageType)
    rows = [item(row, "PST"[row % 3], kinds[row % 2]) for row in range(2, 12_002)]
    run = ledger.start_run(now=NOW, seller="S1", service="x")
    file = ledger.add_file(run, plan.uploads(rows), path="a", sha256="", kind="k")
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


def test_attempts_are_written_before_and_after(ledger: Ledger, tmp_path: Path) -> None:
    _, package = one_package(ledger)
    intent = Attempt(1, "upload", NOW, upload=2)
    ledger.save([Change(package, package, intent)])
    answered = replace(
        intent, answered_at=NOW, outcome="refused", status=400, trace_id="t1", detail="No."
    )
    ledger.save([Change(package, package, Attempt(2, "look", NOW))])
    ledger.save([Change(package, package, answered)])
    with sqlite3.connect(tmp_path / "state" / "ledger.db") as db:
        found = db.execute("SELECT * FROM attempts ORDER BY number").fetchall()
    db.close()
    moment = "2026-03-02T09:00:00.000000+00:00"
    assert found == [
        (package.key, 1, "upload", 2, moment, moment, "refused", 400, "t1", "No."),
        (package.key, 2, "look", None, moment, None, None, None, None, None),
    ]


def test_results_may_be_read_more_than_once(ledger: Ledger) -> None:
    file, package = one_package(ledger)
    told = Message("8000", "Créé")
    for status in (Status.REJECTED, Status.INTEGRATED):
        page = [("R3", status, (told,)), ("R5", status, ()), ("stranger", status, ())]
        ledger.save([Change(package, package, results=page)])
    found = list(ledger.verdicts(file))
    assert found[0] == Verdict(3, "R3", Status.INTEGRATED, (told,))
    assert found[2] == Verdict(5, "R5", Status.INTEGRATED)


def test_rows_taken_without_a_result_are_counted(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    after = replace(package, uploads=(Stage.STAGED, Stage.DOUBTFUL))
    ledger.save([Change(package, after, results=[("R3", Status.INTEGRATED, ())])])
    assert ledger.tail(package.key) == Tail(answered=1, missing=1, doubtful=1)


def test_a_time_without_a_zone_is_refused(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    naive = replace(package, due=NOW.replace(tzinfo=None))
    with pytest.raises(Exception, match="no time zone"):
        ledger.save([Change(package, naive)])


def test_changes_are_saved_together_or_not_at_all(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    after = replace(package, phase=Phase.CREATING)
    naive = replace(after, due=NOW.replace(tzinfo=None))
    with pytest.raises(Exception, match="no time zone"):
        ledger.save([Change(package, after), Change(after, naive)])
    assert ledger.read_packages(1) == [package]


# Verdicts.

FACTS = Facts(
    row=3,
    reference="A",
    fate=None,
    why="",
    phase=Phase.CLOSED,
    package_id="p1",
    state="Integrated",
    is_committed=True,
    package_message=None,
    stage=Stage.STAGED,
    upload_message=None,
    status=None,
    messages=(),
)
WHY = Message("1023", "Because.")


@pytest.mark.parametrize(
    ("facts", "status", "text"),
    [
        # The service's own word on the row goes before all else.
        ({"status": Status.INTEGRATED, "messages": (WHY,)}, Status.INTEGRATED, "Because."),
        ({"status": Status.DUPLICATED}, Status.DUPLICATED, ""),
        ({"status": Status.REJECTED, "stage": Stage.DOUBTFUL}, Status.REJECTED, ""),
        # A refused upload, a rejected package, a package that could not be created.
        ({"stage": Stage.REFUSED, "upload_message": WHY}, Status.REJECTED, "Because."),
        ({"state": "Rejected", "package_message": WHY}, Status.REJECTED, "Because."),
        (
            {"package_id": None, "state": None, "is_committed": False, "package_message": WHY}
            | {"stage": Stage.PLANNED},
            Status.REJECTED,
            "Because.",
        ),
        # Closed without a word on the row.
        ({}, Status.UNKNOWN, "has given no result"),
        ({"package_message": WHY}, Status.UNKNOWN, "has given no result for it. Because."),
        ({"stage": Stage.DOUBTFUL}, Status.UNKNOWN, "was not sent again"),
        (
            {"stage": Stage.DOUBTFUL, "state": "Rejected", "package_message": WHY},
            Status.UNKNOWN,
            "was not sent again. Because.",
        ),
        ({"stage": Stage.PLANNED}, Status.PENDING, "completed without it"),
        # Not closed.
        ({"phase": Phase.COMMITTED}, Status.PENDING, "Committed in package p1"),
        ({"phase": Phase.COMMITTING, "stage": Stage.DOUBTFUL}, Status.PENDING, "was lost"),
        ({"phase": Phase.COMMITTED, "stage": Stage.PLANNED}, Status.PENDING, "without it"),
        ({"phase": Phase.FILLING, "is_committed": False}, Status.PENDING, "Not in force"),
        (
            {"phase": Phase.PLANNED, "package_id": None, "is_committed": False},
            Status.PENDING,
            "Not sent",
        ),
        (
            {"phase": Phase.PLANNED, "is_committed": False, "stage": Stage.PLANNED},
            Status.PENDING,
            "Not in force",
        ),
        # Intended is as much as committed, as long as nobody has seen otherwise.
        ({"phase": Phase.SETTLED}, Status.PENDING, "Committed in package p1"),
    ],
)
def test_what_became_of_a_row(facts: dict[str, object], status: Status, text: str) -> None:
    found = verdict(FACTS._replace(**facts))  # type: ignore[arg-type]
    assert (found.row, found.reference, found.status) == (3, "A", status)
    assert text in " ".join(message.text for message in found.messages)


# Files and versions.


def test_a_ledger_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state" / "ledger.db"
    with Ledger(path) as opened:
        opened.start_run(now=NOW, seller="S1", service="x")
        for made in path.parent.iterdir():
            assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_ledger_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(path) as opened:
        run, file = planned(opened, item(3))
    with Ledger(f"sqlite:///{path}") as opened:
        assert opened.files(run) == [file]


def test_every_commit_is_on_disk(ledger: Ledger) -> None:
    with ledger._engine.connect() as db:  # noqa: SLF001 - what no method shows
        pragmas = {
            name: db.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_in_memory() -> None:
    with Ledger() as opened:
        _, file = planned(opened, item(3))
        assert len(list(opened.verdicts(file))) == 1


@pytest.mark.parametrize(
    ("version", "who", "hint"), [(99, "a newer", "Upgrade"), (0, "an older", "Finish its runs")]
)
def test_another_version_is_not_opened(tmp_path: Path, version: int, who: str, hint: str) -> None:
    path = tmp_path / "ledger.db"
    Ledger(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE schema_version SET version = ?", (version,))
    db.close()
    with pytest.raises(UsageProblem, match=f"version {version}, made by {who}") as caught:
        Ledger(path)
    assert hint in caught.value.hint


def test_what_is_no_ledger(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a database at all, whatever its name may say" * 100)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (a)")
    db.close()
    for place, why in (
        (text, "file is not a database"),
        (other, "no ledger"),
        (tmp_path, "Is a directory"),
        (text / "below", "Not a directory"),
        ("nosuch://u:secret@h/db", "nosuch"),
        ("http://", "http://"),
    ):
        with pytest.raises(UsageProblem, match=why) as caught:
            Ledger(place)
        assert "secret" not in caught.value.message


def test_a_ledger_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(path) as opened:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("DROP TABLE attempts")
        other.execute("DROP TABLE results")
        other.close()
        _, package = one_package(opened)
        with pytest.raises(Interrupted, match="ledger cannot be written"):
            opened.save([Change(package, package, Attempt(1, "look", NOW))])


def test_a_bug_is_no_broken_disk(ledger: Ledger) -> None:
    _, package = one_package(ledger)
    twice = Change(package, package, Attempt(1, "look", NOW))
    with pytest.raises(IntegrityError):
        ledger.save([twice, twice])
