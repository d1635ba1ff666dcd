"""`feedtool runs`, `status`, `resume` and `results`: the runs that the ledger has."""

import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import completers, options, options_account
from feedtool.cli.errors import CONSOLE, Terminated, echo, echo_error, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.errors import Exit, FeedtoolError, NothingToDo, Stopped, UsageProblem, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.cli.notifier import RunNotices
    from feedtool.delivery.deadlines import Clock
    from feedtool.runs.deliver import Submission
    from feedtool.runs.history import RunState
    from feedtool.runs.workspace import Workspace

_listing = options.group(options.format_, options.showing_alone, options.home, options.ledger)
_recorded = options.group(
    options.configuration,
    options_account.connection,
    options.channel,
    options.reporting,
    options_account.notifying,
    options.common,
    options.ledger,
)


@click.command(cls=HelpfulCommand)
@options.count("--last", "Only so many.  [default: all]")
@options.text(
    "--abandon",
    "N",
    "Give up run N, which can never go on, so that it keeps no other waiting; refused while "
    "anything of it may still be applied.",
    type=int,
    shell_complete=completers.runs,
)
@_listing
def runs(
    last: int | None, abandon: int | None, form: str, home: Path | None, ledger: str | None
) -> None:
    """List all runs, newest first: of which files, by whom, and what became of their rows.

    Warns in time of what the service is about to delete.
    """
    from feedtool.runs.history import every_run, run_state, write_runs

    folder = home_folder(home)
    with open_workspace(folder, ledger) as workspace:
        clock_of = _clocks(folder, workspace)
        if abandon is None:
            states = every_run(workspace.ledger, clock_of, last, partial(echo, "warning"))
        else:
            _abandon(abandon, workspace, clock_of)
            states = [run_state(workspace.ledger, abandon, clock_of)]
    write_runs(states, sys.stdout, form, CONSOLE.say)
    _warn(states)
    if not states:
        echo("note", tr("there are no runs yet"))
        echo("help", tr("begin with `feedtool demo`, or with `feedtool submit FILE --sandbox`"))


@click.command(cls=HelpfulCommand)
@click.argument("run", type=int, metavar="RUN", shell_complete=completers.runs)
@_listing
def status(run: int, form: str, home: Path | None, ledger: str | None) -> None:
    """Show one RUN: its files and packages, what became of its rows, what will be lost when.

    An open package is kept for 6 hours, results for 3 days, by the service's clock.
    """
    from feedtool.runs.history import run_state, write_run

    folder = home_folder(home)
    with open_workspace(folder, ledger) as workspace:
        state = run_state(workspace.ledger, run, _clocks(folder, workspace))
    write_run(state, sys.stdout, form, CONSOLE.say)
    _warn([state])


def _warn(states: "Iterable[RunState]") -> None:
    for state in states:
        for warning in state.warnings:
            echo("warning", tr("run {run}: {text}", run=state.run.run_id, text=warning))
            echo("help", f"feedtool resume {state.run.run_id}")


def _abandon(run_id: int, workspace: "Workspace", clock_of: "Callable[[str], Clock]") -> None:
    """Give a run up, and say what is in doubt of it; NothingToDo where it is at its end."""
    from feedtool.delivery.deadlines import abandon
    from feedtool.runs.workspace import options_of, unfinished

    recorded = options_of(run_id, workspace)
    if run_id not in unfinished(workspace):
        what = tr("run {run} is finished", run=run_id)
        if recorded.abandoned:
            what = tr("run {run} was given up before", run=run_id)
        raise NothingToDo(what, tr("`feedtool status {run}` shows what came of it", run=run_id))
    run = workspace.ledger.run(run_id)
    clock = clock_of(run.service if run else "")
    for doubt in abandon(workspace.ledger, run_id, datetime.now(UTC), clock):
        echo("warning", doubt)
    results = tr("`feedtool results {run}` writes what is known of its rows", run=run_id)
    echo("note", tr("run {run} is given up; {results}", run=run_id, results=results))


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


