"""What a command has to tell of one sheet, whatever the form it is told in."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Counts, PackageSummary, Status, Verdict
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedSheet

NOT_SENT = (Status.UNCHANGED, Status.HELD)
"""Rows that are valid and were not sent: in the counts they are neither valid nor invalid."""


@dataclass(slots=True)
class Outcome:
    """One sheet, checked, and what the service said of it if it was sent."""

    checked: CheckedSheet
    run: str | None = None
    """The run's identifier; None where nothing was sent."""
    is_submitted: bool = False
    """Whether `submit` tells it (also in a dry run): then packages and results are shown."""
    packages: Sequence[PackageSummary] = ()
    verdicts: Callable[[], Iterator[Verdict]] | None = None
    """Every row's verdict in the order of rows, the invalid ones too; may be asked repeatedly."""
    sent_again: Mapping[int, int] = field(default_factory=dict)
    """The last run that has sent a row again, by row."""
    explains_columns: bool = False
    """Whether it tells how each header was understood."""
    stopped: FeedtoolError | None = None
    """What stopped the delivery before its end."""
    annotated: Path | None = None
    """The annotated copy, where one was written."""
    displaced: FeedtoolError | None = None
    """Why the copy is in another place than the one that was asked for."""
    copy_failed: FeedtoolError | None = None
    """Why the annotated copy that was asked for could not be written."""
    failed: Path | None = None
    """The workbook of the rows to correct, where one was written."""

    def every_verdict(self) -> Iterator[Verdict]:
        """The verdicts that are told: a mere check has its problems and no more to say."""
        return self.verdicts() if self.verdicts and self.is_submitted else iter(())

    def counts(self) -> Counts:
        """What was found and what became of it, in one pass over the verdicts."""
        return self.counts_with(Counter(verdict.status for verdict in self.every_verdict()))

    def counts_with(self, statuses: Mapping[Status, int]) -> Counts:
        """The counts, for whoever has already gone through the verdicts."""
        valid = self.checked.marks.count(VALID)
        invalid = self.checked.marks.count(INVALID)
        not_rows = self.checked.marks.count(SKIPPED)
        not_sent = sum(statuses.get(status, 0) for status in NOT_SENT)
        found = {status: statuses[status] for status in Status if statuses.get(status)}
        rows, skipped = valid + invalid + not_rows, not_sent + not_rows
        warnings = self.checked.warnings
        return Counts(rows, valid - not_sent, invalid, skipped, warnings, found)
