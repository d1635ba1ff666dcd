"""Goes on with a run, and writes its answers again, from the snapshots and the ledger."""

from dataclasses import replace
from datetime import datetime

from feedtool.areas.legacy.purge import NOT_CONFIRMED, hold_back, measure, unsent
from feedtool.areas.registry import load
from feedtool.delivery.plan import Plan
from feedtool.model.errors import FeedtoolError
from feedtool.report import SheetResult
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.deliver import OnEvent, Submission, deliver_run, ignore, write_copies
from feedtool.runs.row_results import results_of_run
from feedtool.runs.run_options import RunOptions
from feedtool.runs.sent_again import note_sent_again
from feedtool.runs.session import Session, clock_of, fetch_context_of, locked
from feedtool.runs.workspace import (
    Workspace,
    check_again,
    checked_sheets_of,
    kept_inputs,
    options_of,
    record,
    select_rows,
)


def resume(
    run: int,
    session: Session,
    workspace: Workspace,
    *,
    wait: bool = True,
    only_fetch: bool = False,
    outputs: Outputs | None = None,
    on_event: OnEvent = ignore,
) -> Submission:
    """Goes on with a run, at whatever point it was left, and writes where it was told to.

    With `only_fetch` nothing is sent: what is committed is brought to its end. `outputs` are the
    same places by their present names, where another machine knows them under others.
    """
    from feedtool.delivery.deadlines import warnings

    options = _named(options_of(run, workspace), outputs)
    with locked(session, workspace, "results" if only_fetch else "resume"):
        if not only_fetch and not options.is_whole(workspace.ledger.files(run)):
            sheets = check_again(options, workspace)
            account = (session.address, session.seller)
            select_rows(workspace, sheets, options.asked, options.selection, account, run)
            plan = Plan(sheets, load().feeds, options.asked.dialect.limits)
            record(workspace, run, plan, options, session.now())
        packages = workspace.ledger.read_packages(run)
        if purges := [] if only_fetch else unsent(packages):
            sheets = check_again(options, workspace)
            purge = measure(sheets, session.client, fetch_context_of(session))
            if purge.removed > (options.removals or 0):
                reason = f"{NOT_CONFIRMED}: {purge.text}"
                hold_back(workspace.ledger, purges, reason, session.now())
        deadlines = warnings(packages, clock_of(session, workspace), load().routes)
        stopped = deliver_run(
            run,
            options.asked,
            session,
            workspace,
            wait=wait,
            only_fetch=only_fetch,
            on_event=on_event,
        )
        outcomes = results(run, workspace, session.now(), stopped, outputs)
        return Submission(outcomes, stopped, deadlines)


def results(
    run: int,
    workspace: Workspace,
    now: datetime,
    stopped: FeedtoolError | None = None,
    outputs: Outputs | None = None,
) -> list[SheetResult]:
    """Writes the annotated copies of a run again, from its snapshots and the ledger alone.

    Rows that were not taken say in which later run they were sent again. `outputs`: as `resume`.
    """
    former = options_of(run, workspace)
    options = _named(former, outputs)
    files = kept_inputs(options, workspace)
    sheets = checked_sheets_of(options, workspace)
    outcomes = results_of_run(sheets, workspace.ledger, run, stopped)
    note_sent_again(outcomes, run, workspace)
    if stopped is None or not options.outputs.only_whole:
        other_names = former.wanted() if outputs else ()
        write_copies(run, files, outcomes, options, now, workspace, other_names)
    return outcomes


def _named(options: RunOptions, outputs: Outputs | None) -> RunOptions:
    return replace(options, outputs=outputs) if outputs else options