@click.command(cls=HelpfulCommand)
@click.argument("run", type=int, required=False, metavar="[RUN]", shell_complete=completers.runs)
@options.no_wait
@_recorded
@click.pass_context
def resume(ctx: click.Context, /, run: int | None, **given: Any) -> int:
    """Go on with an interrupted RUN, or with all of them, and write its annotated copies.

    Where only the annotated copies are missing no account is needed.
    """
    from feedtool.runs.workspace import options_of, unfinished

    home = home_folder(given["home"])
    with open_workspace(home, given["ledger"]) as workspace:
        left = unfinished(workspace)
        runs = left if run is None else [number for number in left if number == run]
        if not runs:
            what = tr("nothing is left to go on with")
            if run is not None:
                what = tr("run {run} is finished", run=run)
                if given_up := options_of(run, workspace).abandoned:
                    day = given_up.date().isoformat()
                    what = tr("run {run} was given up on {day}", run=run, day=day)
            raise NothingToDo(
                what, tr("`feedtool results {run}` writes its answers again", run=run or "RUN")
            )
        return _RecordedRuns(ctx, workspace, home, given).go_on(runs, is_each=run is None)


@click.command(cls=HelpfulCommand)
@click.argument("run", type=int, metavar="RUN", shell_complete=completers.runs)
@options.no_wait
@options.flag(
    "--failed-only",
    "Write a workbook of just the rows to correct, NAME.failed.xlsx, to be sent as it is.",
)
@options.path("--out", "PATH", "The place of that workbook.  [default: beside the file]")
@_recorded
@click.pass_context
def results(ctx: click.Context, /, run: int, **given: Any) -> int:
    """Fetch the answers of a RUN that are still missing, and write its annotated copies again.

    Nothing is sent. Where nothing is left to fetch no account is needed. With --failed-only the
    rows that were refused, here or by the service, are written into a workbook of the template's
    shape, their messages beside them: correct it, and submit it.
    """
    from feedtool.cli.output import echo_submission
    from feedtool.runs.workspace import options_of

    home = home_folder(given["home"])
    with open_workspace(home, given["ledger"]) as workspace:
        options_of(run, workspace)  # refuses an unknown one
        recorded = _RecordedRuns(ctx, workspace, home, given, only_fetch=True)
        if given["failed_only"]:
            return recorded.write_failed(run)
        if given["out"]:
            raise UsageProblem(
                tr("--out is for the workbook of --failed-only"),
                tr("the annotated copies go where the run was told to write them"),
            )
        if workspace.ledger.has_to_fetch(run):
            return recorded.go_on([run])
        return echo_submission(recorded.write_copies(run), given)


