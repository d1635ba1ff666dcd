"""The result of one sheet, whatever the form it is shown in."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import (
    AS_ASKED,
    REFUSED,
    ActSummary,
    CellFix,
    Counts,
    Message,
    PackageSummary,
    RowResult,
    Status,
    by_row,
    worst_status,
)
from feedtool.model.row_ranges import RowRanges
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedSheet

NOT_SENT = (Status.UNCHANGED, Status.HELD)
"""Rows that are valid and were not sent: in the counts they are neither valid nor invalid."""
TO_CORRECT = frozenset((Status.INVALID, *REFUSED))
"""The statuses of rows with which something is wrong: refused here, or by the service."""


class ColumnFacts(NamedTuple):
    """The meaning of a header in the column of a letter: a key, or None where it is not sent."""

    column: str
    header: str
    field: str | None
    reason: str
    """Why, or the key that may be meant."""


class ExplainedHeader(NamedTuple):
    """The meaning of each header of a sheet, from left to right."""

    row: int
    columns: Sequence[ColumnFacts]


class FixedCells(NamedTuple):
    """What was fixed of a sheet."""

    cells: Sequence[CellFix] = ()
    """By row and column."""
    offered: Mapping[str, int] = MappingProxyType({})
    """The number of cells that other fixes might fix, by their names."""
    valid_before: int = 0

    def by_name(self) -> Mapping[str, int]:
        """The number of cells that each fix fixed, the most first."""
        return dict(Counter(fix.fix for fix in self.cells).most_common())


class FixableCells(NamedTuple):
    """The cells with errors that a fix can fix."""

    option: str
    """The one that makes it, such as `--fix=round`."""
    meaning: str
    cells: int


class RunFacts(NamedTuple):
    """The circumstances of a run."""

    started: datetime
    """UTC."""
    seller: str
    service: str
    """The base address; of the embedded sandbox its name."""


class SheetResult(Struct):
    """One sheet, checked, and what the service said of it if it was sent."""

    checked: CheckedSheet
    run: str | None = None
    """The run's identifier; None where nothing was sent."""
    is_submitted: bool = False
    """True of `submit`, also of a dry run: then packages and results are shown."""
    packages: Sequence[PackageSummary] = ()
    verdicts: Callable[[], Iterator[RowResult]] | None = None
    """Every row's results in the order of rows, the invalid ones too; may be called repeatedly."""
    sent_again: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """The last run that has sent a row again, by row and channel."""
    explained: ExplainedHeader | None = None
    """The meaning of its header, where that is to be shown; also of one that lacks columns."""
    stopped: FeedtoolError | None = None
    annotated: Path | None = None
    displaced: FeedtoolError | None = None
    """The reason why the copy is in another place than the one that was named."""
    copy_failed: FeedtoolError | None = None
    fixed: FixedCells | None = None
    """What was fixed in the annotated copy, where that was asked for."""
    fixable: Sequence[FixableCells] = ()
    """The fixes that can fix errors of it, where they were looked for."""
    failed: Path | None = None
    """The workbook of the rows to correct, where one was written."""
    to_correct: int = 0
    """How many rows are to be corrected, as far as that was counted."""
    held: Counter[str] | None = None
    """Rows that guards hold, by their codes with commas in between; None where not counted."""
    chosen: RowRanges | None = None
    """The rows that alone were to be sent, where some were chosen."""
    run_facts: RunFacts | None = None
    changes: Iterable[Mapping[str, object]] | None = None
    """What its rows would change, the biggest first, where a preview was asked for."""
    acts: Sequence[ActSummary] | None = None
    """In the place of packages, where each request is a call of its own."""
    blocked: str = ""
    """Why nothing of the command is sent; empty where something is, or could not be."""

    def every_verdict(self) -> Iterator[RowResult]:
        """The results of the rows that are shown; a mere check has none beside its problems."""
        return self.verdicts() if self.verdicts and self.is_submitted else iter(())

    def results_with_channels(self) -> Iterator[tuple[RowResult, str]]:
        """The same, each with its channel where its row has several."""
        for of_row in by_row(self.every_verdict()):
            yield from ((result, result.channel * (len(of_row) > 1)) for result in of_row)

    def left(self) -> Iterator[RowResult]:
        """The results of the rows that were to be sent, and that no later run has sent."""
        for result in () if self.checked.error else self.every_verdict():
            is_chosen = self.chosen is None or result.row in self.chosen
            if is_chosen and (result.row, result.channel) not in self.sent_again:
                yield result

    def count_left(self) -> None:
        """Count the rows that are to be corrected, and those that guards hold."""
        self.to_correct, held = 0, Counter[str]()
        for of_row in by_row(self.left()):
            if any(result.status in TO_CORRECT for result in of_row):
                self.to_correct += 1
            else:
                messages = (it.messages for it in of_row if it.status is Status.HELD)
                codes = {message.code for of_result in messages for message in of_result} - {""}
                held.update([",".join(sorted(codes))] if codes else ())
        self.held = held

    def counts(self) -> Counts:
        """The rows by validity and by status, in one pass over the results."""
        return self.counts_with(Counter(map(worst_status, by_row(self.every_verdict()))))

    def counts_with(self, statuses: Mapping[Status, int]) -> Counts:
        """The counts, for whoever has already gone through the results."""
        valid = self.checked.rows.marks.count(VALID)
        invalid = self.checked.rows.marks.count(INVALID)
        not_rows = self.checked.rows.marks.count(SKIPPED)
        not_sent = sum(statuses.get(status, 0) for status in NOT_SENT)
        by_status = {status: statuses[status] for status in Status if statuses.get(status)}
        rows, skipped = valid + invalid + not_rows, not_sent + not_rows
        reasons = Counter(
            message.code or message.text
            for result in self.checked.rows.skipped
            for message in result.messages
        )
        reasons.update({status: by_status[status] for status in NOT_SENT if status in by_status})
        warnings, because = self.checked.warnings, dict(reasons.most_common())
        return Counts(rows, valid - not_sent, invalid, skipped, warnings, by_status, because)


def to_read(verdict: RowResult, is_confirmation: Callable[[str], bool]) -> Sequence[Message]:
    """The messages that say more of a row than its status: no confirmation of one that is taken.

    JSON and the CSV report have all of them.
    """
    if verdict.status not in AS_ASKED:
        return verdict.messages
    return [message for message in verdict.messages if not is_confirmation(message.code)]
