from dataclasses import replace

import pytest
from sqlalchemy import select

from feedtool.areas.offers.package_types import PackageType
from feedtool.ledger import Attempt, Change, Ledger, Package, Phase, Resolution, Stage, tables
from feedtool.ledger.database import reading
from feedtool.ledger.packages import AT_ONCE
from feedtool.model.nouns import Item, Message, Status
from tests.ledger.conftest import NOW, add_run

ROWS = range(3, 3 + 2 * AT_ONCE + 1)
FULL = Message("1302", "Full.")


@pytest.fixture(autouse=True)
def two_packages(ledger: Ledger) -> None:
    rows = (
        Item(row, PackageType.UPSERT, channel, f"R{row}", f"G{row}", b"{}")
        for channel, some in (("P", ROWS[:-2]), ("S", ROWS[-2:]))
        for row in some
    )
    add_run(ledger, rows)


def attempts(ledger: Ledger) -> list[tuple[int, int, str, str | None]]:
    at = tables.attempts.c
    with reading(ledger.engine) as db:  # what no method shows
        found = db.execute(select(at.package, at.number, at.step, at.outcome).order_by(*at))
        return [tuple(one) for one in found]


def verdicts(ledger: Ledger) -> dict[int, Status]:
    (file,) = ledger.files(1)
    return {one.row: one.status for one in ledger.verdicts(file.file)}


def at_stage(package: Package, stage: Stage) -> Package:
    return replace(package, uploads=(stage, *package.uploads[1:]))


def test_the_last_word_on_a_package_counts(ledger: Ledger) -> None:
    first, second = ledger.read_packages(1)
    creating = replace(first, phase=Phase.CREATING, attempts=1, since=NOW)
    filling = replace(creating, phase=Phase.FILLING, package_id="p1", message=FULL)
    other = replace(second, phase=Phase.CLEARED, due=NOW)
    again = replace(filling, phase=Phase.PROBING, since=None, message=None)
    ledger.save(
        [
            Change(first, creating),
            Change(creating, filling),
            Change(second, other),
            Change(filling, again),
        ]
    )
    assert ledger.read_packages(1) == [again, other]


@pytest.mark.parametrize(
    ("stages", "is_told"),
    [
        ([Stage.SENDING, Stage.REFUSED], True),
        # What is sent anew in another package is refused no more.
        ([Stage.SENDING, Stage.REFUSED, Stage.PLANNED], False),
        ([Stage.SENDING, Stage.STAGED], False),
    ],
)
def test_the_last_word_on_an_upload_counts(
    ledger: Ledger,
    stages: list[Stage],
    is_told: bool,  # noqa: FBT001
) -> None:
    package, _ = ledger.read_packages(1)
    changes = []
    for stage in stages:
        after = at_stage(package, stage)
        changes.append(
            Change(package, after, refused=(1, FULL) if stage is Stage.REFUSED else None)
        )
        package = after
    ledger.save(changes)
    at = tables.uploads.c
    with reading(ledger.engine) as db:  # what no method shows
        kept = db.execute(select(at.stage, at.message_code).where(at.package == package.key)).all()
    assert [tuple(one) for one in kept] == [
        (stages[-1], FULL.code if is_told else None),
        *((stage, None) for stage in package.uploads[1:]),
    ]


def test_a_step_taken_back_at_once_is_begun_and_answered(ledger: Ledger) -> None:
    first, second = ledger.read_packages(1)
    intent = Attempt(1, "create", NOW)
    taken_back = replace(intent, answered_at=NOW, outcome="wait")
    ledger.save(
        [
            Change(first, first, intent),
            Change(second, second, intent),
            Change(first, first, taken_back),
        ]
    )
    assert attempts(ledger) == [
        (first.key, 1, "create", "wait"),
        (second.key, 1, "create", None),
    ]


def test_more_results_than_a_statement_takes(ledger: Ledger) -> None:
    first, second = ledger.read_packages(1)
    refused = [(f"R{row}", Status.REJECTED, (FULL,)) for row in ROWS]
    taken = [(f"R{row}", Status.INTEGRATED, ()) for row in ROWS[1:]]
    ledger.save(
        [
            Change(first, first, results=refused[:-2]),
            Change(first, first, results=taken[:-2]),
            Change(second, second, results=taken[-2:]),
        ]
    )
    first_row, *others = ROWS
    integrated = dict.fromkeys(others, Status.INTEGRATED)
    assert verdicts(ledger) == {first_row: Status.REJECTED} | integrated


def test_the_last_word_on_a_row_without_a_result_counts(ledger: Ledger) -> None:
    package, _ = ledger.read_packages(1)
    row = ROWS[0]
    fates = (Resolution(row, None, "Again."), Resolution(row, Status.UNKNOWN, "Gone."))
    ledger.save([Change(package, package, resolutions=[fate]) for fate in fates])
    assert verdicts(ledger)[row] is Status.UNKNOWN
