"""The exit code of a command, from what became of its rows and what stopped it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

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
from feedtool.report.sheet_result import SheetResult, exit_code
from feedtool.report.tally import tally
from feedtool.runs.corrections import write_corrections
from feedtool.runs.deliver import results, resume
from feedtool.runs.row_results import rows_to_correct
from tests.conftest import Files, gtin, offer
from tests.runs.conftest import START, Desk


def outcome(*statuses: Status, invalid: int = 0, error: FileProblem | None = None) -> SheetResult:
    """A sheet whose rows became this."""
    sheet = CheckedSheet("offers.csv", error=error)
    verdicts = [RowResult(row, "", status) for row, status in enumerate(statuses, 2)]
    for verdict in verdicts:
        sheet.rows.marks[verdict.row] = INVALID if verdict.status is Status.INVALID else VALID
    for row in range(invalid):
        sheet.rows.marks[100 + row] = INVALID
    return SheetResult(sheet, None, True, (), lambda: iter(verdicts))


MISSING = outcome(error=FileProblem("missing"))
ENDS: Mapping[str, tuple[list[SheetResult], FeedtoolError | None, int]] = {
    "nothing": ([], None, 9),
    "unchanged and invalid": ([outcome(Status.UNCHANGED, Status.INVALID)], None, 1),
    "unchanged and held": ([outcome(Status.UNCHANGED, Status.HELD)], None, 1),
    "one unchanged": ([outcome(Status.UNCHANGED), outcome(Status.INTEGRATED)], None, 0),
    "invalid, of a mere check": ([outcome(invalid=1)], None, 1),
    "rejected": ([outcome(Status.INTEGRATED, Status.REJECTED)], None, 1),
    "pending": ([outcome(Status.PENDING, Status.REJECTED)], None, 6),
    "unreadable": ([MISSING], None, 3),
    "unreadable and pending": ([outcome(Status.PENDING), MISSING], None, 3),
    "not authorised": ([outcome(Status.PENDING)], NotAuthorised("no"), 4),
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
    orders = {"Accepted", "OrderRefused", "Shipped", "Cancelled", "Success"}
    talks = {"Sent", "Opened", "Closed", "Read", "Created", "Existing"}
    good = {"Valid", "Integrated", "Superseded", *orders, *talks}
    nothing = dict.fromkeys((Status.UNCHANGED, Status.SKIPPED), Exit.NOTHING)
    others = {Status.PENDING: Exit.PENDING, **nothing}
    expected = others.get(status, Exit.OK if status in good else Exit.ROWS)
    assert exit_code([outcome(status)]) == expected


BAD = {"quantity": "-1"}
TAKEN = {"product__gtin": gtin(1)}
"""The product of another reference: the service rejects it."""


def results_of_rows(desk: Desk, run: int) -> list[tuple[str, str]]:
    """The status of each row, and the last of its messages."""
    (outcome,) = results(run, desk.workspace, START)
    return [
        (row.status.value, row.messages[-1].text if row.messages else "")
        for row in outcome.every_verdict()
    ]


def corrections_of(desk: Desk, run: int, folder: Path) -> list[str]:
    """The references in the workbook of the rows to correct."""
    (outcome,) = write_corrections(run, desk.workspace, START, out=folder / f"{run}.xlsx")
    if outcome.failed is None:
        return []
    (found,) = desk.submit(outcome.failed).outcomes
    return [row.reference for row in found.every_verdict()]


AGAIN = "Sent again in run 2."


def test_a_row_keeps_its_answer_and_names_the_later_run(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(1), name="first.csv"))
    rows = (
        offer(2, **BAD),  # sent again
        offer(3, **TAKEN),  # sent again
        offer(4, **BAD),  # sent again, and rejected then
        offer(5),  # sent again, although it was taken
        offer(6, **BAD),  # sent again in another channel
        offer(7, **BAD),  # sent again under another reference
        offer(8, **BAD),  # sent again by another seller
        offer(9, **BAD),  # planned again, and not sent
    )
    desk.submit(files.csv(*rows, name="early.csv"))
    before = results_of_rows(desk, 2)
    statuses = [status for status, _ in before]
    assert statuses == ["Invalid", "Rejected", "Invalid", "Integrated", *["Invalid"] * 4]
    late = (
        *(offer(2), offer(3), offer(4, **TAKEN), offer(5)),
        *(offer(6, salesChannelId="OTHER"), offer(7, sellerExternalReference="SKU-99")),
    )
    desk.submit(files.csv(*late, name="late.csv"))
    whole = desk.session
    desk.session = replace(whole, seller="another")
    desk.submit(files.csv(offer(8), name="late.csv"))
    desk.session = replace(whole, stopping=lambda: Interrupted("no line"))
    desk.submit(files.csv(offer(9), name="late.csv"))
    again = [(status, "Sent again in run 3.") for status in statuses[:3]]
    assert results_of_rows(desk, 2) == [*again, *before[3:]]


def test_a_row_refused_again_is_to_be_corrected_once(
    desk: Desk, files: Files, tmp_path: Path
) -> None:
    rows = (offer(1), offer(2, **BAD), offer(3, **BAD))
    desk.submit(files.csv(*rows, name="early.csv"))
    desk.submit(files.csv(offer(2, **TAKEN), name="late.csv"))
    assert corrections_of(desk, 2, tmp_path) == ["SKU-2"]
    assert corrections_of(desk, 1, tmp_path) == ["SKU-3"]


def test_a_superseded_row_names_the_later_run(desk: Desk, files: Files) -> None:
    whole = desk.session
    desk.session = replace(whole, stopping=lambda: Interrupted("the line is gone"))
    assert desk.submit(files.csv(offer(1), offer(2), name="early.csv")).stopped
    desk.session = whole
    desk.submit(files.csv(offer(1, price__price="5"), name="late.csv"))
    resume(1, whole, desk.workspace)
    one, two = results_of_rows(desk, 1)
    assert one == ("Superseded", AGAIN)
    assert two[0] == "Integrated"


def test_superseding_works_for_many_rows(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(0), *(offer(number, quantity="x") for number in range(1, 200))))
    desk.submit(files.csv(*(offer(index) for index in range(1, 200)), name="late.csv"))
    assert results_of_rows(desk, 1)[1:] == [("Invalid", AGAIN)] * 199


GUARDED = (Message("price-drop", "the price falls by 90 %"),)
FLOOR = (Message("price-below-floor", "the price is below its floor"),)
ALONE = (Message("", "not sent, since not all rows of all files are valid"),)


@pytest.mark.parametrize(
    ("results", "to_correct", "held"),
    [
        ([(Status.INVALID, ())], 1, {}),
        ([(Status.REJECTED, ())], 1, {}),
        ([(Status.DUPLICATED, ())], 1, {}),
        ([(Status.REFUSED, ())], 1, {}),
        ([(Status.HELD, GUARDED)], 0, {"price-drop": 1}),
        ([(Status.HELD, (*GUARDED, *FLOOR))], 0, {"price-below-floor,price-drop": 1}),
        ([(Status.HELD, GUARDED), (Status.HELD, FLOOR)], 0, {"price-below-floor,price-drop": 1}),
        ([(Status.HELD, GUARDED), (Status.REJECTED, ())], 1, {}),
        ([(Status.HELD, ALONE)], 0, {}),
        ([(Status.PENDING, ())], 0, {}),
        ([(Status.UNKNOWN, ())], 0, {}),
        ([(Status.SUPERSEDED, ())], 0, {}),
        ([(Status.UNCHANGED, ())], 0, {}),
        ([(Status.INTEGRATED, ())], 0, {}),
    ],
)
def test_rows_to_correct_and_rows_to_release(
    results: list[tuple[Status, tuple[Message, ...]]], to_correct: int, held: dict[str, int]
) -> None:
    rows = [
        RowResult(2, "SKU-1", status, messages, f"channel {index}")
        for index, (status, messages) in enumerate(results)
    ]
    sheet = SheetResult(CheckedSheet("a.csv"), is_submitted=True, verdicts=partial(iter, rows))
    sheet.count_left()
    assert (sheet.to_correct, sheet.held) == (to_correct, held)
    assert len([*rows_to_correct(sheet)]) == to_correct
    sheet.sent_again = {(2, row.channel): 7 for row in rows}
    sheet.count_left()
    assert (sheet.to_correct, sheet.held) == (0, {})
