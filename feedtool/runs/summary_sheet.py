"""The sheet `feedtool summary` of an annotated workbook: the results of its rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from feedtool.check import SUMMARY
from feedtool.model.nouns import Severity, Status
from feedtool.model.text import Translator, tr
from feedtool.report.as_json import ENGLISH
from feedtool.report.overview import (
    Outcome,
    columns_of,
    facts_of,
    headline_of,
    meaning_of,
    outcome_of,
    statuses_of,
)
from feedtool.report.plain import clean, listed, printable, sentence
from feedtool.report.sheet_result import SheetResult
from feedtool.report.tally import SEVERITIES, CodeGroup, RefusedRows, Tally, tally
from feedtool.runs.codes import all_codes
from feedtool.runs.row_notes import sheet_translator
from feedtool.sheets.annotate import DataBar, Link, Styled, Summary, SummaryCell, Table

Line = Sequence[SummaryCell]

WIDTHS = (27, 9, 11, 32, 9, 46, 50)
STATUS_HEADINGS = (tr("Status"), tr("Rows"), tr("Share"), "", tr("First"), tr("What it means"))
PROBLEM_HEADINGS = (
    tr("Problem"), tr("Count"), tr("Severity"), tr("Column"), tr("First"), tr("What it means"),
    tr("What to do"),
)  # fmt: skip
ANSWER_HEADINGS = (
    tr("Status"), tr("Rows"), tr("Code"), tr("In rows"), tr("First"),
    tr("What the service says"), tr("What to do"),
)  # fmt: skip
OF_SEVERITY: Mapping[Severity, Outcome] = {Severity.ERROR: "bad", Severity.WARNING: "open"}


def summary_sheet(results: Iterable[SheetResult], say: Translator = ENGLISH) -> Summary:
    """Return the sheet in a language, with one part for each annotated sheet."""
    tables = [summary_table(result, say) for result in results]
    lines = chain.from_iterable([(), (), *table] for table in tables)
    return Summary(SUMMARY, list(lines)[2:], WIDTHS)


def summary_table(result: SheetResult, say: Translator = ENGLISH) -> Table:
    """Return the facts, the statuses, then a line for each code and each refusal."""
    sheet_say = sheet_translator(result.checked, say)
    counted = tally(result, 1)
    statuses = statuses_of(counted.counts)
    lines = [
        (Styled(headline_of(result, statuses), "title"),),
        (),
        *_facts(result, counted),
        *_table(STATUS_HEADINGS, _status_lines(result, counted, statuses, sheet_say)),
        *_table(PROBLEM_HEADINGS, _problem_lines(result, counted.groups, sheet_say)),
        *_table(ANSWER_HEADINGS, _answer_lines(result, counted.refusals, sheet_say)),
    ]
    return [[_translate(cell, sheet_say) for cell in line] for line in lines]


def _translate(cell: SummaryCell, say: Translator) -> SummaryCell:
    match cell:
        case Styled(value=str(text)):
            return cell._replace(value=say(text))
        case Link(text=text):
            return cell._replace(text=say(text))
        case str():
            return say(cell)
    return cell


def _table(headings: Sequence[str], lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines below their headings, with a blank line before; nothing without lines."""
    rows = list(lines)
    if rows:
        yield ()
        yield [Styled(heading, "band") for heading in headings]
        yield from rows


def _facts(result: SheetResult, counted: Tally) -> Iterator[Line]:
    for label, fact in facts_of(result, counted):
        yield Styled(label, "label"), Styled(fact, "fact")
    bad = [row for status, row in counted.first.items() if outcome_of(status) == "bad"]
    if bad and result.checked.sheet:
        link = Link(tr("Row {row}", row=min(bad)), result.checked.sheet, str(min(bad)), "jump")
        yield Styled(tr("First to correct"), "label"), link


def _status_lines(
    result: SheetResult, counted: Tally, statuses: Mapping[Status, int], say: Translator
) -> Iterator[Line]:
    rows = sum(statuses.values())
    for status, count in statuses.items():
        outcome = outcome_of(status)
        first = counted.first.get(status)
        yield (
            Styled(str(status), outcome),
            count,
            Styled(f"{100 * count / rows:.0f} %", "share"),
            DataBar(count, rows, outcome),
            _link(result, str(first), f"A{first}") if first else "",
            meaning_of(status, say),
        )


def _problem_lines(
    result: SheetResult, groups: Sequence[CodeGroup], say: Translator
) -> Iterator[Line]:
    codes = all_codes(say.language)
    for group in groups:
        first = group.first[0]
        # For a whole column the cell is its header, for a whole row it is that in column A.
        header = result.checked.header
        row = first.row or (header.row if header and first.column else None)
        place = f"{first.column or 'A'}{row}" if row else ""
        yield (
            Styled(group.code, OF_SEVERITY[group.severity]),
            group.count,
            SEVERITIES[group.severity],
            "\n".join(columns_of(result, group, say)),
            _link(result, place, place),
            codes.summary_of(group.code) or printable(say(first.message)),
            sentence(say(group.hint or codes.fix_of(group.code) or first.hint)),
        )


def _answer_lines(
    result: SheetResult, refusals: Sequence[RefusedRows], say: Translator
) -> Iterator[Line]:
    codes = all_codes(say.language)
    for refusal in refusals:
        row = refusal.rows[0]
        yield (
            Styled(str(refusal.status), outcome_of(refusal.status)),
            refusal.count,
            clean(refusal.code),
            listed(refusal.rows, refusal.count),
            _link(result, f"A{row}", str(row)),
            printable(say(refusal.message)),
            sentence(codes.advice_on(refusal.code, say)),
        )


def _link(result: SheetResult, text: str, ref: str) -> str | Link:
    sheet = result.checked.sheet
    return Link(text, sheet, ref) if sheet and ref else text
