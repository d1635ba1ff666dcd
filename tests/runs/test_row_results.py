"""The exit code of a command, from what became of its rows and what stopped it."""

from collections.abc import Mapping

import pytest

from feedtool.model.errors import (
    Exit,
    FeedtoolError,
    FileProblem,
    Interrupted,
    NotAuthorised,
    UsageProblem,
)
from feedtool.model.nouns import WORST_FIRST, Message, RowResult, Status
from feedtool.model.sheet import INVALID, VALID, CheckedSheet
from feedtool.report import SheetResult
from feedtool.report.tally import tally
from feedtool.runs.row_results import exit_code


def outcome(*statuses: Status, invalid: int = 0, error: FileProblem | None = None) -> SheetResult:
    """A sheet whose rows became this."""
    sheet = CheckedSheet("offers.csv", error=error)
    verdicts = [RowResult(row, "", status) for row, status in enumerate(statuses, 2)]
    for verdict in verdicts:
        sheet.marks[verdict.row] = INVALID if verdict.status is Status.INVALID else VALID
    for row in range(invalid):
        sheet.marks[100 + row] = INVALID
    return SheetResult(sheet, None, True, (), lambda: iter(verdicts))


MISSING = outcome(error=FileProblem("missing"))
ENDS: Mapping[str, tuple[list[SheetResult], FeedtoolError | None, int]] = {
    "nothing": ([], None, 9),
    "integrated": ([outcome(Status.INTEGRATED, Status.INTEGRATED)], None, 0),
    "unchanged": ([outcome(Status.INTEGRATED, Status.UNCHANGED)], None, 0),
    "unchanged and invalid": ([outcome(Status.UNCHANGED, Status.INVALID)], None, 1),
    "unchanged and held": ([outcome(Status.UNCHANGED, Status.HELD)], None, 1),
    "one unchanged, the other sent": (
        [outcome(Status.UNCHANGED), outcome(Status.INTEGRATED)],
        None,
        0,
    ),
    "invalid": ([outcome(Status.INTEGRATED, Status.INVALID)], None, 1),
    "invalid, of a mere check": ([outcome(invalid=1)], None, 1),
    "rejected": ([outcome(Status.INTEGRATED, Status.REJECTED)], None, 1),
    "pending": ([outcome(Status.PENDING, Status.REJECTED)], None, 6),
    "unreadable": ([MISSING], None, 3),
    "unreadable and invalid": ([outcome(Status.INVALID), MISSING], None, 3),
    "unreadable and pending": ([outcome(Status.PENDING), MISSING], None, 3),
    "unreadable and integrated": ([outcome(Status.INTEGRATED), MISSING], None, 3),
    "not authorised": ([outcome(Status.PENDING)], NotAuthorised("no"), 4),
    "not authorised, and unreadable": ([MISSING], NotAuthorised("no"), 4),
    "interrupted": ([outcome(Status.PENDING), MISSING], Interrupted("cut"), 5),
    "usage goes before all": ([MISSING, outcome(Status.PENDING)], UsageProblem("no"), 2),
    "a bug goes before usage": ([MISSING], FeedtoolError("bug"), 70),
}


@pytest.mark.parametrize(("outcomes", "stopped", "code"), ENDS.values(), ids=ENDS)
def test_the_exit_code(
    outcomes: list[SheetResult], stopped: FeedtoolError | None, code: int
) -> None:
    assert exit_code(outcomes, stopped) == code


def test_a_row_counts_once_with_the_worst_of_its_results() -> None:
    sent = outcome(Status.INTEGRATED, Status.INTEGRATED)
    given = ((2, Status.INTEGRATED), (2, Status.REJECTED), (3, Status.UNCHANGED), (3, Status.VALID))
    said = (Message("", "No."),)
    sent.verdicts = lambda: (RowResult(row, "", status, said) for row, status in given)
    assert sent.counts().by_status == {Status.REJECTED: 1, Status.VALID: 1}
    (refusal,) = tally(sent, 1).refusals
    assert (refusal.count, refusal.rows) == (1, [2])
    assert exit_code([sent]) == 1
    assert set(WORST_FIRST) == set(Status)


@pytest.mark.parametrize("status", Status)
def test_every_status_has_an_exit_code(status: Status) -> None:
    good = {"Valid", "Integrated", "Superseded"}
    nothing = dict.fromkeys((Status.UNCHANGED, Status.SKIPPED), Exit.NOTHING)
    others = {Status.PENDING: Exit.PENDING, **nothing}
    expected = others.get(status, Exit.OK if status in good else Exit.ROWS)
    assert exit_code([outcome(status)]) == expected
