"""The report as text: problems with place, reason and fix, grouped by code and counted."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from textwrap import wrap
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from feedtool.model.nouns import Problem
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import MessageText, Translator, in_quotes, joined, plural, tr
from feedtool.report.as_json import ENGLISH
from feedtool.report.codes import Codes
from feedtool.report.overview import name_of, place_name
from feedtool.report.packages import package_lines
from feedtool.report.plain import clean, listed, printable, relative_name, value
from feedtool.report.sheet_result import SheetResult
from feedtool.report.statuses import status_word, statuses_text
from feedtool.report.tally import (
    CodeGroup,
    RefusedRows,
    Tally,
    Totals,
    severity_label,
    skipped_text,
    tally,
    validity_text,
    warnings_text,
)

SHOWN = 5

MORE = tr("all with -v or --format json")

NARROWEST = 40
"""Narrower pages are not wrapped: too many words would break."""

COLOURS = {"bold": "1", "error": "1;31", "warning": "1;33", "help": "36", "faint": "2"}
"""ANSI codes that every terminal supports, by meaning."""


class Page(Struct, frozen=True):
    """The output of a text report."""

    out: TextIO
    say: Translator
    codes: Codes
    is_alone: bool
    """True if the report has one sheet."""
    is_verbose: bool
    is_colour: bool
    width: int | None
    """Columns; None wraps nothing."""

    def of_sheet(self, checked: CheckedSheet) -> "Page":
        """Return the page with a sheet's names for fields."""
        names = {key: value(name) for key, name in checked.names(self.say.language).items()}
        return replace(self, say=checked.translator(self.say, names))

    def line(self, text: str = "", ink: str = "", *, label: str = "", indent: int = 0) -> None:
        """Write a clean text, wrapped to the width; `ink` colours the label, or all."""
        text, label = self.say(text), self.say(label)
        lines = [f"{' ' * indent}{label}{text}"]
        if self.width and len(lines[0]) > self.width >= NARROWEST:
            hanging = " " * (indent + 4)
            lines = wrap(lines[0], self.width, subsequent_indent=hanging, break_on_hyphens=False)
            lines = lines or [""]  # `wrap` drops a line of blanks
        if self.is_colour and ink:
            start, end = f"\x1b[{COLOURS[ink]}m", "\x1b[0m"
            if label:
                lines[0] = lines[0].replace(label, f"{start}{label}{end}", 1)
            else:
                lines = [re.sub(r"[^ ].*", rf"{start}\g<0>{end}", line) for line in lines]
        self.out.write("\n".join(lines) + "\n")

    def message(self, text: str) -> str:
        """Return a message on one line in the page's language, cleaned."""
        return printable(self.say(text))

    def hint(self, hint: str, indent: int) -> None:
        """Write a hint, unless it is empty."""
        if hint:
            self.line(f" {self.message(hint)}", "help", label=tr("help:"), indent=indent)


def write_text(
    results: Sequence[SheetResult],
    out: TextIO,
    codes: Codes,
    *,
    is_only_failed: bool = False,
    is_colour: bool = False,
    is_verbose: bool = False,
    width: int | None = None,
) -> None:
    """Write a report as text: with `is_verbose` every problem and every refused row.

    `width` is the terminal's columns; None does not wrap. With `is_only_failed` only the workbooks
    of rows to correct are written: all else was shown before.
    """
    page = Page(out, codes.say, codes, len(results) == 1, is_verbose, is_colour, width)
    if is_only_failed:
        _write_corrections(page, results)
        return
    totals = Totals()
    for result in results:
        groups = tally(result, SHOWN)
        totals.add(result, groups.counts)
        if error := result.checked.error:
            page.line(clean(result.checked.file), "bold")
            label = tr("error[{code}]", code=error.code)
            page.line(f" {page.message(error.message)}", "error", label=label)
            page.hint(error.hint, 2)
        else:
            _write_sheet(page.of_sheet(result.checked), result, groups)
        page.line()
    _write_corrections(page, results)
    page.line(totals.sentence(), "bold" if totals.is_clean else "error")