@dataclass(frozen=True, slots=True)
class _RecordedRuns:
    """The runs of a ledger, and the options of the command that goes on with some of them."""

    ctx: click.Context
    workspace: "Workspace"
    home: Path
    given: dict[str, Any]
    only_fetch: bool = False

    def write_copies(self, run: int) -> "Submission":
        """Write the annotated copies of a run of which nothing is to be fetched."""
        from feedtool.runs.deliver import Submission
        from feedtool.runs.deliver import results as results_of

        return Submission(results_of(run, self.workspace, datetime.now(UTC)))

    def go_on(self, runs: Iterable[int], *, is_each: bool = False) -> int:
        """Deliver runs, one after the other, and show the results of all of them.

        With `is_each` nobody has named a run: one that cannot go on is named, and stops no other.
        """
        from feedtool.cli.notifier import run_notices
        from feedtool.cli.output import echo_submission
        from feedtool.runs.deliver import Submission
        from feedtool.runs.workspace import has_to_ask

        each: list[tuple[int, Submission]] = []
        with run_notices("results" if self.only_fetch else "resume", self.given) as notices:
            for run in runs:
                try:
                    submission = (
                        self._deliver(run, notices.on_event)
                        if has_to_ask(run, self.workspace)
                        else self.write_copies(run)
                    )
                except FeedtoolError as error:
                    if not is_each:
                        raise
                    submission = Submission([], error)
                each.append((run, submission))
                if stopped := submission.stopped:
                    if is_each:
                        stopped.message = tr("run {run}: {text}", run=run, text=stopped.message)
                    echo_error(stopped)
                if isinstance(stopped, Stopped | Terminated):
                    break
            outcomes = [outcome for _, submission in each for outcome in submission.outcomes]
            warnings = [warning for _, submission in each for warning in submission.warnings]
            echo_submission(Submission(outcomes, warnings=warnings), self.given)
            return first_of([self._notify(*ended, notices) for ended in each])

    def write_failed(self, run: int) -> int:
        """Write the rows to correct, once all that can be had is there; 9 where there are none."""
        from feedtool.cli.files import refuse_ending
        from feedtool.cli.output import echo_submission
        from feedtool.runs.corrections import write_corrections  # openpyxl, slow to import
        from feedtool.runs.deliver import Submission

        out, workspace = self.given["out"], self.workspace
        if out:
            refuse_ending(out)
        has_news = workspace.ledger.has_to_fetch(run)
        fetched = self._deliver(run) if has_news else Submission([])
        now, replaces = datetime.now(UTC), self.given["yes"]
        outcomes = write_corrections(run, workspace, now, out=out, replaces=replaces)
        shown = {**self.given, "failed_only": not has_news}
        code = echo_submission(replace(fetched, outcomes=outcomes), shown)
        if not any(outcome.failed for outcome in outcomes):
            echo(
                "note",
                tr("no row of run {run} is to be corrected, and no workbook was written", run=run),
            )
            return code or Exit.NOTHING
        return code

    def _deliver(self, run: int, also: Callable[[Any], None] = lambda _: None) -> "Submission":
        from feedtool.cli.account import connect
        from feedtool.cli.output import progress_of
        from feedtool.runs.deliver import resume as resume_run

        with (
            stopping() as stop,
            connect(self.home, self._account(run), stop) as session,
            progress_of(self.given["form"], also) as on_event,
        ):
            return resume_run(
                run,
                session,
                self.workspace,
                wait=not self.given["no_wait"],
                only_fetch=self.only_fetch,
                on_event=on_event,
            )

    def _notify(self, run_id: int, submission: "Submission", notices: "RunNotices") -> Exit:
        """Send a run's summary to the targets of its own profile, unless others were named."""
        from feedtool.cli.notifier import targets_of_profile
        from feedtool.runs.row_results import exit_code
        from feedtool.runs.workspace import options_of

        run, recorded = self.workspace.ledger.run(run_id), options_of(run_id, self.workspace)
        profile = self.given["profile"] or recorded.profile
        notices = replace(notices, profile=profile, targets=targets_of_profile(self.ctx, profile))
        code = exit_code(submission.outcomes, submission.stopped)
        notices.run(submission.outcomes, code, submission.stopped, run.seller if run else None)
        return code

    def _account(self, run_id: int) -> dict[str, Any]:
        """The options that reach the account of a run; the token is to be had as it was then."""
        from feedtool.cli.account import token_options
        from feedtool.runs.workspace import options_of

        ctx, given = self.ctx, self.given
        run, recorded = self.workspace.ledger.run(run_id), options_of(run_id, self.workspace)
        if run is None:
            raise ValueError(f"the ledger has no run {run}")
        profile = given["profile"] or recorded.profile
        kept = options.chosen(ctx).config.profiles.get(profile or "")
        other, own = options.on_command_line(ctx, "channel")["channel"], recorded.asked.channel
        if other not in {None, own}:
            channels = {"run": run_id, "channel": own, "other": other}
            echo("note", tr("run {run} keeps its channel {channel}, not {other}", **channels))
        return {
            **given,
            "insecure_http": given["insecure_http"] or (kept and kept.account.get("insecure_http")),
            **token_options(ctx, profile),
            "sandbox": recorded.is_sandbox,
            "base_url": run.service,
            "seller": run.seller,
            "channel": recorded.asked.channel,
            "language": run.language,
            "profile": profile,
            "page": recorded.asked.dialect.report_page_size,
        }
