"""The result of one sheet, for all forms of reports."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.model.nouns import (
    NOT_DONE,
    REFUSED,
    ActSummary,
    CellFix,
    Counts,
    Message,
    PackageSummary,
    RowResult,
    Status,
    by_row,
    every_status,
    worst_status,
)
from feedtool.model.row_ranges import RowRanges
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedSheet

NOT_SENT = (Status.UNCHANGED, Status.HELD)
"""Statuses of valid rows that were not sent: counted neither as valid nor as invalid."""
TO_CORRECT = frozenset((Status.INVALID, *REFUSED))
"""Statuses of rows to correct: refused by feedtool or by the service."""
NOT_DUE = frozenset({Status.UNCHANGED, Status.SKIPPED})
"""Statuses of rows that had nothing to send."""
BAD = NOT_DONE - NOT_DUE - {Status.VALID, Status.SUPERSEDED}
"""Statuses of rows that keep a run from ending with exit code 0."""


class ColumnFacts(NamedTuple):
    """The meaning of a column's header: the key of its field, or None if it is not sent."""

    column: str
    header: str
    field: str | None
    reason: str
    """The reason for the field, or the key that may be meant."""


class ExplainedHeader(NamedTuple):
    """The meaning of each header of a sheet, from left to right."""

    row: int
    columns: Sequence[ColumnFacts]


class FixedCells(NamedTuple):
    """The fixed cells of a sheet."""

    cells: Sequence[CellFix] = ()
    """Sorted by row and column."""
    offered: Mapping[str, int] = MappingProxyType({})
    """The number of cells that other fixes might fix, by the fixes' names."""
    valid_before: int = 0
    """The number of valid rows before the fixes."""

    def by_name(self) -> Mapping[str, int]:
        """The number of fixed cells by the fixes' names, the most first."""
        return dict(Counter(fix.fix for fix in self.cells).most_common())


class FixableCells(NamedTuple):
    """A fix that can fix cells with errors."""

    option: str
    """The option of the fix, such as `--fix=round`."""
    meaning: str
    cells: int


class RunFacts(NamedTuple):
    """The circumstances of a run."""

    started: datetime
    """UTC."""
    seller: str
    service: str
    """The base address; for the embedded sandbox its name."""


class SheetResult(Struct):
    """One checked sheet, and the service's answers if it was sent."""

    checked: CheckedSheet
    run: str | None = None
    """The run's identifier; None if nothing was sent."""
    is_submitted: bool = False
    """True for `submit`, and for its dry run: then packages and results are shown."""
    packages: Sequence[PackageSummary] = ()
    verdicts: Callable[[], Iterator[RowResult]] | None = None
    """Returns all rows' results in order, invalid rows too; may be called repeatedly."""
    sent_again: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """The last run that has sent a row again, by row and channel."""
    explained: ExplainedHeader | None = None
    """The meaning of the header, if it is to be shown; even if columns are missing."""
    stopped: FeedtoolError | None = None
    annotated: Path | None = None
    displaced: FeedtoolError | None = None
    """The reason if the copy is not in the requested place."""
    copy_failed: FeedtoolError | None = None
    fixed: FixedCells | None = None
    """The fixed cells of the annotated copy; None if no fix was requested."""
    fixable: Sequence[FixableCells] = ()
    """The fixes that can fix errors of the sheet, if they were looked for."""
    failed: Path | None = None
    """The workbook of the rows to correct, if one was written."""
    to_correct: int = 0
    """The number of rows to correct, once `count_left` has counted them."""
    held: Counter[str] | None = None
    """Rows that guards hold, by their codes with commas in between; None: not counted."""
    chosen: RowRanges | None = None
    """The chosen rows; None if all were to be sent."""
    run_facts: RunFacts | None = None
    changes: Iterable[Mapping[str, object]] | None = None
    """The changes that the rows would make, the biggest first; None without a preview."""
    acts: Sequence[ActSummary] | None = None
    """The requests of a kind that sends single requests and no packages; else None."""
    blocked: str = ""
    """The reason why the command sends nothing at all; else empty."""

    def every_verdict(self) -> Iterator[RowResult]:
        """The results of all rows; none for a mere check, which has problems only."""
        return self.verdicts() if self.verdicts and self.is_submitted else iter(())

    def results_with_channels(self) -> Iterator[tuple[RowResult, str]]:
        """All results, each with its channel if its row has several."""
        for of_row in by_row(self.every_verdict()):
            yield from ((result, result.channel * (len(of_row) > 1)) for result in of_row)

    def left(self) -> Iterator[RowResult]:
        """The results of the rows that were to be sent, without those that a later run has sent."""
        for result in () if self.checked.error else self.every_verdict():
            is_chosen = self.chosen is None or result.row in self.chosen
            if is_chosen and (result.row, result.channel) not in self.sent_again:
                yield result

    def count_left(self) -> None:
        """Count the rows to correct, and those that guards hold."""
        self.to_correct, held = 0, Counter[str]()
        for of_row in by_row(self.left()):
            if any(result.status in TO_CORRECT for result in of_row):
                self.to_correct += 1
            else:
                held_results = (result for result in of_row if result.status is Status.HELD)
                messages = (message for result in held_results for message in result.messages)
                codes = {message.code for message in messages} - {""}
                held.update([",".join(sorted(codes))] if codes else ())
        self.held = held

    def counts(self) -> Counts:
        """The rows by validity and by status, in one pass over the results."""
        return self.counts_with(Counter(map(worst_status, by_row(self.every_verdict()))))

    def counts_with(self, statuses: Mapping[Status, int]) -> Counts:
        """The counts, with the rows by status that the caller has counted."""
        valid = self.checked.rows.marks.count(VALID)
        invalid = self.checked.rows.marks.count(INVALID)
        ignored = self.checked.rows.marks.count(SKIPPED)
        not_sent = sum(statuses.get(status, 0) for status in NOT_SENT)
        by_status = {status: statuses[status] for status in every_status() if statuses.get(status)}
        rows, skipped = valid + invalid + ignored, not_sent + ignored
        reasons = Counter(
            message.code or message.text
            for result in self.checked.rows.skipped
            for message in result.messages
        )
        reasons.update({status: by_status[status] for status in NOT_SENT if status in by_status})
        warnings, by_reason = self.checked.warnings, dict(reasons.most_common())
        return Counts(rows, valid - not_sent, invalid, skipped, warnings, by_status, by_reason)


def shown_messages(verdict: RowResult, is_confirmation: Callable[[str], bool]) -> Sequence[Message]:
    """The messages that say more than a row's status: without confirmations of accepted rows.

    JSON and the CSV report have all messages.
    """
    if verdict.status in NOT_DONE:
        return verdict.messages
    return [message for message in verdict.messages if not is_confirmation(message.code)]


def exit_code(outcomes: Sequence[SheetResult], stopped: FeedtoolError | None = None) -> Exit:
    """Return the exit code of a command: of all its codes the one that takes precedence."""
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
    # An invalid row may have been corrected in a later run: its status says so, its mark does not.
    is_bad = statuses & BAD if statuses else counts.invalid
    return Exit.ROWS if is_bad else Exit.OK