def _write_corrections(page: Page, results: Iterable[SheetResult]) -> None:
    """Write the workbooks of the rows to correct, each once."""
    to_correct: Counter[str] = Counter()
    for result in results:
        if result.failed:
            to_correct[clean(relative_name(result.failed))] += result.to_correct
    for place, count in to_correct.items():
        rows = plural("{count:,} row", "{count:,} rows", count)
        page.line(tr("{place} ({rows})", place=place, rows=rows), label=tr("Rows to correct: "))
        page.line()


def _write_sheet(page: Page, result: SheetResult, groups: Tally) -> None:
    checked, counts = result.checked, groups.counts
    facts: list[str] = [checked.kind or ""]
    if checked.kind_reason:
        facts = [f"{checked.kind or ''} ({page.message(checked.kind_reason)})"]
    if checked.sheet:
        facts.append(tr("sheet {sheet}", sheet=clean(checked.sheet)))
    if checked.header:
        facts.append(tr("header in row {row}", row=checked.header.row))
    kind = page.say(joined(filter(None, facts)))
    page.line(f"  {kind}", "bold", label=clean(checked.file))
    rows = plural("{count:,} row", "{count:,} rows", counts.rows)
    numbers = joined((validity_text(counts), warnings_text(counts.warnings)))
    page.line(joined((rows, numbers), ": "))
    if reasons := skipped_text(counts):
        page.line(reasons)
    _write_fixes(page, result)
    for group in groups.groups:
        page.line()
        _write_group(page, result, group)
    if result.is_submitted:
        for line in package_lines(result):
            page.line(line)
        _write_answers(page, result, groups)
    is_fixed = result.fixed and result.fixed.cells
    copy = tr("Fixed copy: ") if is_fixed else tr("Annotated copy: ")
    if result.annotated:
        page.line()
        page.line(clean(relative_name(result.annotated)), "bold", label=copy)


def _write_fixes(page: Page, result: SheetResult) -> None:
    """Write the number of cells that each fix fixed, and that other fixes might fix."""
    for option, meaning, cells in result.fixable:
        text = plural(
            "`validate {option}` can fix {count:,} cell: {meaning}",
            "`validate {option}` can fix {count:,} cells: {meaning}",
            cells,
            option=option,
            meaning=meaning,
        )
        page.hint(text, 2)
    if (fixed := result.fixed) is None:
        return
    text = tr("nothing")
    if fixed.cells:
        text = tr(
            "{cells}; valid before: {before:,}",
            cells=_cells(len(fixed.cells)),
            before=fixed.valid_before,
        )
    page.line(text, label=tr("Fixed: "))
    for name, count in fixed.by_name().items():
        done = tr("{meaning} ({name})", meaning=page.codes.meaning_of_fix(name), name=name)
        page.line(joined((_cells(count), done), ": "), indent=2)
    for fix in fixed.cells if page.is_verbose else ():
        old, new = (f"“{value(text)}”" if text else tr("blank") for text in (fix.old, str(fix.new)))
        text = tr(" {fix}: {old} is now {new}", fix=fix.fix, old=old, new=new)
        page.line(text, label=f"{fix.column}{fix.row}", indent=2)
    if fixed.offered:
        more = joined(
            tr(
                "{name} ({cells}: {meaning})",
                name=name,
                cells=_cells(count),
                meaning=page.codes.meaning_of_fix(name),
            )
            for name, count in fixed.offered.items()
        )
        page.hint(tr("--fix=NAME may fix more cells, if you choose it: {fixes}", fixes=more), 2)


def _cells(count: int) -> MessageText:
    return plural("{count:,} cell", "{count:,} cells", count)


