"""Problems and refusals of one sheet, grouped and counted in one pass, and sums over all sheets.

Of each group only the first few are kept, however many there are.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from feedtool.model.nouns import (
    Counts,
    Problem,
    RowResult,
    Severity,
    Status,
    by_row,
    worst_status,
)
from feedtool.report.plain import clean, counted, value
from feedtool.report.sheet_result import NOT_SENT, SheetResult

NAMED_ROWS = 12
"""Rows of one refusal that are named."""

NAMED_COLUMNS = 4
"""Columns of one code that are named."""

MESSAGES = 200
"""Different refusals that are kept apart; a message may name its row, and all would differ."""

REFUSED = frozenset({Status.REJECTED, Status.DUPLICATED, Status.REFUSED, Status.UNKNOWN})
"""Statuses that are listed even where no message says why."""

ACCEPTED = frozenset(
    {Status.VALID, Status.INTEGRATED, Status.UNCHANGED, Status.SKIPPED, Status.SUPERSEDED}
)
"""Rows of these statuses need nobody's attention."""

SILENT = frozenset(
    {Status.VALID, Status.INVALID, Status.INTEGRATED, Status.UNCHANGED, Status.SKIPPED}
)
"""Statuses that are not listed: all is well, or the sheet's own problems say it."""


@dataclass(slots=True)
class CodeGroup:
    """All problems of one code: the first of them, and the columns, some by letter and header."""

    code: str
    severity: Severity
    count: int = 0
    first: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    more_columns: bool = False
    nouns: set[str] = field(default_factory=set)
    """The things that are counted: `cell`, `value`, `row`, `column`, `sheet`."""
    hint: str | None = None
    """The advice of all of them; empty where they differ."""

    def add(self, problem: Problem, kept: int) -> None:
        """Counts one problem, and keeps it if it is among the first."""
        self.count += 1
        if len(self.first) < kept:
            self.first.append(problem)
        if self.hint != problem.hint:
            self.hint = problem.hint if self.hint is None else ""
        self.nouns.add(_noun(problem))
        if problem.column and problem.column not in self.columns:
            self.more_columns |= len(self.columns) == NAMED_COLUMNS
            if not self.more_columns:
                self.columns[problem.column] = problem.header or problem.field or ""

    @property
    def noun(self) -> str:
        """The thing that is counted; `place` where it is not the same everywhere."""
        return next(iter(self.nouns)) if len(self.nouns) == 1 else "place"


def _noun(problem: Problem) -> str:
    if problem.row is None:
        return "column" if problem.column else "sheet"
    if problem.column:
        return "cell"
    return "value" if problem.field else "row"  # a row may lack several columns


@dataclass(slots=True)
class RefusedRows:
    """All rows of which the service said the same."""

    status: Status
    code: str
    message: str
    count: int = 0
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tally:
    """The summary of one sheet's report."""

    counts: Counts
    groups: list[CodeGroup]
    """Errors before warnings, the frequent before the rare."""
    refusals: list[RefusedRows]
    """In the order of their first row."""


def tally(result: SheetResult, kept: int) -> Tally:
    """The counts of a sheet, checked and perhaps sent; of each code `kept` problems are kept."""
    groups: dict[str, CodeGroup] = {}
    for problem in result.checked.problems():
        group = groups.get(problem.code)
        if group is None:
            group = groups[problem.code] = CodeGroup(problem.code, problem.severity)
        group.add(problem, kept)
    statuses, refusals = _refusals(result.every_verdict())
    ordered = sorted(groups.values(), key=lambda group: (group.severity, -group.count, group.code))
    return Tally(result.counts_with(statuses), ordered, refusals)


