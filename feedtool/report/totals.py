"""The last line of a report: what came out, over all files."""

from collections import Counter
from dataclasses import dataclass, field

from feedtool.model.nouns import Counts, Status
from feedtool.report.outcome import Outcome
from feedtool.report.plain import clean, counted

ACCEPTED = frozenset(
    {Status.VALID, Status.INTEGRATED, Status.UNCHANGED, Status.SKIPPED, Status.SUPERSEDED}
)
"""Rows of these statuses need nobody's attention."""


@dataclass(slots=True)
class Totals:
    """Sums over the sheets of one command."""

    files: set[str] = field(default_factory=set)
    unreadable: int = 0
    rows: int = 0
    valid: int = 0
    invalid: int = 0
    skipped: int = 0
    warnings: int = 0
    statuses: Counter[Status] = field(default_factory=Counter)
    runs: dict[str, None] = field(default_factory=dict)

    def add(self, outcome: Outcome, counts: Counts) -> None:
        """Adds a sheet that was read."""
        self.files.add(outcome.checked.file)
        self.rows += counts.rows
        self.valid += counts.valid
        self.invalid += counts.invalid
        self.skipped += counts.skipped
        self.warnings += counts.warnings
        self.statuses.update(counts.by_status)
        if outcome.run:
            self.runs[outcome.run] = None

    def add_unreadable(self, file: str) -> None:
        """Adds a file that could not be read."""
        self.files.add(file)
        self.unreadable += 1

    @property
    def is_clean(self) -> bool:
        """Whether nothing needs anybody's attention."""
        refused = any(status not in ACCEPTED for status in self.statuses)
        # What is invalid may have been corrected in a later run: its status tells.
        return not (self.unreadable or refused or (self.invalid and not self.statuses))

    def sentence(self) -> str:
        """All of it in one line."""
        where = f" in {len(self.files)} files" if len(self.files) > 1 else ""
        parts = [f"{counted(self.rows, 'row')}{where}: {self._rows()}."] if self.rows else []
        if self.unreadable:
            parts.append(f"{counted(self.unreadable, 'file')} could not be read.")
        if self.runs:
            parts.append(f"Run {clean(', '.join(self.runs))}.")
        return " ".join(parts) or "Nothing was read."

    def _rows(self) -> str:
        if self.statuses:
            parts = [f"{self.statuses[one]:,} {one}" for one in Status if self.statuses[one]]
        elif self.valid == self.rows:
            parts = ["all valid"]
        else:
            parts = [f"{self.valid:,} valid", f"{self.invalid:,} invalid"]
            if self.skipped:
                parts.append(f"{self.skipped:,} skipped")
        if self.warnings:
            parts.append(counted(self.warnings, "warning"))
        return ", ".join(parts)
