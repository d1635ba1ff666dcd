"""Problems and refusals of one sheet, grouped and counted in one pass, and sums over all sheets.

Only the first few of each group are kept.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import chain

from msgspec import Struct, field

from feedtool.model.nouns import (
    NOT_DONE,
    REFUSED,
    Counts,
    Problem,
    RowResult,
    Severity,
    Status,
    by_row,
    every_status,
    worst_status,
)
from feedtool.model.sheet import INVALID, SKIPPED, VALID
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.report.plain import clean, value
from feedtool.report.sheet_result import NOT_SENT, SheetResult
from feedtool.report.statuses import statuses_text

NOT_A_ROW = "not-a-row"
"""The code of skipped lines: totals, repeated headers, examples."""

NAMED_ROWS = 12
"""Most rows of one refusal that are named."""

NAMED_COLUMNS = 4
"""Most columns of one code that are named."""

MESSAGES = 200
"""Most refusals that are counted apart: if messages name their rows, all differ."""

LISTED = frozenset({*REFUSED, Status.UNKNOWN})
"""Statuses that are listed even without a message."""

ATTENTION = NOT_DONE - {Status.VALID, Status.UNCHANGED, Status.SKIPPED, Status.SUPERSEDED}
"""Statuses of rows that need attention."""

TOLD = NOT_DONE - {Status.VALID, Status.INVALID, Status.UNCHANGED, Status.SKIPPED}
"""Statuses whose messages are listed; accepted rows and rows with problems have none here."""


class CodeGroup(Struct):
    """All problems of one code: the first ones, and some of the columns, letter to header."""

    code: str
    severity: Severity
    count: int = 0
    first: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    more_columns: bool = False
    nouns: set["Noun"] = field(default_factory=set)
    hint: str | None = None
    """The common advice; empty if the problems' advice differs."""

    def add(self, problem: Problem, kept: int) -> None:
        """Count one problem, and keep it if it is among the first."""
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

    def counted(self) -> MessageText:
        """Return `12 cells`; `places` for problems of several sorts."""
        noun = next(iter(self.nouns)) if len(self.nouns) == 1 else Noun.PLACE
        return _COUNTED[noun](self.count)

    @property
    def is_of_sheet(self) -> bool:
        """True if all problems are about the whole sheet."""
        return self.nouns == {Noun.SHEET}


class Noun(Enum):
    """The things that are counted."""

    CELL, VALUE, ROW, COLUMN, SHEET, PLACE = range(6)


_COUNTED: Mapping[Noun, Callable[[int], MessageText]] = {
    Noun.CELL: lambda count: plural("{count:,} cell", "{count:,} cells", count),
    Noun.VALUE: lambda count: plural("{count:,} value", "{count:,} values", count),
    Noun.ROW: lambda count: plural("{count:,} row", "{count:,} rows", count),
    Noun.COLUMN: lambda count: plural("{count:,} column", "{count:,} columns", count),
    Noun.SHEET: lambda count: plural("{count:,} sheet", "{count:,} sheets", count),
    Noun.PLACE: lambda count: plural("{count:,} place", "{count:,} places", count),
}


def _noun(problem: Problem) -> Noun:
    if problem.row is None:
        return Noun.COLUMN if problem.column else Noun.SHEET
    if problem.column:
        return Noun.CELL
    return Noun.VALUE if problem.field else Noun.ROW  # a row may lack several columns


class RefusedRows(Struct):
    """All rows with the same answer of the service."""

    status: Status
    code: str
    message: str
    count: int = 0
    rows: list[int] = field(default_factory=list)


class Tally(Struct, frozen=True):
    """The summary of one sheet's report."""

    counts: Counts
    groups: list[CodeGroup]
    """Errors before warnings, frequent before rare ones."""
    refusals: list[RefusedRows]
    """In the order of their first row."""
    first: Mapping[Status, int]
    """The first row of each status."""


def tally(result: SheetResult, kept: int) -> Tally:
    """Count a sheet's problems and refusals; keep `kept` problems of each code."""
    groups: dict[str, CodeGroup] = {}
    for problem in result.checked.problems():
        group = groups.get(problem.code)
        if group is None:
            group = groups[problem.code] = CodeGroup(problem.code, problem.severity)
        group.add(problem, kept)
    first: dict[Status, int] = {}
    statuses, refusals = _refusals(result.every_verdict(), first)
    marks = result.checked.rows.marks
    for row in marks if not statuses else ():
        first.setdefault(_OF_MARKS[marks[row]], row)
    ordered = sorted(groups.values(), key=lambda group: (group.severity, -group.count, group.code))
    return Tally(result.counts_with(statuses), ordered, refusals, first)


_OF_MARKS = {VALID: Status.VALID, INVALID: Status.INVALID, SKIPPED: Status.SKIPPED}