def _refusals(results: Iterable[RowResult]) -> tuple[Counter[Status], list[RefusedRows]]:
    statuses: Counter[Status] = Counter()
    refusals: dict[tuple[Status, str, str], RefusedRows] = {}
    for of_row in by_row(results):
        statuses[worst_status(of_row)] += 1
        reasons = (_reasons(result, is_alone=len(of_row) == 1) for result in of_row)
        for key in dict.fromkeys(chain.from_iterable(reasons)):
            is_kept = key in refusals or len(refusals) < MESSAGES
            kept = key if is_kept else (*key[:2], "other messages")
            refusal = refusals.setdefault(kept, RefusedRows(*kept))
            refusal.count += 1
            if len(refusal.rows) < NAMED_ROWS:
                refusal.rows.append(of_row[0].row)
    return statuses, list(refusals.values())


def _reasons(result: RowResult, *, is_alone: bool) -> list[tuple[Status, str, str]]:
    """The reasons why a row was refused: status, code, and text, of several with the channel."""
    if result.status in SILENT:
        return []
    reasons = [(message.code, message.text) for message in result.messages]
    if not reasons and result.status in REFUSED:
        reasons = [("", "no reason was given")]
    where = "" if is_alone or not result.channel else f"{result.channel}: "
    return [(result.status, code, f"{where}{text}") for code, text in reasons]


def statuses_text(statuses: Mapping[Status, int] | Mapping[str, int]) -> str:
    """`9 Integrated, 2 Rejected`: numbers by status, of rows or of packages."""
    return ", ".join(f"{number:,} {status}" for status, number in statuses.items())


def validity_text(counts: Counts) -> str:
    """`1,198 valid, 6 invalid, 2 skipped`."""
    skipped = f", {counts.skipped:,} skipped" if counts.skipped else ""
    return f"{counts.valid:,} valid, {counts.invalid:,} invalid{skipped}"


REASONS = {"not-a-row": "totals or headers"}
"""The codes for which rows are skipped, in words."""


def skipped_text(counts: Counts) -> str:
    """`12 skipped: 10 no stock, 2 totals or headers`; empty where the statuses say all of it."""
    reasons = counts.skipped_because
    if not reasons.keys() - set(NOT_SENT):
        return ""
    shown = ", ".join(
        f"{number:,} {value(REASONS.get(reason, reason))}" for reason, number in reasons.items()
    )
    return f"{counts.skipped:,} skipped: {shown}"


@dataclass(slots=True)
class Totals:
    """Sums over the sheets of one command."""

    files: set[str] = field(default_factory=set)
    unreadable: int = 0
    counts: Counts = field(default_factory=Counts)
    runs: dict[str, None] = field(default_factory=dict)

    def add(self, result: SheetResult, counts: Counts) -> None:
        """Adds a sheet, or a file that could not be read."""
        self.files.add(result.checked.file)
        if result.checked.error:
            self.unreadable += 1
            return
        total = self.counts
        statuses = Counter(total.by_status) + Counter(counts.by_status)
        self.counts = Counts(
            total.rows + counts.rows,
            total.valid + counts.valid,
            total.invalid + counts.invalid,
            total.skipped + counts.skipped,
            total.warnings + counts.warnings,
            {status: statuses[status] for status in Status if statuses[status]},
        )
        if result.run:
            self.runs[result.run] = None

    @property
    def is_clean(self) -> bool:
        """True if nothing needs anybody's attention."""
        statuses = self.counts.by_status
        # What is invalid may have been corrected in a later run: its status tells.
        is_bad = set(statuses) - ACCEPTED if statuses else self.counts.invalid
        return not (self.unreadable or is_bad)

    def sentence(self) -> str:
        """All of it in one line."""
        counts, parts = self.counts, []
        if counts.rows:
            where = f" in {len(self.files)} files" if len(self.files) > 1 else ""
            is_valid = counts.valid == counts.rows
            text = statuses_text(counts.by_status) or (
                "all valid" if is_valid else validity_text(counts)
            )
            warnings = f", {counted(counts.warnings, 'warning')}" if counts.warnings else ""
            parts.append(f"{counted(counts.rows, 'row')}{where}: {text}{warnings}.")
        if self.unreadable:
            parts.append(f"{counted(self.unreadable, 'file')} could not be read.")
        if self.runs:
            parts.append(f"Run {clean(', '.join(self.runs))}.")
        return " ".join(parts) or "Nothing was read."