def _write_group(page: Page, result: SheetResult, group: CodeGroup) -> None:
    number: MessageText | None = group.counted()
    if group.is_of_sheet:  # the whole sheet has the problem once
        number = tr("{count:,} times", count=group.count) if group.count > 1 else None
    meaning = page.message(page.codes.summary_of(group.code) or group.first[0].message)
    label = page.say(severity_label(group.severity, group.code))
    summary = joined((number, meaning), ": ") if number else meaning
    page.line(
        joined((" ", summary), ""), group.severity, label=label if number else page.say.label(label)
    )
    left = group.count - len(group.first)
    problems: Iterable[Problem] = group.first
    if page.is_verbose and left:
        problems = (entry for entry in result.checked.problems() if entry.code == group.code)
    for problem in problems:
        shown = in_quotes(value(problem.value)) if problem.value is not None else ""
        where = place(result.checked.file, problem, page.say, is_verbose=page.is_verbose)
        label = page.say.label(joined(filter(None, (where, shown)), " "))
        page.line(f" {page.message(problem.message)}", "bold", label=label, indent=2)
        if not group.hint:
            page.hint(problem.hint, 4)
    if left and not page.is_verbose:
        page.line(tr("… and {left:,} more ({how})", left=left, how=MORE), "faint", indent=2)
    page.hint(group.hint or "", 2)


def place(
    file: str, problem: Problem, say: Translator = ENGLISH, *, is_verbose: bool = False
) -> str:
    """Return a problem's place: `offers.xlsx:12 B12 GTIN`; in a CSV 12 is the physical line.

    With `is_verbose` the key of the field too.
    """
    line = problem.line or problem.row
    parts = [f"{clean(file)}:{line}" if line else clean(file)]
    if problem.column:
        parts.append(f"{problem.column}{problem.row or ''}")
    elif problem.row and problem.line not in {None, problem.row}:
        parts.append(say(tr("row {row}", row=problem.row)))
    parts.append(value(place_name(problem, say)))
    if is_verbose and problem.field not in {None, name_of(problem, say)}:
        parts.append(f"({problem.field})")
    return " ".join(filter(None, parts))


def _write_answers(page: Page, result: SheetResult, groups: Tally) -> None:
    """Write the rows by status, and the first messages of each code, which may name their row.

    For a single sheet the report's last line has the rows by status.
    """
    has_statuses = groups.counts.by_status and not page.is_alone
    if groups.refusals or has_statuses:
        page.line()
    if has_statuses:
        page.line(statuses_text(groups.counts.by_status), label=tr("Rows: "))
    by_code: dict[tuple[str, str], list[RefusedRows]] = {}
    for refusal in groups.refusals:
        by_code.setdefault((refusal.status, refusal.code), []).append(refusal)
    for (status, code), alike in by_code.items():
        word = page.say(status_word(status))
        label = f"{word}[{clean(code)}]" if code else word
        for refusal in alike[:SHOWN]:
            rows = plural("{count:,} row", "{count:,} rows", refusal.count)
            summary = joined((rows, page.message(refusal.message)), ": ")
            page.line(joined((" ", summary), ""), "error", label=label, indent=2)
            where = {"rows": listed(refusal.rows, refusal.count)}
            is_one = refusal.count == 1
            page.line(tr("row {rows}", **where) if is_one else tr("rows {rows}", **where), indent=4)
        if left := sum(refusal.count for refusal in alike[SHOWN:]):
            rest = plural(
                "… and {count:,} row with other messages ({how})",
                "… and {count:,} rows with other messages ({how})",
                left,
                how=MORE,
            )
            page.line(rest, "faint", indent=2)
    if page.is_verbose:
        _write_refused_rows(page, result, {refusal.status for refusal in groups.refusals})


def _write_refused_rows(page: Page, result: SheetResult, statuses: AbstractSet[str]) -> None:
    """Write every row of these statuses, with all its messages."""
    page.line()
    for row, channel in result.results_with_channels():
        if row.status in statuses:
            messages = (
                f"{message.code} {page.say(message.text)}".strip() for message in row.messages
            )
            answer = printable("; ".join(messages))
            where = f" {clean(channel)}" if channel else ""
            status = page.say(status_word(row.status))
            status = f"{page.say.label(status)} {answer}" if answer else status
            text = f" {value(row.reference)}{where} {status}"
            page.line(text, "bold", label=f"{clean(result.checked.file)}:{row.row}", indent=2)
