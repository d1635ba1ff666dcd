"""`feedtool runs`, `status`, `resume` and `results`: the runs in the ledger."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.cli import completers
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_listing, after_status
from feedtool.cli.options import (
    CONFIG_FILE,
    FORMAT,
    HOME,
    NO_WAIT,
    SANDBOX,
    VERBOSE,
    Records,
    Showing,
    count,
    flag,
    path,
    text,
)
from feedtool.cli.recorded_runs import RecordedOptions, RecordedRuns
from feedtool.cli.typed import command_of
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.delivery.deadlines import ServiceClock
    from feedtool.runs.history import RunState
    from feedtool.runs.workspace import Workspace


class RunListing(Struct, frozen=True, kw_only=True):
    """Options for the form of a list of runs, and for the records."""

    config: Annotated[None, CONFIG_FILE] = None
    form: Annotated[str, FORMAT]
    verbose: Annotated[bool, VERBOSE]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


class RunsOptions(Struct, frozen=True, kw_only=True):
    """Options of `runs`."""

    last: Annotated[int | None, count("--last", "Only so many.  [default: all]")]
    before: Annotated[int | None, count("--before", "Only those before run N: the next page.")]
    abandon: Annotated[
        int | None,
        text(
            "--abandon",
            "N",
            "Give up run N, which can never go on, so that it keeps no other waiting; refused while"
            " anything of it may still be applied.",
            type=int,
            shell_complete=completers.runs,
        ),
    ]
    listing: RunListing


@command_of(RunsOptions)
def runs(_: click.Context, options: RunsOptions) -> None:
    """List all runs, newest first: of which files, and what became of their rows.

    Warns in time of what the service is about to delete. -v also shows by whom, and of which
    contents.
    """
    from feedtool.runs.history import every_run, run_state, write_runs

    listing, abandoned, before = options.listing, options.abandon, options.before
    folder, form = home_folder(listing.home), listing.form
    with open_workspace(folder, listing.records) as workspace:
        clock_of = service_clocks(folder, workspace)
        if abandoned is None:
            warn = partial(echo, "warning")
            states = every_run(workspace.ledger, clock_of, options.last, warn, before=before)
        else:
            _abandon(abandoned, workspace, clock_of)
            states = iter([run_state(workspace.ledger, abandoned, clock_of)])
        listed = _ListedRuns(states)
        write_runs(listed, sys.stdout, form, CONSOLE.say, is_verbose=listing.verbose)
    _warn(listed.warned)
    if listed.newest is None:
        echo("note", tr("there are no runs yet") if before is None else tr("no run is older"))
    if form == "text" and abandoned is None:
        after_listing(listed.newest, is_all_finished=listed.is_all_finished)
    elif form == "text" and listed.newest:
        after_status(listed.newest)


class _ListedRuns:
    """The runs while they are written, and the facts that are needed afterwards."""

    def __init__(self, states: "Iterator[RunState]") -> None:
        self._states = states
        self.newest: RunState | None = None
        self.warned: list[RunState] = []
        self.is_all_finished = True

    def __iter__(self) -> "Iterator[RunState]":
        for state in self._states:
            self.newest = self.newest or state
            self.is_all_finished &= state.is_finished
            self.warned += [state] if state.warnings else []
            yield state


RUN = click.Argument(["run"], type=int, metavar="RUN", shell_complete=completers.runs)


class StatusOptions(Struct, frozen=True, kw_only=True):
    """Options of `status`."""

    run: Annotated[int, RUN]
    listing: RunListing


@command_of(StatusOptions)
def status(_: click.Context, options: StatusOptions) -> None:
    """Show one RUN: its files and packages, what became of its rows, what will be lost when.

    An open package is kept for 6 hours, results for 3 days, by the service's clock. -v also shows
    by whom, and of which contents.
    """
    from feedtool.runs.history import run_state, write_run

    listing = options.listing
    folder, form = home_folder(listing.home), listing.form
    with open_workspace(folder, listing.records) as workspace:
        state = run_state(workspace.ledger, options.run, service_clocks(folder, workspace))
    write_run(state, sys.stdout, form, CONSOLE.say, is_verbose=listing.verbose)
    _warn([state])
    if form == "text":
        after_status(state)


def _warn(states: "Iterable[RunState]") -> None:
    for state in states:
        for warning in state.warnings:
            echo("warning", tr("run {run}: {text}", run=state.run.run_id, text=warning))
            echo("help", f"feedtool resume {state.run.run_id}")


def _abandon(
    run_id: int, workspace: "Workspace", clock_of: "Callable[[str], ServiceClock]"
) -> None:
    """Give a run up, and warn of its uncertain results; NothingToDo if it is finished."""
    from feedtool.areas.registry import load
    from feedtool.delivery.deadlines import abandon
    from feedtool.runs.workspace import options_of, unfinished

    recorded = options_of(run_id, workspace)
    if run_id not in unfinished(workspace):
        message = tr("run {run} is finished", run=run_id)
        if recorded.abandoned:
            message = tr("run {run} was given up before", run=run_id)
        raise NothingToDo(message, tr("`feedtool status {run}` shows what came of it", run=run_id))
    run = workspace.ledger.run(run_id)
    clock = clock_of(run.service if run else "")
    for doubt in abandon(workspace.ledger, run_id, CONSOLE.clock.now(), clock, load().routes):
        echo("warning", doubt)
    echo("note", tr("run {run} is given up", run=run_id))


def service_clocks(home: Path, workspace: "Workspace") -> "Callable[[str], ServiceClock]":
    """A function from a service's address to its clock; the sandbox's clock is ahead."""
    from feedtool.delivery.deadlines import ServiceClock

    @cache
    def clock_of(service: str) -> ServiceClock:
        ahead = _ahead_of_sandbox(home) if service == SANDBOX else timedelta(0)
        return ServiceClock(CONSOLE.clock.now() + ahead, workspace.ledger.skew(service), ahead)

    return clock_of


def _ahead_of_sandbox(home: Path) -> timedelta:
    """The time by which the embedded sandbox is ahead of real time."""
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.transport import SandboxTransport

    state = home / "sandbox.sqlite"
    if state.exists():
        parts = sandbox_parts()
        with (
            suppress(StateUnreadableError, OSError),
            closing(SandboxTransport(parts, state)) as transport,
        ):
            return transport.ahead()
    return timedelta(0)


class ResumeOptions(Struct, frozen=True, kw_only=True):
    """Options of `resume`."""

    run: Annotated[
        int | None,
        click.Argument(
            ["run"], type=int, required=False, metavar="[RUN]", shell_complete=completers.runs
        ),
    ]
    no_wait: Annotated[bool, NO_WAIT]
    recorded: RecordedOptions


@command_of(ResumeOptions)
def resume(ctx: click.Context, options: ResumeOptions) -> int:
    """Go on with an interrupted RUN, or with all of them, and write its annotated copies.

    Where only the annotated copies are missing no account is needed.
    """
    from feedtool.runs.workspace import options_of, unfinished

    run, recorded = options.run, options.recorded
    home = home_folder(recorded.common.home)
    with open_workspace(home, recorded.records) as workspace:
        left = unfinished(workspace)
        runs = left if run is None else [number for number in left if number == run]
        if not runs:
            message = tr("nothing is left to go on with")
            if run is not None:
                message = tr("run {run} is finished", run=run)
                if abandoned := options_of(run, workspace).abandoned:
                    day = abandoned.date().isoformat()
                    message = tr("run {run} was given up on {day}", run=run, day=day)
            raise NothingToDo(
                message, tr("`feedtool results {run}` writes its answers again", run=run or "RUN")
            )
        recorded_runs = RecordedRuns(ctx, workspace, home, recorded, not options.no_wait)
        return recorded_runs.go_on(runs, is_each=run is None)


class ResultsOptions(Struct, frozen=True, kw_only=True):
    """Options of `results`."""

    run: Annotated[int, RUN]
    no_wait: Annotated[bool, NO_WAIT]
    failed_only: Annotated[
        bool,
        flag(
            "--failed-only",
            "Write a workbook of just the rows to correct, NAME.failed.xlsx, to be sent as it is.",
        ),
    ]
    out: Annotated[
        Path | None,
        path("--out", "PATH", "The place of that workbook.  [default: beside the file]"),
    ]
    recorded: RecordedOptions


@command_of(ResultsOptions)
def results(ctx: click.Context, options: ResultsOptions) -> int:
    """Fetch the answers of a RUN that are still missing, and write its annotated copies again.

    Nothing is sent. Where nothing is left to fetch no account is needed. With --failed-only the
    rows that were refused, here or by the service, are written into a workbook of the template's
    shape, their messages beside them: correct it, and submit it.
    """
    from feedtool.cli.output import echo_submission
    from feedtool.runs.deliver import look_again
    from feedtool.runs.workspace import options_of

    run, recorded = options.run, options.recorded
    home = home_folder(recorded.common.home)
    with open_workspace(home, recorded.records) as workspace:
        options_of(run, workspace)  # refuses an unknown run
        runs = RecordedRuns(ctx, workspace, home, recorded, not options.no_wait, only_fetch=True)
        if options.failed_only:
            return runs.write_failed(run, options.out)
        if options.out:
            raise UsageProblem(
                tr("--out is for the workbook of --failed-only"),
                tr("the annotated copies go where the run was told to write them"),
            )
        look_again(run, workspace)
        if workspace.ledger.has_to_fetch(run):
            return runs.go_on([run])
        submission = runs.write_copies(run)
        return runs.end(run, submission, echo_submission(submission, recorded.reporting))
