"""For people: what is wrong, where, why and how to fix it, grouped by code and counted.

Problems are streamed: of each code only the first few are kept, and with `is_verbose` those of a
frequent code are read from disk once more.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from textwrap import wrap
from typing import TextIO

from feedtool.model.errors import FileProblem
from feedtool.model.nouns import PackageSummary, Problem, Severity
from feedtool.report.codes import Codes
from feedtool.report.plain import clean, counted, listed, printable, value
from feedtool.report.sheet_result import SheetResult
from feedtool.report.tally import (
    CodeGroup,
    RefusedRows,
    Tally,
    Totals,
    statuses_text,
    tally,
    validity_text,
)

__all__ = ["printable", "write_columns", "write_text"]

SHOWN = 5
"""Problems of each code that are shown unless all are asked for."""

MORE = "all with -v or --format json"

NARROWEST = 40
"""Below this nothing is wrapped: broken words help nobody."""


class Ink(StrEnum):
    """Colours by meaning, as ANSI codes that every terminal knows."""

    NONE = ""
    BOLD = "1"
    ERROR = "1;31"
    WARNING = "1;33"
    GOOD = "32"
    HELP = "36"
    FAINT = "2"


INKS = {Severity.ERROR: Ink.ERROR, Severity.WARNING: Ink.WARNING}


@dataclass(frozen=True, slots=True)
class Page:
    """Where a report for people is written."""

    out: TextIO
    is_colour: bool = False
    width: int | None = None
    """Columns; None wraps nothing."""

    def line(
        self, text: str = "", *, ink: Ink = Ink.NONE, label: str = "", indent: int = 0
    ) -> None:
        """Writes one line, wrapped under its beginning where it is too long.

        Args:
            text: What it says, clean already.
            ink: The colour of the label, or of the whole text where there is no label.
            label: What stands in front of the text.
            indent: Blanks in front of it all.
        """
        whole = f"{' ' * indent}{label}{text}"
        lines = [whole]
        if self.width and len(whole) > self.width >= NARROWEST:
            hanging = " " * (indent + 4)
            lines = wrap(whole, self.width, subsequent_indent=hanging, break_on_hyphens=False)
            lines = lines or [""]  # of blanks alone nothing is left
        if self.is_colour and ink:
            lines = _inked(lines, ink, label)
        self.out.write("\n".join(lines) + "\n")


def _inked(lines: list[str], ink: Ink, label: str) -> list[str]:
    first, *others = lines
    if label:
        return [first.replace(label, _painted(label, ink), 1), *others]
    return [_painted(line, ink) for line in lines]


def _painted(text: str, ink: Ink) -> str:
    bare = text.lstrip(" ")
    return f"{' ' * (len(text) - len(bare))}\x1b[{ink}m{bare}\x1b[0m"


def write_text(
    results: Iterable[SheetResult],
    out: TextIO,
    codes: Codes,
    *,
    is_colour: bool = False,
    is_verbose: bool = False,
    width: int | None = None,
) -> None:
    """Writes a report to be read.

    Args:
        results: One for each sheet, and one for each file that could not be read.
        out: A terminal or a file.
        codes: The pages of problem codes.
        is_colour: Whether ANSI colours may be used.
        is_verbose: Whether every problem and every refused row is shown.
        width: Columns of the terminal; None where lines may be of any length.
    """
    page = Page(out, is_colour, width)
    totals = Totals()
    for result in results:
        groups = tally(result, SHOWN)
        totals.add(result, groups.counts)
        if result.checked.error:
            _write_error(page, result.checked.file, result.checked.error)
        else:
            _write_sheet(page, result, groups, codes, is_verbose=is_verbose)
        page.line()
    page.line(totals.sentence(), ink=Ink.BOLD if totals.is_clean else Ink.ERROR)


def write_columns(results: Iterable[SheetResult], out: TextIO) -> None:
    """Writes a table for each sheet whose header is explained."""
    for result in results:
        if result.explained is None:
            continue
        row, columns = result.explained
        width = max((len(value(facts.header)) for facts in columns), default=0)
        field = max((len(facts.field or "-") for facts in columns), default=0)
        out.write(f"{clean(result.checked.file)}: header in row {row}\n")
        for facts in columns:
            place = f"  {facts.column:3} {value(facts.header):{width}}"
            out.write(f"{place}  {facts.field or '-':{field}}  {printable(facts.reason)}\n")
        out.write("\n")


def _write_error(page: Page, file: str, error: FileProblem) -> None:
    page.line(clean(file), ink=Ink.BOLD)
    page.line(f" {printable(error.message)}", label=f"error[{error.code}]", ink=Ink.ERROR)
    _write_hint(page, error.hint, 2)


def _write_sheet(
    page: Page, result: SheetResult, groups: Tally, codes: Codes, *, is_verbose: bool
) -> None:
    _write_heading(page, result, groups)
    for group in groups.groups:
        page.line()
        meaning = codes.summary_of(group.code) or printable(group.first[0].message)
        _write_group(page, result, group, meaning, is_verbose=is_verbose)
    if result.is_submitted:
        _write_answers(page, result, groups, is_verbose=is_verbose)
    for label, place in (("Annotated copy", result.annotated), ("Rows to correct", result.failed)):
        if place:
            page.line()
            page.line(clean(str(place)), label=f"{label}: ", ink=Ink.BOLD)


def _write_heading(page: Page, result: SheetResult, groups: Tally) -> None:
    checked, counts = result.checked, groups.counts
    why = f" ({checked.kind_reason})" if checked.kind_reason else ""
    what = [f"{checked.kind or ''}{why}"]
    if checked.sheet:
        what.append(f"sheet {checked.sheet}")
    if checked.header:
        what.append(f"header in row {checked.header.row}")
    page.line(f"  {clean(', '.join(filter(None, what)))}", label=clean(checked.file), ink=Ink.BOLD)
    warnings = counted(counts.warnings, "warning")
    page.line(f"{counted(counts.rows, 'row')}: {validity_text(counts)}, {warnings}")


def _write_group(
    page: Page, result: SheetResult, group: CodeGroup, meaning: str, *, is_verbose: bool
) -> None:
    label = f"{group.severity}[{group.code}]"
    page.line(f"{_count(group)}: {meaning}", label=label, ink=INKS[group.severity])
    left = group.count - len(group.first)
    problems: Iterable[Problem] = group.first
    if is_verbose and left:
        problems = (entry for entry in result.checked.problems() if entry.code == group.code)
    for problem in problems:
        _write_problem(page, result.checked.file, problem)
        if not group.hint:
            _write_hint(page, problem.hint, 4)
    if left and not is_verbose:
        page.line(f"… and {left:,} more ({MORE})", ink=Ink.FAINT, indent=2)
    _write_hint(page, group.hint or "", 2)


def _count(group: CodeGroup) -> str:
    """` 3 cells`; nothing for what is said once of a whole sheet."""
    if group.noun == "sheet":
        return f" {group.count} times" if group.count > 1 else ""
    return f" {counted(group.count, group.noun)}"


def _write_problem(page: Page, file: str, problem: Problem) -> None:
    shown = f" “{value(problem.value)}”" if problem.value is not None else ""
    text = f"{shown}: {printable(problem.message)}"
    page.line(text, label=place(file, problem), ink=Ink.BOLD, indent=2)


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


def _write_answers(page: Page, result: SheetResult, groups: Tally, *, is_verbose: bool) -> None:
    """What was planned or sent, and what the service said."""
    if result.packages:
        page.line()
    emptied = 0
    batches: dict[str, list[PackageSummary]] = {}
    for package in result.packages:
        if not package.channel:
            batches.setdefault(package.package_type, []).append(package)
        elif result.run and package.package_id is None and not package.rows:
            emptied += 1
        else:
            page.line(_package(package, is_planned=result.run is None))
    if emptied:
        page.line(f"{counted(emptied, 'package')} not taken, the rows went on in others")
    for alike in batches.values():
        page.line(_batches(alike))
    if groups.counts.by_status:
        page.line()
        page.line(statuses_text(groups.counts.by_status), label="Rows: ")
    _write_refusals(page, groups.refusals)
    if is_verbose:
        _write_refused_rows(page, result, {refusal.status for refusal in groups.refusals})


def _batches(batches: Sequence[PackageSummary]) -> str:
    """Those of a type without a channel in one line: there may be hundreds."""
    rows = counted(sum(batch.rows for batch in batches), "row")
    what = f"{batches[0].package_type}, {rows} in {counted(len(batches), 'batch', 'batches')}"
    if all(batch.package_id is None for batch in batches):
        return f"Planned: {what}"
    states = Counter(clean(batch.state or "not sent yet") for batch in batches)
    return f"{what}: {statuses_text(states)}"


def _package(package: PackageSummary, *, is_planned: bool) -> str:
    size = f"{counted(package.rows, 'row')} in {counted(package.uploads, 'upload')}"
    what = f"{package.package_type}, channel {clean(package.channel)}, {size}"
    if package.package_id is None:
        return f"{'Planned package' if is_planned else 'Package not confirmed'}: {what}"
    return f"Package {clean(package.package_id)}: {what}: {clean(package.state or 'not sent yet')}"


def _write_refusals(page: Page, refusals: Iterable[RefusedRows]) -> None:
    """The first messages of each code; where messages name their row, all of them differ."""
    by_code: dict[tuple[str, str], list[RefusedRows]] = {}
    for refusal in refusals:
        by_code.setdefault((refusal.status, refusal.code), []).append(refusal)
    for alike in by_code.values():
        for refusal in alike[:SHOWN]:
            _write_refusal(page, refusal)
        left = sum(refusal.count for refusal in alike[SHOWN:])
        if left:
            rows = counted(left, "row")
            page.line(f"… and {rows} with other messages ({MORE})", ink=Ink.FAINT, indent=2)


def _write_refusal(page: Page, refusal: RefusedRows) -> None:
    code = f"[{clean(refusal.code)}]" if refusal.code else ""
    page.line(
        f" {counted(refusal.count, 'row')}: {printable(refusal.message)}",
        label=f"{refusal.status}{code}",
        ink=Ink.ERROR,
        indent=2,
    )
    noun = "row" if refusal.count == 1 else "rows"
    page.line(f"{noun} {listed(refusal.rows, refusal.count)}", indent=4)


def _write_refused_rows(page: Page, result: SheetResult, statuses: set[str]) -> None:
    file = clean(result.checked.file)
    page.line()
    for verdict in result.every_verdict():
        if verdict.status not in statuses:
            continue
        said = "; ".join(f"{message.code} {message.text}".strip() for message in verdict.messages)
        reason = f": {printable(said)}" if said else ""
        page.line(
            f" {value(verdict.reference)} {verdict.status}{reason}",
            label=f"{file}:{verdict.row}",
            ink=Ink.BOLD,
            indent=2,
        )