def _refusals(
    results: Iterable[RowResult], first: dict[Status, int]
) -> tuple[Counter[Status], list[RefusedRows]]:
    """Count the rows by status, and group refused ones; fill `first` with the first row of each."""
    statuses: Counter[Status] = Counter()
    refusals: dict[tuple[Status, str, str], RefusedRows] = {}
    for of_row in by_row(results):
        status = worst_status(of_row)
        statuses[status] += 1
        first.setdefault(status, of_row[0].row)
        reasons = (_reasons(result, is_alone=len(of_row) == 1) for result in of_row)
        for key in dict.fromkeys(chain.from_iterable(reasons)):
            is_kept = key in refusals or len(refusals) < MESSAGES
            kept = key if is_kept else (*key[:2], tr("other messages"))
            refusal = refusals.setdefault(kept, RefusedRows(*kept))
            refusal.count += 1
            if len(refusal.rows) < NAMED_ROWS:
                refusal.rows.append(of_row[0].row)
    return statuses, list(refusals.values())


def _reasons(result: RowResult, *, is_alone: bool) -> list[tuple[Status, str, str]]:
    """The reasons of a refusal: status, code, and text; with the channel if there are several."""
    if result.status not in TOLD:
        return []
    reasons = [(message.code, message.text) for message in result.messages]
    if not reasons and result.status in LISTED:
        reasons = [("", tr("no reason was given"))]
    if is_alone or not result.channel:
        return [(result.status, code, text) for code, text in reasons]
    return [(result.status, code, joined((result.channel, text), ": ")) for code, text in reasons]


def validity_text(counts: Counts) -> MessageText:
    """Return `1,198 valid, 6 invalid, 2 skipped`."""
    parts = [
        plural("{count:,} valid", "{count:,} valid", counts.valid),
        plural("{count:,} invalid", "{count:,} invalid", counts.invalid),
    ]
    if counts.skipped:
        parts.append(plural("{count:,} skipped", "{count:,} skipped", counts.skipped))
    return joined(parts)


def warnings_text(count: int) -> MessageText:
    return plural("{count:,} warning", "{count:,} warnings", count)


def skipped_text(counts: Counts) -> MessageText | None:
    """Return `12 skipped: 10 no stock, 2 totals`; None if the statuses say the same."""
    reasons = counts.skipped_because
    if not reasons.keys() - set(NOT_SENT):
        return None
    shown = joined(_skipped_for(reason, number) for reason, number in reasons.items())
    return plural(
        "{count:,} skipped: {reasons}",
        "{count:,} skipped: {reasons}",
        counts.skipped,
        reasons=shown,
    )


def _skipped_for(reason: str, number: int) -> MessageText:
    if reason == NOT_A_ROW:
        return plural(
            "{count:,} total, header or example", "{count:,} totals, headers or examples", number
        )
    if reason in every_status():
        return statuses_text({reason: number})
    shown = reason if isinstance(reason, MessageText) else value(reason)
    return tr("{count:,} {status}", count=number, status=shown)


class Totals(Struct):
    """Sums over the sheets of one command."""

    files: set[str] = field(default_factory=set)
    unreadable: int = 0
    counts: Counts = field(default_factory=Counts)
    runs: dict[str, None] = field(default_factory=dict)

    def add(self, result: SheetResult, counts: Counts) -> None:
        """Add a sheet, or a file that could not be read."""
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
            {status: statuses[status] for status in every_status() if statuses[status]},
        )
        if result.run:
            self.runs[result.run] = None

    @property
    def is_clean(self) -> bool:
        """True if nothing needs attention."""
        statuses = self.counts.by_status
        # Invalid rows may have been corrected in a later run: then their status counts.
        is_bad = ATTENTION.intersection(statuses) if statuses else self.counts.invalid
        return not (self.unreadable or is_bad)

    def sentence(self) -> MessageText:
        """Return all sums in one line."""
        counts, parts = self.counts, []
        if counts.rows:
            rows = plural("{count:,} row", "{count:,} rows", counts.rows)
            if len(self.files) > 1:
                rows = tr("{rows} in {files} files", rows=rows, files=len(self.files))
            is_valid = counts.valid == counts.rows
            text = statuses_text(counts.by_status) or (
                tr("all valid") if is_valid else validity_text(counts)
            )
            warnings = [warnings_text(counts.warnings)] if counts.warnings else []
            parts.append(tr("{rows}: {results}.", rows=rows, results=joined((text, *warnings))))
        if self.unreadable:
            parts.append(
                plural(
                    "{count:,} file could not be read.",
                    "{count:,} files could not be read.",
                    self.unreadable,
                )
            )
        if self.runs:
            parts.append(tr("Run {runs}.", runs=clean(", ".join(self.runs))))
        return joined(parts, " ") or tr("Nothing was read.")


SEVERITIES: Mapping[Severity, MessageText] = {
    Severity.ERROR: tr("error"),
    Severity.WARNING: tr("warning"),
}


def severity_label(severity: Severity, code: str) -> MessageText:
    """The beginning of a problem's line."""
    if severity is Severity.ERROR:
        return tr("error[{code}]", code=code)
    return tr("warning[{code}]", code=code)
