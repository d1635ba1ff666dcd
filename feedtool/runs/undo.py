"""A workbook that undoes a run: it is planned, checked and sent like any other."""

from pathlib import Path
from typing import NamedTuple

from feedtool.areas.registry import load
from feedtool.feeds.feed import ACTION, CHANNEL
from feedtool.feeds.memory import UndoOptions, UndoRow
from feedtool.feeds.template import Basis
from feedtool.ledger.records import Run
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import Language, tr
from feedtool.runs.history import kept_run
from feedtool.runs.selection import accepted_rows
from feedtool.runs.workspace import Workspace, unfinished
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import RowBuffer, SheetRows, write


class UndoSheet(NamedTuple):
    """The number of rows of a workbook, and the rows that it does not restore."""

    rows: int
    """0: no workbook was written."""
    left: Spool[UndoRow]


def run_to_undo(run_id: int, workspace: Workspace, account: tuple[str | None, str | None]) -> Run:
    """Return a finished run of an account (address, seller); UsageProblem for any other."""
    run = kept_run(workspace.ledger, run_id)
    if account != (run.service, run.seller):
        raise UsageProblem(
            tr(
                "run {run} was for the seller {seller} at {service}",
                run=run_id,
                seller=run.seller,
                service=run.service,
            ),
            tr("name that account, with --profile, --base-url and --seller, or --sandbox"),
        )
    if run_id in unfinished(workspace):
        raise UsageProblem(
            tr("run {run} is not finished", run=run_id),
            tr("`feedtool resume {run}` goes on with it; then undo it", run=run_id),
        )
    return run


def write_undo(
    run: Run,
    workspace: Workspace,
    target: Path,
    settings: AccountSettings,
    language: Language,
    options: UndoOptions,
) -> UndoSheet:
    """Write the workbook that undoes a run; UsageProblem as `Undo.rows`."""
    undo, left = load().memory.undo, Spool(UndoRow)
    known = accepted_rows(workspace, (run.service, run.seller))
    with RowBuffer() as rows:
        for row in undo.rows(workspace.ledger.engine, run, known, settings, options):
            if row.reason:
                left.append(row)
            else:
                rows.put(None, row.values)
        if len(rows):
            keys = frozenset((*rows.columns, ACTION, CHANNEL))
            basis = Basis(language, Context(settings), keys=keys)
            contents = contents_of(load().feed_of(undo.kind), basis)
            write(target, [SheetRows(contents, rows)], settings.reading)
        return UndoSheet(len(rows), left)
