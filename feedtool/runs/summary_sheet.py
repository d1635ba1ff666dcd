"""The sheet `feedtool summary` of an annotated workbook: what was found, and where to look."""

from collections.abc import Iterable, Iterator, Sequence

from feedtool.check import SUMMARY
from feedtool.model.nouns import Problem
from feedtool.report import SheetResult
from feedtool.report.plain import clean, listed, printable
from feedtool.report.tally import CodeGroup, RefusedRows, Tally, tally
from feedtool.runs.codes import all_codes
from feedtool.sheets.annotate import Link, Summary, Table

Line = tuple[str | int | Link, ...]

PROBLEM_HEADINGS = ("Code", "Severity", "Count", "Column", "First", "Meaning", "How to mend it")
ANSWER_HEADINGS = ("Status", "Code", "Count", "Rows", "First", "Message")
TITLE = "feedtool summary"


def summary_sheet(outcomes: Iterable[SheetResult]) -> Summary:
    """The sheet, with its headings in bold; one part below the other for each annotated sheet."""
    table: list[Sequence[str | int | Link]] = []
    for outcome in outcomes:
        table += [(), *summary_table(outcome)] if table else summary_table(outcome)
    headings = {TITLE, PROBLEM_HEADINGS[0], ANSWER_HEADINGS[0]}
    bold = frozenset(number for number, line in enumerate(table) if line and line[0] in headings)
    return Summary(SUMMARY, table, bold)


def summary_table(outcome: SheetResult) -> Table:
    """Its rows: the counts, then a line for each code, then one for each refusal.

    Links lead to the first cell of each; a sheet without a name (CSV) gets plain references.
    """
    found = tally(outcome, 1)
    return [
        (TITLE,),
        *_counts(outcome, found),
        *_problems(outcome, found),
        *_answers(outcome, found),
    ]


def _counts(outcome: SheetResult, found: Tally) -> Iterator[Line]:
    counts = found.counts
    yield ("File", clean(outcome.checked.file))
    if outcome.checked.sheet:
        yield ("Sheet", clean(outcome.checked.sheet))
    yield ("Kind", outcome.checked.kind or "")
    if outcome.run:
        yield ("Run", clean(outcome.run))
    yield ("Rows", counts.rows)
    yield ("Valid", counts.valid)
    yield ("Invalid", counts.invalid)
    yield ("Skipped", counts.skipped)
    yield ("Warnings", counts.warnings)
    for status, number in counts.by_status.items():
        yield (f"Status {status}", number)


def _problems(outcome: SheetResult, found: Tally) -> Iterator[Line]:
    if not found.groups:
        return
    codes = all_codes()
    yield ()
    yield PROBLEM_HEADINGS
    for group in found.groups:
        first = group.first[0]
        yield (
            group.code,
            str(group.severity),
            group.count,
            _columns(group),
            _link(outcome, _reference(outcome, first)),
            codes.summary_of(group.code) or printable(first.message),
            printable(group.hint or codes.fix_of(group.code) or first.hint),
        )


def _answers(outcome: SheetResult, found: Tally) -> Iterator[Line]:
    if not found.refusals:
        return
    yield ()
    yield ANSWER_HEADINGS
    for refusal in found.refusals:
        yield (
            str(refusal.status),
            clean(refusal.code),
            refusal.count,
            _rows(refusal),
            _link(outcome, f"A{refusal.rows[0]}"),
            printable(refusal.message),
        )


def _columns(group: CodeGroup) -> str:
    """`B gtin, D price …`."""
    named = (f"{letter} {clean(header)}".strip() for letter, header in group.columns.items())
    return ", ".join(named) + (" …" if group.more_columns else "")


def _rows(refusal: RefusedRows) -> str:
    return listed(refusal.rows, refusal.count)


def _reference(outcome: SheetResult, problem: Problem) -> str:
    """The problem's cell; of a whole column its header, of a whole row its first cell."""
    header = outcome.checked.header
    row = problem.row or (header.row if header and problem.column else None)
    return f"{problem.column or 'A'}{row}" if row else ""


def _link(outcome: SheetResult, reference: str) -> str | Link:
    sheet = outcome.checked.sheet
    return Link(reference, sheet, reference) if sheet and reference else reference
