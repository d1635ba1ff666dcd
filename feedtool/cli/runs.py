"""`feedtool runs` and `feedtool status`."""

import sys
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import click

from feedtool.areas.registry import sandbox_parts
from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.home import books, home_folder
from feedtool.delivery.deadlines import Clock
from feedtool.delivery.giving_up import abandon as give_up
from feedtool.model.errors import NothingToDo
from feedtool.report.runs import RunState, write_run, write_runs
from feedtool.runs.history import every_run, run_state
from feedtool.runs.workspace import Workspace, options_of, unfinished
from feedtool.sandbox import StateUnreadableError
from feedtool.sandbox.transport import mount

ClockOf = Callable[[str], Clock]
_form = options.choice("--format form", ("text", "json", "jsonl"), "How it is told on stdout.")


@click.command()
@options.count("--last", "Only so many.  [default: all]")
@options.text(
    "--abandon",
    "N",
    "Give up run N, which can never go on, so that it keeps no other waiting; refused while "
    "anything of it may still be applied.",
    type=int,
)
@_form
@options.home
@options.ledger
def runs(
    last: int | None, abandon: int | None, form: str, home: Path | None, ledger: str | None
) -> None:
    """List all runs, newest first: of which files, by whom, and what became of their rows.

    What the service will delete before long is told in time.
    """
    folder = home_folder(home)
    with books(folder, ledger) as opened:
        clock_of = _clocks(folder, opened)
        if abandon is None:
            found = every_run(opened.ledger, clock_of, last, partial(echo, "warning"))
        else:
            _abandon(abandon, opened, clock_of)
            found = [run_state(opened.ledger, abandon, clock_of)]
    write_runs(found, sys.stdout, form)
    _warn(found)
    if not found:
        echo("note", "there are no runs yet")
        echo("help", "begin with `feedtool demo`, or with `feedtool submit FILE --sandbox`")


def _abandon(run: int, opened: Workspace, clock_of: ClockOf) -> None:
    """Give a run up, and say what is in doubt of it; NothingToDo where it is at its end."""
    recorded = options_of(run, opened)
    if run not in unfinished(opened):
        what = "was given up before" if recorded.abandoned else "is finished"
        raise NothingToDo(f"run {run} {what}", f"`feedtool status {run}` shows what came of it")
    found = opened.ledger.run(run)
    clock = clock_of(found.service if found else "")
    doubts = give_up(opened.ledger, run, datetime.now(UTC), clock)
    for doubt in doubts:
        echo("warning", doubt)
    echo(
        "note", f"run {run} is given up; `feedtool results {run}` writes what is known of its rows"
    )


@click.command()
@click.argument("run", type=int, metavar="RUN")
@_form
@options.home
@options.ledger
def status(run: int, form: str, home: Path | None, ledger: str | None) -> None:
    """Show one RUN: its files and packages, what became of its rows, what will be lost when.

    An open package is kept for 6 hours, results for 3 days, by the service's clock.
    """
    folder = home_folder(home)
    with books(folder, ledger) as opened:
        found = run_state(opened.ledger, run, _clocks(folder, opened))
    write_run(found, sys.stdout, form)
    _warn([found])


def _warn(found: list[RunState]) -> None:
    for run in found:
        for warning in run.warnings:
            echo("warning", f"run {run.run}: {warning}")
            echo("help", f"feedtool resume {run.run}")


def _clocks(home: Path, opened: Workspace) -> ClockOf:
    """The clock of each service; that of the embedded sandbox leaps."""

    @cache
    def clock_of(service: str) -> Clock:
        ahead = _leapt(home) if service == options.SANDBOX else timedelta(0)
        return Clock(datetime.now(UTC) + ahead, opened.ledger.skew(service), ahead)

    return clock_of


def _leapt(home: Path) -> timedelta:
    """What the embedded sandbox's time is ahead of real time."""
    state = home / "sandbox.sqlite"
    if state.exists():
        parts = sandbox_parts()
        with suppress(StateUnreadableError, OSError), closing(mount(parts, state)) as transport:
            return transport.ahead()
    return timedelta(0)
