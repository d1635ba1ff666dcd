"""Saved packages: each change whole, the last change counts."""

import json
from collections.abc import Sequence
from datetime import timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import ColumnElement, select

from feedtool.ledger import Attempt, Change, Ledger, Package, Phase, Resolution, Stage, tables
from feedtool.ledger.database import CHUNK, reading
from feedtool.ledger.packages import AT_ONCE
from feedtool.model.nouns import Message, Severity, Status
from tests.ledger.conftest import NOW, add_run, item, on_both

ROWS = range(3, 3 + 2 * AT_ONCE + 1)
FULL = Message("1302", "Full.")


@pytest.fixture(autouse=True)
def packages(ledger: Ledger) -> list[Package]:
    """The two packages of a run: of all but the last two rows, and of these two."""
    add_run(ledger, [item(row, "P" if row in ROWS[:-2] else "S") for row in ROWS])
    return ledger.read_packages(1)


def kept(ledger: Ledger, *columns: ColumnElement[Any]) -> list[tuple[object, ...]]:
    """Rows that no method shows."""
    with reading(ledger.engine) as db:
        return [tuple(row) for row in db.execute(select(*columns).order_by(*columns[:2]))]


def statuses(ledger: Ledger) -> dict[int, Status]:
    return {verdict.row: verdict.status for verdict in ledger.verdicts(1)}


def test_a_saved_package_is_read_unchanged(ledger: Ledger, packages: list[Package]) -> None:
    package, other = packages
    names = ("creations", "readings", "pages", "attempts", "tries", "failures")
    counts: dict[str, Any] = {name: number for number, name in enumerate(names, start=1)}
    after = replace(
        package,
        uploads=(Stage.STAGED, Stage.REFUSED, *package.uploads[2:]),
        phase=Phase.INTEGRATED,
        package_id="p1",
        state="Integrated",
        message=Message("1", "why"),
        created_at=NOW,
        committed_at=NOW.astimezone(timezone(timedelta(hours=5))),
        finished_at=NOW + timedelta(microseconds=1),
        link="https://x/y",
        since=NOW,
        due=NOW,
        **counts,
    )
    for pair in ((package, after), (after, package)):
        ledger.save([Change(*pair)])
        assert ledger.read_packages(1) == [pair[1], other]


def test_attempts_are_written_before_and_after(ledger: Ledger, packages: list[Package]) -> None:
    package, _ = packages
    intent = Attempt(1, "create", NOW, upload=2)
    told: dict[str, Any] = {"status": 201, "trace_id": "t1", "detail": "Yes.", "package_id": "p1"}
    answered = replace(intent, answered_at=NOW, outcome="done", **told)
    for attempt in (intent, Attempt(2, "look", NOW)):
        ledger.save([Change(package, package, attempt)])
    assert ledger.known(["p1", "p2"]) == set()
    ledger.save([Change(package, package, answered)])
    assert kept(ledger, *tables.attempts.c) == [
        (package.key, 1, "create", 2, NOW, NOW, "done", 201, "t1", "Yes.", "p1"),
        (package.key, 2, "look", None, NOW, None, None, None, None, None, None),
    ]
    # Whatever became of the package since, it is ours.
    assert ledger.known([]) == set()
    # By several queries if they are many; it is the last of them.
    assert ledger.known([f"p{number}" for number in range(CHUNK + 1, 0, -1)]) == {"p1"}


def test_changes_are_saved_together_or_not_at_all(ledger: Ledger, packages: list[Package]) -> None:
    after = replace(packages[0], phase=Phase.CREATING)
    naive = replace(after, due=NOW.replace(tzinfo=None))
    with pytest.raises(Exception, match="no time zone"):
        ledger.save([Change(packages[0], after), Change(after, naive)])
    assert ledger.read_packages(1) == packages


