"""The results of a command's sheets, and the later runs that sent rows again."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby

from feedtool.areas.registry import load
from feedtool.delivery.plan import Dependencies, Plan
from feedtool.ledger import Ledger, Run
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import REFUSED, Message, RowResult, Status, by_row, worst_status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr
from feedtool.report.sheet_result import TO_CORRECT, RunFacts, SheetResult
from feedtool.runs import row_notes
from feedtool.runs.row_notes import Verdicts, refused_rows
from feedtool.runs.run_record import RunOptions
from feedtool.runs.selection import chosen_of
from feedtool.runs.workspace import Workspace

NOT_BEGUN = tr("Not sent: the run stopped before it was begun.")
GIVEN_UP = tr("Not sent: the run was given up.")


def results_of_check(sheets: Sequence[CheckedSheet]) -> list[SheetResult]:
    """Return the results of a check, with those of rows; the sheets were read with their items."""
    return [
        SheetResult(sheet, is_submitted=True, verdicts=partial(row_notes.check_results, sheet))
        for sheet in sheets
    ]


def results_of_plan(plan: Plan) -> list[SheetResult]:
    """Return the results of a dry run, or of a command that sends nothing."""
    is_single = load().is_single
    return [
        SheetResult(
            sheet,
            is_submitted=True,
            blocked=plan.blocked,
            packages=[] if plan.blocked or is_single(sheet.kind) else plan.summaries(sheet),
            acts=([] if plan.blocked else plan.acts(sheet)) if is_single(sheet.kind) else None,
            verdicts=partial(_not_sent, sheet, Status.HELD, plan.blocked)
            if plan.blocked
            else partial(row_notes.check_results, sheet),
        )
        for sheet in plan.sheets
    ]


def _not_sent(sheet: CheckedSheet, status: Status, reason: str) -> Iterator[RowResult]:
    for verdict in row_notes.check_results(sheet):
        is_valid = verdict.status is Status.VALID
        messages = (Message("", reason),)
        yield verdict._replace(status=status, messages=messages) if is_valid else verdict


def not_begun(sheets: Sequence[CheckedSheet], stopped: FeedtoolError) -> list[SheetResult]:
    """Return the results of sheets without a run, since an error stopped it."""
    return [
        SheetResult(
            sheet,
            is_submitted=True,
            stopped=stopped,
            verdicts=partial(_not_sent, sheet, Status.PENDING, NOT_BEGUN),
        )
        for sheet in sheets
    ]


def results_of_run(
    sheets: Sequence[CheckedSheet], ledger: Ledger, run: int, stopped: FeedtoolError | None
) -> list[SheetResult]:
    """Return the results of sheets after their delivery."""
    files = {(file.path, file.sheet): file.file for file in ledger.files(run)}
    dependencies = Dependencies(sheets, load().feeds)
    begun = ledger.run(run)
    options = RunOptions.from_json(begun.options) if begun else None
    is_given_up = options is not None and options.abandoned is not None
    facts, chosen = None, options.selection.rows if options else ()
    if begun and options:
        service = "sandbox" if options.is_sandbox else begun.service
        facts = RunFacts(begun.started_at, begun.seller, service)
    outcomes = []

    def every_row(sheet: CheckedSheet) -> Iterator[RowResult]:
        file = files.get((sheet.file, sheet.sheet))
        if file is None and is_given_up:
            return _not_sent(sheet, Status.HELD, GIVEN_UP)
        if file is None:
            return _not_sent(sheet, Status.PENDING, NOT_BEGUN)
        return row_notes.all_results(sheet, ledger.verdicts(file))

    @cache
    def statuses_of(number: int) -> dict[int, Status]:
        return {of_row[0].row: worst_status(of_row) for of_row in by_row(every_row(sheets[number]))}

    def hinted(sheet: CheckedSheet) -> Iterator[RowResult]:
        return dependencies.with_hints(sheet, every_row(sheet), statuses_of)

    for sheet in sheets:
        file = files.get((sheet.file, sheet.sheet))
        outcome = SheetResult(sheet, str(run), is_submitted=True, stopped=stopped, run_facts=facts)
        outcome.chosen = chosen_of(sheet, chosen)
        if file is not None:
            _add_requests(outcome, ledger, file)
        if file is not None or sheet.error is None:
            outcome.verdicts = partial(hinted, sheet)
        outcomes.append(outcome)
    return outcomes


def _add_requests(result: SheetResult, ledger: Ledger, file: int) -> None:
    if load().is_single(result.checked.kind):
        result.acts = ledger.acts(file)
    else:
        result.packages = ledger.packages(file)


NOT_TAKEN = {Status.INVALID, *REFUSED, Status.UNKNOWN, Status.HELD, Status.SUPERSEDED}


def note_sent_again(outcomes: Sequence[SheetResult], run_id: int, workspace: Workspace) -> None:
    """Note with each row that was not taken the later run that sent its reference again."""
    run = workspace.ledger.run(run_id)
    if run is None or not workspace.ledger.has_later(run):
        return
    for outcome in outcomes:
        if outcome.verdicts is not None and outcome.checked.error is None:
            outcome.sent_again = _sent_again(outcome, run, workspace)
            outcome.verdicts = partial(_with_note, outcome.verdicts, outcome.sent_again)


def _sent_again(outcome: SheetResult, run: Run, workspace: Workspace) -> dict[tuple[int, str], int]:
    """Return the last run that has sent a row again, by row and channel."""
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
    checked: CheckedSheet, run: Run, workspace: Workspace
) -> Iterator[tuple[int, str, str]]:
    """Yield the row, the channel and the reference of each row that has any."""
    for file in workspace.ledger.files(run.run_id):
        if (file.path, file.sheet) == (checked.file, checked.sheet):
            yield from workspace.ledger.references_of(file.file)
    for refused in refused_rows(checked):
        yield refused.row, refused.channel, refused.reference or ""


def _with_note(results: Verdicts, sent_again: Mapping[tuple[int, str], int]) -> Iterator[RowResult]:
    for result in results():
        run = sent_again.get((result.row, result.channel))
        note = (Message("", tr("Sent again in run {run}.", run=run)),) if run else ()
        yield result._replace(messages=(*result.messages, *note)) if run else result


def rows_to_correct(sheet: SheetResult) -> Iterator[int]:
    """Yield the rows of a sheet to correct: those that were refused, here or by the service.

    Held rows are not surely wrong; they are sent with `--release`. Pending or Unknown rows may be
    in force, and a later run has sent the Superseded ones.
    """
    to_correct = (result.row for result in sheet.left() if result.status in TO_CORRECT)
    return (row for row, _ in groupby(to_correct))
