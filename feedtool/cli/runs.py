"""`feedtool runs` and `feedtool status`."""

import sys
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.errors import NothingToDo
from feedtool.report.runs import RunState, write_run, write_runs

if TYPE_CHECKING:
    from feedtool.delivery.deadlines import Clock
    from feedtool.runs.workspace import Workspace

_listing = options.group(options.format_, options.home, options.ledger)


@click.command()
@options.count("--last", "Only so many.  [default: all]")
@options.text(
    "--abandon",
    "N",
    "Give up run N, which can never go on, so that it keeps no other waiting; refused while "
    "anything of it may still be applied.",
    type=int,
)
@_listing
def runs(
    last: int | None, abandon: int | None, form: str, home: Path | None, ledger: str | None
) -> None:
    """List all runs, newest first: of which files, by whom, and what became of their rows.

    What the service will delete before long is told in time.
    """
    from feedtool.runs.history import every_run, run_state

    folder = home_folder(home)
    with open_workspace(folder, ledger) as workspace:
        clock_of = _clocks(folder, workspace)
        if abandon is None:
            states = every_run(workspace.ledger, clock_of, last, partial(echo, "warning"))
        else:
            _abandon(abandon, workspace, clock_of)
            states = [run_state(workspace.ledger, abandon, clock_of)]
    write_runs(states, sys.stdout, form)
    _warn(states)
    if not states:
        echo("note", "there are no runs yet")
        echo("help", "begin with `feedtool demo`, or with `feedtool submit FILE --sandbox`")


def _abandon(run_id: int, workspace: "Workspace", clock_of: "Callable[[str], Clock]") -> None:
    """Give a run up, and say what is in doubt of it; NothingToDo where it is at its end."""
    from feedtool.delivery.giving_up import abandon
    from feedtool.runs.workspace import options_of, unfinished

    recorded = options_of(run_id, workspace)
    if run_id not in unfinished(workspace):
        what = "was given up before" if recorded.abandoned else "is finished"
        raise NothingToDo(
            f"run {run_id} {what}", f"`feedtool status {run_id}` shows what came of it"
        )
    run = workspace.ledger.run(run_id)
    clock = clock_of(run.service if run else "")
    for doubt in abandon(workspace.ledger, run_id, datetime.now(UTC), clock):
        echo("warning", doubt)
    results = f"`feedtool results {run_id}` writes what is known of its rows"
    echo("note", f"run {run_id} is given up; {results}")


@click.command()
@click.argument("run", type=int, metavar="RUN")
@_listing
def status(run: int, form: str, home: Path | None, ledger: str | None) -> None:
    """Show one RUN: its files and packages, what became of its rows, what will be lost when.

    An open package is kept for 6 hours, results for 3 days, by the service's clock.
    """
    from feedtool.runs.history import run_state

    folder = home_folder(home)
    with open_workspace(folder, ledger) as workspace:
        state = run_state(workspace.ledger, run, _clocks(folder, workspace))
    write_run(state, sys.stdout, form)
    _warn([state])


def _warn(states: list[RunState]) -> None:
    for run in states:
        for warning in run.warnings:
            echo("warning", f"run {run.run}: {warning}")
            echo("help", f"feedtool resume {run.run}")


def _clocks(home: Path, workspace: "Workspace") -> "Callable[[str], Clock]":
    """The clock of each service; that of the embedded sandbox leaps."""
    from feedtool.delivery.deadlines import Clock

    @cache
    def clock_of(service: str) -> Clock:
        ahead = _ahead_of_sandbox(home) if service == options.SANDBOX else timedelta(0)
        return Clock(datetime.now(UTC) + ahead, workspace.ledger.skew(service), ahead)

    return clock_of


def _ahead_of_sandbox(home: Path) -> timedelta:
    """The time by which the embedded sandbox is ahead of real time."""
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.transport import mount

    state = home / "sandbox.sqlite"
    if state.exists():
        parts = sandbox_parts()
        with suppress(StateUnreadableError, OSError), closing(mount(parts, state)) as transport:
            return transport.ahead()
    return timedelta(0)
