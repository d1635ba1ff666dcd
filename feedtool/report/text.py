"""For people: what is wrong, where, why and how to mend it, grouped by code and counted.

Problems are streamed: of each code only the first few are kept, and with `is_verbose` those of a
frequent code are read from disk once more.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from feedtool.model.errors import FileProblem
from feedtool.model.nouns import PackageSummary, Problem, Severity
from feedtool.report.codes import summary_of
from feedtool.report.outcome import Outcome
from feedtool.report.page import Ink, Page
from feedtool.report.plain import clean, counted, listed, printable, value
from feedtool.report.tally import CodeGroup, Refusal, Tally, tally
from feedtool.report.totals import Totals

__all__ = ["printable", "write_text"]

SHOWN = 5
"""Problems of each code that are shown unless all are asked for."""

MORE = "all with -v or --format json"

INKS = {Severity.ERROR: Ink.ERROR, Severity.WARNING: Ink.WARNING}


def write_text(
    outcomes: Iterable[Outcome],
    out: TextIO,
    *,
    is_colour: bool = False,
    is_verbose: bool = False,
    width: int | None = None,
) -> None:
    """Writes a report to be read.

    Args:
        outcomes: One for each sheet, and one for each file that could not be read.
        out: A terminal or a file.
        is_colour: Whether ANSI colours may be used.
        is_verbose: Whether every problem and every refused row is shown.
        width: Columns of the terminal; None where lines may be of any length.
    """
    page = Page(out, is_colour, width)
    totals = Totals()
    for outcome in outcomes:
        if outcome.checked.error:
            _write_error(page, outcome.checked.file, outcome.checked.error)
            totals.add_unreadable(outcome.checked.file)
        else:
            found = tally(outcome, SHOWN)
            _write_sheet(page, outcome, found, is_verbose=is_verbose)
            totals.add(outcome, found.counts)
        page.line()
    page.line(totals.sentence(), ink=Ink.BOLD if totals.is_clean else Ink.ERROR)


def _write_error(page: Page, file: str, error: FileProblem) -> None:
    page.line(clean(file), ink=Ink.BOLD)
    page.line(f" {printable(error.message)}", label=f"error[{error.code}]", ink=Ink.ERROR)
    _write_hint(page, error.hint, 2)


def _write_sheet(page: Page, outcome: Outcome, found: Tally, *, is_verbose: bool) -> None:
    _write_heading(page, outcome, found)
    for group in found.groups:
        page.line()
        _write_group(page, outcome, group, is_verbose=is_verbose)
    if outcome.is_submitted:
        _write_answers(page, outcome, found, is_verbose=is_verbose)
    if outcome.annotated:
        page.line()
        page.line(clean(str(outcome.annotated)), label="Annotated copy: ", ink=Ink.BOLD)
    if outcome.failed:
        page.line()
        page.line(clean(str(outcome.failed)), label="Rows to correct: ", ink=Ink.BOLD)


def _write_heading(page: Page, outcome: Outcome, found: Tally) -> None:
    checked, counts = outcome.checked, found.counts
    why = f" ({checked.kind_reason})" if checked.kind_reason else ""
    what = [f"{checked.kind or ''}{why}"]
    if checked.sheet:
        what.append(f"sheet {checked.sheet}")
    if checked.header:
        what.append(f"header in row {checked.header.row}")
    page.line(f"  {clean(', '.join(filter(None, what)))}", label=clean(checked.file), ink=Ink.BOLD)
    rows = [f"{counts.valid:,} valid", f"{counts.invalid:,} invalid"]
    if counts.skipped:
        rows.append(f"{counts.skipped:,} skipped")
    rows.append(counted(counts.warnings, "warning"))
    page.line(f"{counted(counts.rows, 'row')}: {', '.join(rows)}")


def _write_group(page: Page, outcome: Outcome, group: CodeGroup, *, is_verbose: bool) -> None:
    meaning = summary_of(group.code) or printable(group.first[0].message)
    page.line(
        f"{_count(group)}: {meaning}",
        label=f"{group.severity}[{group.code}]",
        ink=INKS[group.severity],
    )
    problems: Iterable[Problem] = group.first
    if is_verbose and group.count > len(group.first):
        problems = (one for one in outcome.checked.problems() if one.code == group.code)
    for problem in problems:
        _write_problem(page, outcome.checked.file, problem)
        if not group.hint:
            _write_hint(page, problem.hint, 4)
    if not is_verbose and group.count > len(group.first):
        left = group.count - len(group.first)
        page.line(f"… and {left:,} more ({MORE})", ink=Ink.FAINT, indent=2)
    _write_hint(page, group.hint or "", 2)


def _count(group: CodeGroup) -> str:
    """` 3 cells`; nothing for what is said once of a whole sheet."""
    if group.noun == "sheet":
        return f" {group.count} times" if group.count > 1 else ""
    return f" {counted(group.count, group.noun)}"


def _write_problem(page: Page, file: str, problem: Problem) -> None:
    shown = f" “{value(problem.value)}”" if problem.value is not None else ""
    page.line(
        f"{shown}: {printable(problem.message)}", label=place(file, problem), ink=Ink.BOLD, indent=2
    )


def place(file: str, problem: Problem) -> str:
    """Where a problem is: `offers.xlsx:12 B12 gtin`.

    In a CSV the number after the file is the physical line, where editors find it.
    """
    line = problem.line or problem.row
    parts = [f"{clean(file)}:{line}" if line else clean(file)]
    if problem.column:
        parts.append(f"{problem.column}{problem.row or ''}")
    elif problem.row and problem.line not in {None, problem.row}:
        parts.append(f"row {problem.row}")
    name = problem.header or problem.field
    return " ".join([*parts, value(name)] if name else parts)


def _write_hint(page: Page, hint: str, indent: int) -> None:
    if hint:
        page.line(f" {printable(hint)}", label="help:", ink=Ink.HELP, indent=indent)


def _write_answers(page: Page, outcome: Outcome, found: Tally, *, is_verbose: bool) -> None:
    """What was planned or sent, and what the service said."""
    if outcome.packages:
        page.line()
    emptied = 0
    for package in outcome.packages if not outcome.packages_together else ():
        if outcome.run and package.package_id is None and not package.rows:
            emptied += 1
        else:
            page.line(_package(package, is_planned=outcome.run is None))
    if emptied:
        page.line(f"{counted(emptied, 'package')} not taken, the rows went on in others")
    if outcome.packages and outcome.packages_together:
        page.line(_batches(outcome.packages))
    if found.counts.by_status:
        page.line()
        statuses = found.counts.by_status.items()
        page.line(", ".join(f"{number:,} {status}" for status, number in statuses), label="Rows: ")
    _write_refusals(page, found.refusals)
    if is_verbose:
        _write_refused_rows(page, outcome, {refusal.status for refusal in found.refusals})


def _batches(batches: Sequence[PackageSummary]) -> str:
    """All in one line: there may be hundreds."""
    rows = counted(sum(batch.rows for batch in batches), "row")
    what = f"{batches[0].package_type}, {rows} in {counted(len(batches), 'batch', 'batches')}"
    if all(batch.package_id is None for batch in batches):
        return f"Planned: {what}"
    states = Counter(clean(batch.state or "not sent yet") for batch in batches)
    told = ", ".join(f"{number:,} {state}" for state, number in states.items())
    return f"{what}: {told}"


def _package(package: PackageSummary, *, is_planned: bool) -> str:
    size = f"{counted(package.rows, 'row')} in {counted(package.uploads, 'upload')}"
    channel = f"channel {clean(package.channel)}" if package.channel else ""
    what = ", ".join(filter(None, (package.package_type, channel, size)))
    if package.package_id is None:
        return f"{'Planned package' if is_planned else 'Package not confirmed'}: {what}"
    return f"Package {clean(package.package_id)}: {what}: {clean(package.state or 'not sent yet')}"


def _write_refusals(page: Page, refusals: Iterable[Refusal]) -> None:
    """The first messages of each code; where messages name their row, all of them differ."""
    by_code: dict[tuple[str, str], list[Refusal]] = {}
    for refusal in refusals:
        by_code.setdefault((refusal.status, refusal.code), []).append(refusal)
    for alike in by_code.values():
        for refusal in alike[:SHOWN]:
            _write_refusal(page, refusal)
        left = sum(refusal.count for refusal in alike[SHOWN:])
        if left:
            rows = counted(left, "row")
            page.line(f"… and {rows} with other messages ({MORE})", ink=Ink.FAINT, indent=2)


def _write_refusal(page: Page, refusal: Refusal) -> None:
    code = f"[{clean(refusal.code)}]" if refusal.code else ""
    page.line(
        f" {counted(refusal.count, 'row')}: {printable(refusal.message)}",
        label=f"{refusal.status}{code}",
        ink=Ink.ERROR,
        indent=2,
    )
    noun = "row" if refusal.count == 1 else "rows"
    page.line(f"{noun} {listed(refusal.rows, refusal.count)}", indent=4)


def _write_refused_rows(page: Page, outcome: Outcome, statuses: set[str]) -> None:
    file = clean(outcome.checked.file)
    page.line()
    for verdict in outcome.every_verdict():
        if verdict.status not in statuses:
            continue
        said = "; ".join(f"{one.code} {one.text}".strip() for one in verdict.messages)
        reason = f": {printable(said)}" if said else ""
        page.line(
            f" {value(verdict.reference)} {verdict.status}{reason}",
            label=f"{file}:{verdict.row}",
            ink=Ink.BOLD,
            indent=2,
        )