def test_the_last_word_on_a_package_counts(ledger: Ledger, packages: list[Package]) -> None:
    first, second = packages
    creating = replace(first, phase=Phase.CREATING, attempts=1, since=NOW)
    filling = replace(creating, phase=Phase.FILLING, package_id="p1", message=FULL)
    other = replace(second, phase=Phase.CLEARED, due=NOW)
    again = replace(filling, phase=Phase.PROBING, since=None, message=None)
    pairs = ((first, creating), (creating, filling), (second, other), (filling, again))
    ledger.save([Change(*pair) for pair in pairs])
    assert ledger.read_packages(1) == [again, other]


@on_both(
    ("stages", "is_told"),
    [
        ([Stage.SENDING, Stage.REFUSED], True),
        # What is sent anew in another package is refused no more.
        ([Stage.SENDING, Stage.REFUSED, Stage.PLANNED], False),
        ([Stage.SENDING, Stage.STAGED], False),
    ],
)
def test_the_last_word_on_an_upload_counts(
    ledger: Ledger, packages: list[Package], stages: Sequence[Stage], *, is_told: bool
) -> None:
    package, _ = packages
    changes = []
    for stage in stages:
        after = package.with_stage(1, stage)
        refused = (1, FULL) if stage is Stage.REFUSED else None
        changes.append(Change(package, after, refused=refused))
        package = after
    ledger.save(changes)
    at = tables.uploads.c
    first, *others = kept(ledger, at.package, at.upload, at.stage, at.message_code)
    assert first[2:] == (stages[-1], FULL.code if is_told else None)
    assert {row[2:] for row in others} == {(Stage.PLANNED, None)}


def test_a_step_taken_back_at_once_is_begun_and_answered(
    ledger: Ledger, packages: list[Package]
) -> None:
    first, second = packages
    intent = Attempt(1, "create", NOW)
    taken_back = replace(intent, answered_at=NOW, outcome="wait")
    steps = ((first, intent), (second, intent), (first, taken_back))
    ledger.save([Change(package, package, attempt) for package, attempt in steps])
    at = tables.attempts.c
    found = kept(ledger, at.package, at.number, at.step, at.outcome)
    assert found == [(first.key, 1, "create", "wait"), (second.key, 1, "create", None)]


def test_more_results_than_a_statement_takes(ledger: Ledger, packages: list[Package]) -> None:
    first, second = packages
    refused = [(f"R{row}", Status.REJECTED, (FULL,)) for row in ROWS]
    taken = [(f"R{row}", Status.INTEGRATED, ()) for row in ROWS[1:]]
    given = ((first, refused[:-2]), (first, taken[:-2]), (second, taken[-2:]))
    ledger.save([Change(package, package, results=results) for package, results in given])
    integrated = dict.fromkeys(ROWS[1:], Status.INTEGRATED)
    assert statuses(ledger) == {ROWS[0]: Status.REJECTED} | integrated


def test_the_last_word_on_a_row_without_a_result_counts(
    ledger: Ledger, packages: list[Package]
) -> None:
    fates = (Resolution(ROWS[0], None, "Again."), Resolution(ROWS[0], Status.UNKNOWN, "Gone."))
    ledger.save([Change(packages[0], packages[0], resolutions=[fate]) for fate in fates])
    assert statuses(ledger)[ROWS[0]] is Status.UNKNOWN


def test_messages_are_kept_with_their_fields(ledger: Ledger, packages: list[Package]) -> None:
    told = (
        Message("ER400", "Because."),
        Message("C", "No.", "title"),
        Message("", "So.", severity=Severity.WARNING),
        Message("D", "So.", "3263", Severity.WARNING),
    )
    ledger.save([Change(packages[0], packages[0], results=[("R3", Status.REFUSED, told)])])
    found = next(ledger.verdicts(1))
    assert (found.status, found.messages) == (Status.REFUSED, told)
    assert found.messages[3].severity is Severity.WARNING
    ((text,),) = kept(ledger, tables.results.c.messages)  # as older tools have written it
    assert json.loads(str(text))[:2] == [["ER400", "Because."], ["C", "No.", "title", "error"]]
