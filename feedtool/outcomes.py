"""What is told of the sheets of a command, whatever became of them, and its exit code."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from feedtool import plan, verdicts
from feedtool.books import uploads_of
from feedtool.check import Asked
from feedtool.check.result import CheckedSheet
from feedtool.errors import EXIT_PRECEDENCE, Exit, FeedtoolError
from feedtool.model import Message, PackageSummary, Status, Verdict
from feedtool.report import Outcome

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.ledger import Ledger

GOOD = frozenset({Status.VALID, Status.INTEGRATED, Status.UNCHANGED, Status.SUPERSEDED})
"""What a row may have become in a run that ends with 0."""

NOT_BEGUN = "Not sent: the run stopped before it was begun."


def planned(sheet: CheckedSheet, asked: Asked, *, is_sent: bool) -> Outcome:
    """What a dry run tells of a sheet."""
    packages: list[PackageSummary] = plan.summaries(uploads_of(sheet, asked)) if is_sent else []
    every_row = verdicts.of_check if is_sent else _held
    return Outcome(sheet, None, True, packages, partial(every_row, sheet))


def _held(sheet: CheckedSheet) -> Iterator[Verdict]:
    """The verdicts when an invalid row, of this file or another, keeps back all the others."""
    reason = "not sent, since not all rows of all files are valid (--all-or-nothing)"
    return _not_sent(sheet, Status.HELD, reason)


def _not_sent(sheet: CheckedSheet, status: Status, reason: str) -> Iterator[Verdict]:
    for verdict in verdicts.of_check(sheet):
        is_valid = verdict.status is Status.VALID
        messages = (Message("", reason),)
        yield verdict._replace(status=status, messages=messages) if is_valid else verdict


def answered(
    sheets: Iterable[CheckedSheet], ledger: "Ledger", run: int, stopped: FeedtoolError | None
) -> list[Outcome]:
    """What is told of sheets after their delivery."""
    files = {(file.path, file.sheet): file.file for file in ledger.files(run)}
    outcomes = []
    for sheet in sheets:
        file = files.get((sheet.file, sheet.sheet))
        outcome = Outcome(sheet, str(run), is_submitted=True, stopped=stopped)
        if file is not None:
            outcome.packages = ledger.packages(file)
            outcome.verdicts = partial(_every_row, sheet, ledger, file)
        elif sheet.error is None:
            outcome.verdicts = partial(_not_sent, sheet, Status.PENDING, NOT_BEGUN)
        outcomes.append(outcome)
    return outcomes


def _every_row(sheet: CheckedSheet, ledger: "Ledger", file: int) -> Iterator[Verdict]:
    return verdicts.every_row(sheet, ledger.verdicts(file))


def exit_code(outcomes: Sequence[Outcome], stopped: FeedtoolError | None = None) -> Exit:
    """The exit code of a command: the first of the contract's precedence that occurred."""
    codes = {_exit_of(outcome) for outcome in outcomes}
    codes |= {outcome.copy_failed.exit for outcome in outcomes if outcome.copy_failed}
    if stopped:
        codes.add(stopped.exit)
    return next((code for code in EXIT_PRECEDENCE if code in codes), Exit.NOTHING)


def _exit_of(outcome: Outcome) -> Exit:
    if outcome.checked.error:
        return outcome.checked.error.exit
    counts = outcome.counts()
    statuses = counts.by_status
    if Status.PENDING in statuses:
        return Exit.PENDING
    return Exit.ROWS if counts.invalid or set(statuses) - GOOD else Exit.OK
