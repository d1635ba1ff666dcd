"""For people: what is wrong, where, why and how to fix it, grouped by code and counted."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TextIO

from feedtool.model.nouns import PackageSummary, Problem
from feedtool.report.codes import Codes
from feedtool.report.plain import clean, counted, listed, printable, value
from feedtool.report.sheet_result import FixedCells, SheetResult
from feedtool.report.tally import (
    CodeGroup,
    RefusedRows,
    Tally,
    Totals,
    skipped_text,
    statuses_text,
    tally,
    validity_text,
)

SHOWN = 5

MORE = "all with -v or --format json"

NARROWEST = 40
"""Below this nothing is wrapped: broken words help nobody."""

COLOURS = {"bold": "1", "error": "1;31", "warning": "1;33", "help": "36", "faint": "2"}
"""ANSI codes that every terminal knows, by meaning."""


@dataclass(frozen=True, slots=True)
class Page:
    """The place where a report for people is written."""

    out: TextIO
    is_colour: bool = False
    width: int | None = None
    """Columns; None wraps nothing."""

    def line(self, text: str = "", ink: str = "", *, label: str = "", indent: int = 0) -> None:
        """Writes a clean text, wrapped where it is too long; `ink` colours the label, or all."""
        lines = [f"{' ' * indent}{label}{text}"]
        if self.width and len(lines[0]) > self.width >= NARROWEST:
            hanging = " " * (indent + 4)
            lines = wrap(lines[0], self.width, subsequent_indent=hanging, break_on_hyphens=False)
            lines = lines or [""]  # of blanks alone nothing is left
        if self.is_colour and ink:
            start, end = f"\x1b[{COLOURS[ink]}m", "\x1b[0m"
            if label:
                lines[0] = lines[0].replace(label, f"{start}{label}{end}", 1)
            else:
                lines = [re.sub(r"[^ ].*", rf"{start}\g<0>{end}", line) for line in lines]
        self.out.write("\n".join(lines) + "\n")

    def hint(self, hint: str, indent: int) -> None:
        """Writes what to do, where there is anything."""
        if hint:
            self.line(f" {printable(hint)}", "help", label="help:", indent=indent)


def write_text(
    results: Iterable[SheetResult],
    out: TextIO,
    codes: Codes,
    *,
    is_colour: bool = False,
    is_verbose: bool = False,
    width: int | None = None,
) -> None:
    """Writes a report to be read: with `is_verbose` every problem and every refused row.

    `width` is the terminal's columns; None where lines may be of any length.
    """
    page = Page(out, is_colour, width)
    totals = Totals()
    for result in results:
        groups = tally(result, SHOWN)
        totals.add(result, groups.counts)
        if error := result.checked.error:
            page.line(clean(result.checked.file), "bold")
            page.line(f" {printable(error.message)}", "error", label=f"error[{error.code}]")
            page.hint(error.hint, 2)
        else:
            _write_sheet(page, result, groups, codes, is_verbose=is_verbose)
        page.line()
    page.line(totals.sentence(), "bold" if totals.is_clean else "error")


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
            where = f"  {facts.column:3} {value(facts.header):{width}}"
            out.write(f"{where}  {facts.field or '-':{field}}  {printable(facts.reason)}\n")
        out.write("\n")


def _write_sheet(
    page: Page, result: SheetResult, groups: Tally, codes: Codes, *, is_verbose: bool
) -> None:
    checked, counts = result.checked, groups.counts
    why = f" ({checked.kind_reason})" if checked.kind_reason else ""
    what = [f"{checked.kind or ''}{why}"]
    if checked.sheet:
        what.append(f"sheet {checked.sheet}")
    if checked.header:
        what.append(f"header in row {checked.header.row}")
    page.line(f"  {clean(', '.join(filter(None, what)))}", "bold", label=clean(checked.file))
    warnings = counted(counts.warnings, "warning")
    page.line(f"{counted(counts.rows, 'row')}: {validity_text(counts)}, {warnings}")
    if reasons := skipped_text(counts):
        page.line(reasons)
    if result.fixed:
        _write_fixes(page, result.fixed, is_verbose=is_verbose)
    for group in groups.groups:
        page.line()
        meaning = codes.summary_of(group.code) or printable(group.first[0].message)
        _write_group(page, result, group, meaning, is_verbose=is_verbose)
    if result.is_submitted:
        _write_packages(page, result)
        _write_answers(page, result, groups, is_verbose=is_verbose)
    copy = "Fixed copy" if result.fixed and result.fixed.cells else "Annotated copy"
    for label, path in ((copy, result.annotated), ("Rows to correct", result.failed)):
        if path:
            page.line()
            page.line(clean(str(path)), "bold", label=f"{label}: ")


def _write_fixes(page: Page, fixed: FixedCells, *, is_verbose: bool) -> None:
    """The number of cells that each fix mended, and what other fixes might."""
    names = ", ".join(f"{name} {number:,}" for name, number in fixed.by_name().items())
    number = counted(len(fixed.cells), "cell")
    text = f"{number} ({names}); valid before: {fixed.valid_before:,}" if names else "nothing"
    page.line(text, label="Fixed: ")
    for fix in fixed.cells if is_verbose else ():
        old, new = (f"“{value(text)}”" if text else "blank" for text in (fix.old, str(fix.new)))
        page.line(f" {fix.fix}: {old} is now {new}", label=f"{fix.column}{fix.row}", indent=2)
    if fixed.offered:
        more = ", ".join(f"{name} ({number:,})" for name, number in fixed.offered.items())
        page.hint(f"--fix=NAME may mend more cells, if you choose it: {more}", 2)


def _write_group(
    page: Page, result: SheetResult, group: CodeGroup, meaning: str, *, is_verbose: bool
) -> None:
    number = f" {counted(group.count, group.noun)}"
    if group.noun == "sheet":  # said once of a whole sheet
        number = f" {group.count} times" if group.count > 1 else ""
    label = f"{group.severity}[{group.code}]"
    page.line(f"{number}: {meaning}", str(group.severity), label=label)
    left = group.count - len(group.first)
    problems: Iterable[Problem] = group.first
    if is_verbose and left:
        problems = (entry for entry in result.checked.problems() if entry.code == group.code)
    for problem in problems:
        shown = f" “{value(problem.value)}”" if problem.value is not None else ""
        text = f"{shown}: {printable(problem.message)}"
        page.line(text, "bold", label=place(result.checked.file, problem), indent=2)
        if not group.hint:
            page.hint(problem.hint, 4)
    if left and not is_verbose:
        page.line(f"… and {left:,} more ({MORE})", "faint", indent=2)
    page.hint(group.hint or "", 2)


def place(file: str, problem: Problem) -> str:
    """The place of a problem: `offers.xlsx:12 B12 gtin`; in a CSV 12 is the physical line."""
    line = problem.line or problem.row
    parts = [f"{clean(file)}:{line}" if line else clean(file)]
    if problem.column:
        parts.append(f"{problem.column}{problem.row or ''}")
    elif problem.row and problem.line not in {None, problem.row}:
        parts.append(f"row {problem.row}")
    name = problem.header or problem.field
    return " ".join([*parts, value(name)] if name else parts)


def _write_packages(page: Page, result: SheetResult) -> None:
    """The packages that were planned or sent; those without a channel may be hundreds."""
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


def _batches(batches: Sequence[PackageSummary]) -> str:
    """Those of a type in one line."""
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


def _write_answers(page: Page, result: SheetResult, groups: Tally, *, is_verbose: bool) -> None:
    """The rows by status, and the first messages of each code, which may name their row."""
    if groups.counts.by_status:
        page.line()
        page.line(statuses_text(groups.counts.by_status), label="Rows: ")
    by_code: dict[tuple[str, str], list[RefusedRows]] = {}
    for refusal in groups.refusals:
        by_code.setdefault((refusal.status, refusal.code), []).append(refusal)
    for (status, code), alike in by_code.items():
        label = f"{status}[{clean(code)}]" if code else status
        for refusal in alike[:SHOWN]:
            rows = counted(refusal.count, "row")
            page.line(f" {rows}: {printable(refusal.message)}", "error", label=label, indent=2)
            noun = "row" if refusal.count == 1 else "rows"
            page.line(f"{noun} {listed(refusal.rows, refusal.count)}", indent=4)
        if left := sum(refusal.count for refusal in alike[SHOWN:]):
            rows = counted(left, "row")
            page.line(f"… and {rows} with other messages ({MORE})", "faint", indent=2)
    if not is_verbose:
        return
    file, statuses = clean(result.checked.file), {refusal.status for refusal in groups.refusals}
    page.line()
    for row, channel in result.results_with_channels():
        if row.status in statuses:
            said = "; ".join(f"{entry.code} {entry.text}".strip() for entry in row.messages)
            reason = f": {printable(said)}" if said else ""
            where = f" {clean(channel)}" if channel else ""
            text = f" {value(row.reference)}{where} {row.status}{reason}"
            page.line(text, "bold", label=f"{file}:{row.row}", indent=2)
