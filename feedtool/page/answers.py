"""The answers to a run as the browser shows them: the cells that were sent, and each row's result.

HOME/page/runs/N/
    grid.sqlite    the cells as the run's snapshots have them, with the answers
    copies/        copies to download
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import check
from feedtool.page.desk import PageSession
from feedtool.page.grid import Grid, GridWriter, add_results
from feedtool.page.jobs import Job
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.history import RunState
from feedtool.runs.row_results import note_sent_again, results_of_run
from feedtool.runs.workspace import (
    Workspace,
    checked_sheets_of,
    kept_inputs,
    options_of,
    read_options_again,
)

ANSWERS = "answers "
"""The beginning of the keys of jobs."""
VIEW = "answers"
"""The view of a grid that has them."""


def has_grid(session: PageSession, run: int) -> bool:
    """True if there is something of a run that the browser can show."""
    return _place(session, run).is_file()


def grid_of_run(session: PageSession, run: int) -> Grid:
    """What the browser shows of a run; GridUnusable where that is not made yet."""
    return Grid(_place(session, run))


def start_answers(session: PageSession, state: RunState) -> Job:
    """The job that brings the answers of a run that is at its end into a grid."""
    run = state.run.run_id
    return session.jobs.start(f"{ANSWERS}{run}", "check", partial(_bring, session, run))


def _bring(session: PageSession, run: int, _: Job) -> None:
    place = _place(session, run)
    if place.is_file():
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    making = place.with_name("making.sqlite")
    with session.workspace() as workspace, GridWriter(making) as writer:
        options = options_of(run, workspace)
        reading = replace(read_options_again(options, workspace), see=writer.see, with_items=False)
        writer.conclude(check(kept_inputs(options, workspace), reading, load()))
        results = enumerate(results_of(run, workspace))
        add_results(making, VIEW, {session: result.every_verdict() for session, result in results})
    making.replace(place)


def results_of(run: int, workspace: Workspace) -> Sequence[SheetResult]:
    """The results of each sheet of a run, as the ledger has them now."""
    options = options_of(run, workspace)
    results = results_of_run(checked_sheets_of(options, workspace), workspace.ledger, run, None)
    note_sent_again(results, run, workspace)
    return results


def folder_of_run(session: PageSession, run: int) -> Path:
    """The folder of what is made of a run."""
    return session.uploads.folder("runs") / str(run)


def _place(session: PageSession, run: int) -> Path:
    return folder_of_run(session, run) / "grid.sqlite"
