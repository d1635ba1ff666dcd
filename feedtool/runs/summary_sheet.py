"""The sheet `feedtool summary` of an annotated workbook: what became of its rows, and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from feedtool.areas.offers.wire.result_codes import explanation_of
from feedtool.check import SUMMARY
from feedtool.model.cells import index_of
from feedtool.model.nouns import Counts, Severity, Status
from feedtool.model.text import FieldName, Translator, joined, tr
from feedtool.report.as_json import ENGLISH
from feedtool.report.codes import advice_of, words_in
from feedtool.report.plain import clean, listed, printable
from feedtool.report.sheet_result import SheetResult
from feedtool.report.tally import (
    SEVERITIES,
    CodeGroup,
    RefusedRows,
    Tally,
    status_word,
    tally,
)
from feedtool.runs.codes import all_codes
from feedtool.runs.row_notes import outcome_of, sheet_translator
from feedtool.sheets.annotate import DataBar, Link, Outcome, Styled, Summary, SummaryCell, Table

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
ORDER: Sequence[Outcome] = ("good", "bad", "open", "idle")


def summary_sheet(results: Iterable[SheetResult], say: Translator = ENGLISH) -> Summary:
    """The sheet in a language; one part below the other for each annotated sheet."""
    tables = [summary_table(result, say) for result in results]
    lines = chain.from_iterable([(), (), *table] for table in tables)
    return Summary(SUMMARY, list(lines)[2:], WIDTHS)


def summary_table(result: SheetResult, say: Translator = ENGLISH) -> Table:
    """Its rows: the facts, the statuses, then a line for each code and each refusal."""
    own = sheet_translator(result.checked, say)
    counted = tally(result, 1)
    statuses = _statuses(counted.counts)
    lines = [
        (Styled(_headline(result, statuses), "title"),),
        (),
        *_facts(result, counted),
        *_table(STATUS_HEADINGS, _status_lines(result, counted, statuses, own)),
        *_table(PROBLEM_HEADINGS, _problem_lines(result, counted.groups, own)),
        *_table(ANSWER_HEADINGS, _answer_lines(result, counted.refusals, own)),
    ]
    return [[_said(cell, own) for cell in line] for line in lines]


def _said(cell: SummaryCell, say: Translator) -> SummaryCell:
    match cell:
        case Styled(value=str(text)):
            return cell._replace(value=say(text))
        case Link(text=text):
            return cell._replace(text=say(text))
        case str():
            return say(cell)
    return cell


def _table(headings: Sequence[str], lines: Iterable[Line]) -> Iterator[Line]:
    """The lines below their headings, with a blank line before; nothing where there are none."""
    rows = list(lines)
    if rows:
        yield ()
        yield [Styled(heading, "band") for heading in headings]
        yield from rows


def _statuses(counts: Counts) -> Mapping[Status, int]:
    """The rows by status; of a mere check by validity."""
    checked = {
        Status.VALID: counts.valid,
        Status.INVALID: counts.invalid,
        Status.SKIPPED: counts.skipped,
    }
    statuses = counts.by_status or {status: count for status, count in checked.items() if count}
    return dict(sorted(statuses.items(), key=lambda item: ORDER.index(outcome_of(item[0]))))


def _headline(result: SheetResult, statuses: Mapping[Status, int]) -> str:
    """What became of the rows, in one line."""
    of = dict.fromkeys(("good", "bad", "open"), 0)
    for status, count in statuses.items():
        outcome = outcome_of(status)
        of[outcome] = of.get(outcome, 0) + count
    rows = sum(statuses.values())
    is_sent = result.run is not None
    accepted = tr("{count:,} of {rows:,} rows accepted", count=of["good"], rows=rows)
    valid = tr("{count:,} of {rows:,} rows valid", count=of["good"], rows=rows)
    parts = [accepted if is_sent else valid]
    if of["bad"]:
        parts.append(tr("{count:,} to correct", count=of["bad"]))
    if of["open"]:
        parts.append(tr("{count:,} still open", count=of["open"]))
    return joined(parts)


def _facts(result: SheetResult, counted: Tally) -> Iterator[Line]:
    checked, run = result.checked, result.run_facts
    facts: dict[str, str | int] = {
        tr("File"): clean(checked.file),
        tr("Sheet"): clean(checked.sheet or ""),
        tr("Kind"): checked.kind or "",
        tr("Read by"): checked.kind_reason if checked.recipe else "",
        tr("Date"): f"{run.started:%Y-%m-%d %H:%M} UTC" if run else "",
        tr("Account"): clean(f"{run.seller}, {run.service}") if run else "",
        tr("Channel"): ", ".join(dict.fromkeys(clean(it.channel) for it in result.packages)),
        tr("Run"): clean(result.run or ""),
        tr("Warnings"): counted.counts.warnings or "",
    }
    for label, fact in facts.items():
        if fact:
            yield Styled(label, "label"), Styled(fact, "fact")
    for name, number in result.fixed.by_name().items() if result.fixed else ():
        yield Styled(tr("Cells fixed: {fix}", fix=name), "label"), Styled(number, "fact")
    bad = [row for status, row in counted.first.items() if outcome_of(status) == "bad"]
    if bad and checked.sheet:
        link = Link(tr("Row {row}", row=min(bad)), checked.sheet, str(min(bad)), "jump")
        yield Styled(tr("First to correct"), "label"), link


def _status_lines(
    result: SheetResult, counted: Tally, statuses: Mapping[Status, int], say: Translator
) -> Iterator[Line]:
    rows, words = sum(statuses.values()), words_in(say.language)
    for status, count in statuses.items():
        outcome = outcome_of(status)
        meaning, _, _ = words[status].page.partition("\n")
        word = say(status_word(status))
        first = counted.first.get(status)
        yield (
            Styled(str(status), outcome),
            count,
            Styled(f"{100 * count / rows:.0f} %", "share"),
            DataBar(count, rows, outcome),
            _link(result, str(first), f"A{first}") if first else "",
            meaning if word == status else tr("{status}: {meaning}", status=word, meaning=meaning),
        )


def _problem_lines(
    result: SheetResult, groups: Sequence[CodeGroup], say: Translator
) -> Iterator[Line]:
    codes = all_codes(say.language)
    for group in groups:
        first = group.first[0]
        columns = (
            f"{letter} {_name(result, letter, say) or clean(name)}".strip()
            for letter, name in group.columns.items()
        )
        # Of a whole column the first cell is its header, of a whole row that of column A.
        header = result.checked.header
        row = first.row or (header.row if header and first.column else None)
        place = f"{first.column or 'A'}{row}" if row else ""
        yield (
            Styled(group.code, OF_SEVERITY[group.severity]),
            group.count,
            SEVERITIES[group.severity],
            "\n".join(columns) + ("\n…" if group.more_columns else ""),
            _link(result, place, place),
            codes.summary_of(group.code) or printable(say(first.message)),
            printable(say(group.hint or codes.fix_of(group.code) or first.hint)),
        )


def _name(result: SheetResult, letter: str, say: Translator) -> str:
    """The name of a column that is known by its key."""
    header = result.checked.header
    column = header.columns.get(index_of(letter)) if header else None
    return say(FieldName(column.key)) if column else ""


def _answer_lines(
    result: SheetResult, refusals: Sequence[RefusedRows], say: Translator
) -> Iterator[Line]:
    for refusal in refusals:
        row = refusal.rows[0]
        page = explanation_of(refusal.code, say) or ""
        yield (
            Styled(str(refusal.status), outcome_of(refusal.status)),
            refusal.count,
            clean(refusal.code),
            listed(refusal.rows, refusal.count),
            _link(result, f"A{row}", str(row)),
            printable(say(refusal.message)),
            advice_of(page),
        )


def _link(result: SheetResult, text: str, ref: str) -> str | Link:
    sheet = result.checked.sheet
    return Link(text, sheet, ref) if sheet and ref else text
