"""Rows of a run that were not taken, and that a later run has sent again."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from feedtool.model.nouns import Message, RowResult, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.report import SheetResult
from feedtool.runs.row_notes import REFUSED, Verdicts, refused_rows
from feedtool.runs.workspace import Workspace

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.ledger import Run

NOT_TAKEN = {Status.INVALID, *REFUSED, Status.UNKNOWN, Status.HELD, Status.SUPERSEDED}


def note_sent_again(outcomes: Sequence[SheetResult], run_id: int, workspace: Workspace) -> None:
    """Lets each row that was not taken say in which later run its reference was sent again.

    What came of it there stands in the results of that run.
    """
    runs = workspace.ledger.runs()
    run = next((run for run in runs if run.run_id == run_id), None)
    if run is None or not any(_is_later(other, run) for other in runs):
        return
    for outcome in outcomes:
        if outcome.verdicts is not None and outcome.checked.error is None:
            outcome.sent_again = _sent_again(outcome, run, workspace)
            outcome.verdicts = partial(_noted, outcome.verdicts, outcome.sent_again)


def _is_later(other: "Run", run: "Run") -> bool:
    is_same_account = (other.seller, other.service) == (run.seller, run.service)
    return is_same_account and other.run_id > run.run_id


def _sent_again(
    outcome: SheetResult, run: "Run", workspace: Workspace
) -> dict[tuple[int, str], int]:
    """The last run that has sent a row again, by row and channel."""
    not_taken = {
        (result.row, result.channel)
        for result in outcome.every_verdict()
        if result.status in NOT_TAKEN
    }
    by_channel: dict[str, dict[int, str]] = {}
    for row, channel, reference in _references(outcome.checked, run, workspace):
        if (row, channel) in not_taken and reference:
            by_channel.setdefault(channel, {})[row] = reference
    sent_again: dict[tuple[int, str], int] = {}
    for channel, references in by_channel.items():
        sent = workspace.ledger.sent_later(run, channel, set(references.values()))
        sent_again |= {
            (row, channel): sent[name] for row, name in references.items() if name in sent
        }
    return sent_again


def _references(
    checked: CheckedSheet, run: "Run", workspace: Workspace
) -> Iterator[tuple[int, str, str]]:
    """The row, the channel and the reference of each row that has any."""
    for file in workspace.ledger.files(run.run_id):
        if (file.path, file.sheet) == (checked.file, checked.sheet):
            yield from workspace.ledger.references_of(file.file)
    for refused in refused_rows(checked):
        yield refused.row, refused.channel, refused.reference or ""


def _noted(results: Verdicts, sent_again: Mapping[tuple[int, str], int]) -> Iterator[RowResult]:
    for result in results():
        run = sent_again.get((result.row, result.channel))
        note = (Message("", f"Sent again in run {run}."),) if run else ()
        yield result._replace(messages=(*result.messages, *note)) if run else result
