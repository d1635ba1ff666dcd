"""What later runs have answered to the rows of a run: how corrections find their way back.

A workbook of rows to correct (`feedtool.runs.corrections`) says of which sheet it is, and each of
its rows of which row: whatever becomes of it is told beside that row, also where its reference was
what was wrong. Of any other row the last run that has sent its reference on the channel is looked
up. Only of rows that were not taken, or of which nobody knows: what was answered to the others
stays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Message, Status, Verdict
from feedtool.model.sheet import CheckedSheet
from feedtool.report import Outcome
from feedtool.runs.row_results import answered
from feedtool.runs.workspace import Books, checked_again, recorded_of

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.ledger import File, Run

Verdicts = Callable[[], Iterator[Verdict]]

LEFT_OPEN = frozenset({Status.UNKNOWN, Status.HELD, Status.SUPERSEDED})
"""What a later run may have settled, beside what is to be corrected."""


def bring_up_to_date(outcomes: Sequence[Outcome], run: int, books: Books) -> None:
    """Let the outcomes of a run tell what later runs have answered to its rows."""
    this = books.ledger.run(run)
    later = [] if this is None else _later_runs(this, books)
    if this is None or not later:
        return
    files = {(file.path, file.sheet): file for file in books.ledger.files(run)}
    for outcome in outcomes:
        file = files.get((outcome.checked.file, outcome.checked.sheet))
        if file is not None and outcome.verdicts is not None:
            outcome.verdicts = _brought(outcome, outcome.verdicts, this, file, later, books)


def _later_runs(this: "Run", books: Books) -> list["Run"]:
    """The seller's, oldest first."""
    return [
        run
        for run in reversed(books.ledger.runs())
        if run.run_id > this.run_id and (run.seller, run.service) == (this.seller, this.service)
    ]


def _brought(
    outcome: Outcome,
    before: Verdicts,
    this: "Run",
    file: "File",
    later: Sequence["Run"],
    books: Books,
) -> Verdicts:
    """The verdicts with what later runs say; these are asked when the first of them is wanted."""

    @cache
    def found() -> Mapping[int, Verdict]:
        # They bring openpyxl, which is slow to import.
        from feedtool.runs.corrections import SHA_TOLD, is_to_correct

        waiting = {
            one.row: one for one in before() if one.status in LEFT_OPEN or is_to_correct(one)
        }
        if not waiting:
            return {}
        name = f"{file.file}:{file.sha256[:SHA_TOLD]}"
        correcting = [run for run in later if _corrects(run, name, books)]
        told = _corrected(name, waiting, correcting, books)
        left = {row: one for row, one in waiting.items() if row not in told}
        besides = [run.run_id for run in correcting]
        return {**told, **_sent_again(outcome.checked, left, this, besides, books)}

    def verdicts() -> Iterator[Verdict]:
        now = found()
        for verdict in before():
            yield now.get(verdict.row, verdict)

    return verdicts


def _corrects(run: "Run", name: str, books: Books) -> bool:
    recorded = recorded_of(run.run_id, books)
    return any(one.startswith(f"{name}:") for one in recorded.corrects)


def _corrected(
    name: str, waiting: Mapping[int, Verdict], correcting: Sequence["Run"], books: Books
) -> dict[int, Verdict]:
    """What became of the corrections of rows, by the row of the original; the last one counts."""
    found: dict[int, Verdict] = {}
    for run in correcting:
        try:
            sheets = checked_again(recorded_of(run.run_id, books), books)
        except FileProblem:  # it was sent from another machine, where its snapshot is
            continue
        outcomes = answered(sheets, books.ledger, run.run_id, None)
        bring_up_to_date(outcomes, run.run_id, books)
        for outcome in outcomes:
            checked = outcome.checked
            if not checked.corrects.startswith(f"{name}:"):
                continue
            for verdict in outcome.every_verdict():
                origin = checked.origins.get(verdict.row)
                if origin is not None and origin in waiting:
                    where = f"Corrected in run {run.run_id}: row {verdict.row} of {checked.file}."
                    found[origin] = _told(verdict, origin, where)
    return found


def _sent_again(
    checked: CheckedSheet,
    left: Mapping[int, Verdict],
    this: "Run",
    besides: Sequence[int],
    books: Books,
) -> dict[int, Verdict]:
    """What became of the references of rows in later runs."""
    by_channel: dict[str, dict[int, str]] = {}
    for row, channel, reference in _named(checked):
        if row in left and reference:
            by_channel.setdefault(channel, {})[row] = reference
    found: dict[int, Verdict] = {}
    for channel, references in by_channel.items():
        sent = books.ledger.sent_later(this, channel, set(references.values()), besides)
        for row, reference in references.items():
            if one := sent.get(reference):
                verdict = one.verdict
                where = (
                    f"Sent again in run {one.run_id}, as {one.package_type}:"
                    f" row {verdict.row} of {one.path}, {verdict.status}."
                )
                is_known = left[row].status is Status.SUPERSEDED
                found[row] = _added(left[row], where) if is_known else _told(verdict, row, where)
    return found


def _named(checked: CheckedSheet) -> Iterator[tuple[int, str, str]]:
    """The row, the channel and the reference of everything in a sheet."""
    for item in checked.items:
        yield item.row, item.channel, item.reference
    for refused in checked.refused:
        yield refused.row, refused.channel, refused.reference or ""


def _told(verdict: Verdict, row: int, where: str) -> Verdict:
    return verdict._replace(row=row, messages=(Message("", where), *verdict.messages))


def _added(verdict: Verdict, where: str) -> Verdict:
    return verdict._replace(messages=(*verdict.messages, Message("", where)))
