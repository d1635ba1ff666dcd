"""The exit code of a command, by the results of its sheets."""

from collections.abc import Sequence

from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.model.nouns import AS_ASKED, Status
from feedtool.report.sheet_result import SheetResult

NOT_DUE = frozenset({Status.UNCHANGED, Status.SKIPPED})
"""Statuses of rows that had nothing to send."""
GOOD = frozenset({*AS_ASKED, Status.VALID, Status.SUPERSEDED}) | NOT_DUE
"""Statuses of rows in a run that ends with 0."""


def exit_code(outcomes: Sequence[SheetResult], stopped: FeedtoolError | None = None) -> Exit:
    """Return the exit code of a command: the first that occurred in the contract's precedence."""
    codes = {_exit_of(outcome) for outcome in outcomes}
    codes |= {outcome.copy_failed.exit for outcome in outcomes if outcome.copy_failed}
    if stopped:
        codes.add(stopped.exit)
    return first_of(codes)


def _exit_of(outcome: SheetResult) -> Exit:
    if outcome.checked.error:
        return outcome.checked.error.exit
    counts = outcome.counts()
    statuses = set(counts.by_status)
    if counts.by_status.get(Status.HELD, 0) <= outcome.checked.selected.unchosen:
        statuses.discard(Status.HELD)  # the user left these out
    if Status.PENDING in statuses:
        return Exit.PENDING
    is_nothing = statuses <= NOT_DUE if statuses else 0 < counts.rows == counts.skipped
    if is_nothing:
        return Exit.NOTHING
    # A row invalid here may have been corrected in a later run: its status tells.
    is_bad = statuses - GOOD if statuses else counts.invalid
    return Exit.ROWS if is_bad else Exit.OK
