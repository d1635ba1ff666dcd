"""One sheet's problems and refusals, grouped and counted in one pass, however many there are.

Of each group only the first few are kept.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from feedtool.model.nouns import Counts, Problem, Severity, Status, Verdict
from feedtool.report.outcome import Outcome

NAMED_ROWS = 12
"""Rows of one refusal that are named."""

NAMED_COLUMNS = 4
"""Columns of one code that are named."""

MESSAGES = 200
"""Different refusals that are kept apart; a message may name its row, and all would differ."""

REFUSED = frozenset({Status.REJECTED, Status.DUPLICATED, Status.REFUSED, Status.UNKNOWN})
"""Statuses that are told even where no message says why."""

UNTOLD = frozenset(
    {Status.VALID, Status.INVALID, Status.INTEGRATED, Status.UNCHANGED, Status.SKIPPED}
)
"""Statuses that need no telling: all is well, or the sheet's own problems have told it."""


@dataclass(slots=True)
class CodeGroup:
    """All problems of one code."""

    code: str
    severity: Severity
    count: int = 0
    first: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    """Letter → header of the columns that are concerned, the first few of them."""
    more_columns: bool = False
    """Whether there are more columns than those."""
    nouns: set[str] = field(default_factory=set)
    """What is counted: `cell`, `value`, `row`, `column`, `sheet`."""
    hint: str | None = None
    """What all of them advise; empty where they differ."""

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
        """What is counted; `place` where it is not the same everywhere."""
        return next(iter(self.nouns)) if len(self.nouns) == 1 else "place"


@dataclass(slots=True)
class Refusal:
    """All rows of which the service said the same."""

    status: Status
    code: str
    message: str
    count: int = 0
    rows: list[int] = field(default_factory=list)
    """The first of them."""


@dataclass(slots=True)
class Tally:
    """What one sheet's report says before it goes into detail."""

    counts: Counts
    groups: list[CodeGroup]
    """Errors before warnings, the frequent before the rare."""
    refusals: list[Refusal]
    """In the order of their first row."""


def tally(outcome: Outcome, kept: int) -> Tally:
    """Counts all that there is to tell of a sheet.

    Args:
        outcome: The sheet, checked and perhaps sent.
        kept: How many problems of each code are kept.
    """
    groups: dict[str, CodeGroup] = {}
    for problem in outcome.checked.problems():
        group = groups.get(problem.code)
        if group is None:
            group = groups[problem.code] = CodeGroup(problem.code, problem.severity)
        group.add(problem, kept)
    statuses, refusals = _verdicts(outcome.every_verdict())
    ordered = sorted(groups.values(), key=lambda one: (one.severity, -one.count, one.code))
    return Tally(outcome.counts_with(statuses), ordered, refusals)


def _verdicts(verdicts: Iterable[Verdict]) -> tuple[Counter[Status], list[Refusal]]:
    statuses: Counter[Status] = Counter()
    refusals: dict[tuple[Status, str, str], Refusal] = {}
    for verdict in verdicts:
        statuses[verdict.status] += 1
        if verdict.status in UNTOLD:
            continue
        said = [(message.code, message.text) for message in verdict.messages]
        if not said and verdict.status in REFUSED:
            said = [("", "no reason was given")]
        for code, text in said:
            key = (verdict.status, code, text)
            if key not in refusals and len(refusals) >= MESSAGES:
                key = (verdict.status, code, "other messages")
            refusal = refusals.setdefault(key, Refusal(*key))
            refusal.count += 1
            if len(refusal.rows) < NAMED_ROWS:
                refusal.rows.append(verdict.row)
    return statuses, list(refusals.values())


def _noun(problem: Problem) -> str:
    if problem.row is None:
        return "column" if problem.column else "sheet"
    if problem.column:
        return "cell"
    return "value" if problem.field else "row"  # a row may lack several columns
