"""The sheet `feedtool summary` of an annotated workbook: counts, and where to look."""

from collections.abc import Iterable, Iterator, Sequence

from feedtool.check import SUMMARY
from feedtool.model.nouns import Counts
from feedtool.report import SheetResult
from feedtool.report.plain import clean, listed, printable
from feedtool.report.tally import CodeGroup, RefusedRows, tally
from feedtool.runs.codes import all_codes
from feedtool.sheets.annotate import Link, Summary, Table

Line = tuple[str | int | Link, ...]

PROBLEM_HEADINGS = ("Code", "Severity", "Count", "Column", "First", "Meaning", "How to mend it")
ANSWER_HEADINGS = ("Status", "Code", "Count", "Rows", "First", "Message")
TITLE = "feedtool summary"


def summary_sheet(results: Iterable[SheetResult]) -> Summary:
    """The sheet, with its headings in bold; one part below the other for each annotated sheet."""
    table: list[Sequence[str | int | Link]] = []
    for result in results:
        table += [(), *summary_table(result)] if table else summary_table(result)
    headings = {TITLE, PROBLEM_HEADINGS[0], ANSWER_HEADINGS[0]}
    bold = frozenset(number for number, line in enumerate(table) if line and line[0] in headings)
    return Summary(SUMMARY, table, bold)


def summary_table(result: SheetResult) -> Table:
    """Its rows: the counts, then a line for each code, then one for each refusal.

    Links lead to the first cell of each; a sheet without a name (CSV) gets plain references.
    """
    counted = tally(result, 1)
    return [
        (TITLE,),
        *_counts(result, counted.counts),
        *_problems(result, counted.groups),
        *_answers(result, counted.refusals),
    ]


def _counts(result: SheetResult, counts: Counts) -> Iterator[Line]:
    yield ("File", clean(result.checked.file))
    if result.checked.sheet:
        yield ("Sheet", clean(result.checked.sheet))
    yield ("Kind", result.checked.kind or "")
    if result.run:
        yield ("Run", clean(result.run))
    yield ("Rows", counts.rows)
    yield ("Valid", counts.valid)
    yield ("Invalid", counts.invalid)
    yield ("Skipped", counts.skipped)
    yield ("Warnings", counts.warnings)
    for status, number in counts.by_status.items():
        yield (f"Status {status}", number)


def _problems(result: SheetResult, groups: Sequence[CodeGroup]) -> Iterator[Line]:
    if groups:
        yield from ((), PROBLEM_HEADINGS)
    codes = all_codes()
    for group in groups:
        first = group.first[0]
        columns = (f"{letter} {clean(name)}".strip() for letter, name in group.columns.items())
        # Of a whole column the first cell is its header, of a whole row that of column A.
        header = result.checked.header
        row = first.row or (header.row if header and first.column else None)
        yield (
            group.code,
            str(group.severity),
            group.count,
            ", ".join(columns) + (" …" if group.more_columns else ""),
            _link(result, f"{first.column or 'A'}{row}" if row else ""),
            codes.summary_of(group.code) or printable(first.message),
            printable(group.hint or codes.fix_of(group.code) or first.hint),
        )


def _answers(result: SheetResult, refusals: Sequence[RefusedRows]) -> Iterator[Line]:
    if refusals:
        yield from ((), ANSWER_HEADINGS)
    for refusal in refusals:
        yield (
            str(refusal.status),
            clean(refusal.code),
            refusal.count,
            listed(refusal.rows, refusal.count),
            _link(result, f"A{refusal.rows[0]}"),
            printable(refusal.message),
        )


def _link(result: SheetResult, reference: str) -> str | Link:
    sheet = result.checked.sheet
    return Link(reference, sheet, reference) if sheet and reference else reference
