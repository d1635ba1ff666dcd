"""Headline, facts and statuses of a sheet's result, for summary sheet and HTML report."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from feedtool.model.cells import index_of
from feedtool.model.nouns import REFUSED, Counts, Problem, Status
from feedtool.model.text import FieldName, MessageText, Translator, joined, tr
from feedtool.report.codes import words_in
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult
from feedtool.report.statuses import status_word
from feedtool.report.tally import CodeGroup, Tally

Outcome = Literal["good", "bad", "open", "idle"]
"""Accepted, to be corrected, undecided, and left out."""

ORDER: Sequence[Outcome] = ("good", "bad", "open", "idle")
OUTCOMES: Mapping[Status, Outcome] = {
    Status.INVALID: "bad",
    **dict.fromkeys(REFUSED, "bad"),
    Status.UNCHANGED: "idle",
    Status.NOT_CHOSEN: "idle",
    Status.SKIPPED: "idle",
    Status.SUPERSEDED: "idle",
    **dict.fromkeys((Status.PENDING, Status.HELD, Status.UNKNOWN), "open"),
}


def outcome_of(status: Status) -> Outcome:
    """The outcome of a status, which sets its colour; good if not in `OUTCOMES`."""
    return OUTCOMES.get(status, "good")


def statuses_of(counts: Counts) -> Mapping[Status, int]:
    """The rows by status; for a mere check by validity."""
    checked = {
        Status.VALID: counts.valid,
        Status.INVALID: counts.invalid,
        Status.SKIPPED: counts.skipped,
    }
    statuses = counts.by_status or {status: count for status, count in checked.items() if count}
    return dict(sorted(statuses.items(), key=lambda item: ORDER.index(outcome_of(item[0]))))


def headline_of(result: SheetResult, statuses: Mapping[Status, int]) -> MessageText:
    """The numbers of rows that are accepted, to correct, and still open, in one line."""
    counts = dict.fromkeys(ORDER, 0)
    for status, count in statuses.items():
        counts[outcome_of(status)] += count
    rows = sum(statuses.values())
    accepted = tr("{count:,} of {rows:,} rows accepted", count=counts["good"], rows=rows)
    valid = tr("{count:,} of {rows:,} rows valid", count=counts["good"], rows=rows)
    parts = [valid if result.run is None else accepted]
    if counts["bad"]:
        parts.append(tr("{count:,} to correct", count=counts["bad"]))
    if counts["open"]:
        parts.append(tr("{count:,} still open", count=counts["open"]))
    return joined(parts)


def facts_of(
    result: SheetResult, counted: Tally, made: datetime | None = None
) -> Iterator[tuple[str, str | int]]:
    """Yield the file, account, time and other circumstances, each with its label.

    `made` is the time of the report, for a sheet that was not sent.
    """
    checked, run = result.checked, result.run_facts
    started = run.started if run else made
    facts: dict[str, str | int] = {
        tr("File"): clean(checked.file),
        tr("Sheet"): clean(checked.sheet or ""),
        tr("Kind"): checked.kind or "",
        tr("Read by"): checked.kind_reason if checked.recipe else "",
        tr("Date"): f"{started:%Y-%m-%d %H:%M} UTC" if started else "",
        tr("Account"): clean(", ".join(dict.fromkeys((run.seller, run.service)))) if run else "",
        tr("Channel"): ", ".join(
            dict.fromkeys(clean(package.channel) for package in result.packages)
        ),
        tr("Run"): clean(result.run or ""),
        tr("Warnings"): counted.counts.warnings or "",
    }
    yield from ((label, fact) for label, fact in facts.items() if fact)
    for name, number in result.fixed.by_name().items() if result.fixed else ():
        yield tr("Cells fixed: {fix}", fix=name), number


def columns_of(result: SheetResult, group: CodeGroup, say: Translator) -> Iterator[str]:
    """Yield the columns with problems of a code: `E Prix (TTC)`; an ellipsis for further ones."""
    header = result.checked.header
    for letter, name in group.columns.items():
        column = header.columns.get(index_of(letter)) if header else None
        title = say(FieldName(column.key)) if column else clean(name)
        yield f"{letter} {title}".strip()
    if group.more_columns:
        yield "…"


def meaning_of(status: Status, say: Translator) -> MessageText | str:
    """The meaning of a status in a sentence, after its word if that differs from its code."""
    meaning, _, _ = words_in(say.language)[status].page.partition("\n")
    word = say(status_word(status))
    return meaning if word == status else tr("{status}: {meaning}", status=word, meaning=meaning)


def place_name(problem: Problem, say: Translator) -> str:
    """The name of a problem's field, before its message; empty if the message names it."""
    message = problem.message
    values = message.values.values() if isinstance(message, MessageText) else ()
    is_named = any(isinstance(name, FieldName) and name == problem.field for name in values)
    return "" if is_named else name_of(problem, say)


def name_of(problem: Problem, say: Translator) -> str:
    """The sheet's name of a problem's field; the header if the field is unknown."""
    name = say(FieldName(problem.field or ""))
    return problem.header or name if name in {problem.field, ""} else name
