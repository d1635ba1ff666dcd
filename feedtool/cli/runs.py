"""`feedtool runs`, `status`, `resume` and `results`: the runs in the ledger."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load, sandbox_parts
from feedtool.cli import completers
from feedtool.cli.console import CONSOLE, Terminated, echo, echo_error, stopping
from feedtool.cli.files import refuse_ending
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_delivery, after_listing, after_status, words_of_run
from feedtool.cli.options import (
    CHANNEL,
    CONFIG_FILE,
    FORMAT,
    HOME,
    NO_WAIT,
    SANDBOX,
    VERBOSE,
    Common,
    Configuration,
    Records,
    Reporting,
    Showing,
    chosen,
    count,
    flag,
    on_command_line,
    path,
    text,
)
from feedtool.cli.options_account import ConnectionOptions, Notifying
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, FeedtoolError, NothingToDo, Stopped, UsageProblem, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.cli.notifier import RunNotices
    from feedtool.cli.session import ChosenAccount
    from feedtool.delivery.deadlines import ServiceClock
    from feedtool.runs.deliver import Submission
    from feedtool.runs.history import RunState
    from feedtool.runs.run_record import RunOptions
    from feedtool.runs.workspace import Workspace

# Resume runs of the ledger, or fetch their results, with the options of a command.


class RecordedOptions(Struct, frozen=True, kw_only=True):
    """The options of `resume` and `results`."""

    configuration: Configuration
    connection: ConnectionOptions
    channel: Annotated[str | None, CHANNEL]
    reporting: Reporting
    notifying: Notifying
    common: Common
    records: Records


class RecordedRuns(Struct, frozen=True):
    """The runs of a ledger, and the options of the command that resumes some of them."""

    ctx: click.Context
    workspace: "Workspace"
    home: Path
    options: RecordedOptions
    waits: bool
    """True to wait for results that are still missing."""
    only_fetch: bool = False

    def write_copies(self, run: int) -> "Submission":
        """Write the annotated copies of a run from which nothing is left to fetch."""
        from feedtool.runs.deliver import Submission
        from feedtool.runs.deliver import results as results_of

        return Submission(results_of(run, self.workspace, CONSOLE.clock.now()))

    def go_on(self, runs: Iterable[int], *, is_each: bool = False) -> int:
        """Deliver runs, one after the other, and show the results of all of them.

        `is_each` is true if the user named no run: then a run that fails does not stop the others,
        and its error names it.
        """
        from feedtool.cli.notifier import run_notices
        from feedtool.cli.output import echo_submission
        from feedtool.runs.deliver import Submission
        from feedtool.runs.workspace import needs_service

        each: list[tuple[int, Submission]] = []
        command = "results" if self.only_fetch else "resume"
        profile = self.options.configuration.profile
        with run_notices(command, profile, self.options.notifying) as notices:
            for run in runs:
                try:
                    submission = (
                        self._deliver(run, notices.on_event)
                        if needs_service(run, self.workspace)
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
            echo_submission(Submission(outcomes, warnings=warnings), self.options.reporting)
            codes = [self._notify(*delivered, notices) for delivered in each]
        needs_more = [code != Exit.OK for code in codes]
        index = needs_more.index(True) if any(needs_more) else -1
        self.end(*each[index], codes[index])
        return first_of(codes)

    def write_failed(self, run: int, out: Path | None) -> int:
        """Fetch missing results, then write the rows to correct; exit code 9 without any."""
        from feedtool.cli.output import echo_submission
        from feedtool.runs.corrections import write_corrections  # openpyxl, slow to import
        from feedtool.runs.deliver import Submission

        workspace = self.workspace
        if out:
            refuse_ending(out)
        has_news = workspace.ledger.has_to_fetch(run)
        fetched = self._deliver(run) if has_news else Submission([])
        now, replaces = CONSOLE.clock.now(), self.options.common.yes
        outcomes = write_corrections(run, workspace, now, out=out, replaces=replaces)
        submission = replace(fetched, outcomes=outcomes)
        reporting = self.options.reporting
        code = echo_submission(submission, reporting, is_only_failed=not has_news)
        if not any(outcome.failed for outcome in outcomes):
            echo(
                "note",
                tr("no row of run {run} is to be corrected, and no workbook was written", run=run),
            )
            code = code or Exit.NOTHING
        return self.end(run, submission, code)

    def end(self, run: int, submission: "Submission", code: int) -> int:
        """Name the next command, and return the exit code."""
        from feedtool.runs.workspace import options_of

        words = words_of_run(options_of(run, self.workspace))
        after_delivery(submission, words, code, self.options.reporting.form, run)
        return code

    def _deliver(self, run: int, also: Callable[[Any], None] = lambda _: None) -> "Submission":
        from feedtool.cli.output import progress_of
        from feedtool.cli.session import connect
        from feedtool.runs.deliver import note_pass
        from feedtool.runs.deliver import resume as resume_run
        from feedtool.runs.workspace import options_of

        recorded = options_of(run, self.workspace)
        account, page = self._account(run, recorded), recorded.reading.dialect.report_page_size
        with (
            stopping() as stop,
            connect(self.home, account, stop, page=page) as session,
            progress_of(self.options.reporting.form, also) as on_event,
            note_pass(session, self.workspace) as passing,
        ):
            submission = resume_run(
                run,
                session,
                self.workspace,
                wait=self.waits,
                only_fetch=self.only_fetch,
                on_event=on_event,
            )
            return passing.end(submission)

    def _notify(self, run_id: int, submission: "Submission", notices: "RunNotices") -> Exit:
        """Send a run's summary to the targets of the options, else of its profile."""
        from feedtool.cli.notifier import targets_of_profile
        from feedtool.report.sheet_result import exit_code
        from feedtool.runs.workspace import options_of

        run, recorded = self.workspace.ledger.run(run_id), options_of(run_id, self.workspace)
        profile = self.options.configuration.profile or recorded.profile
        notices = replace(notices, profile=profile, targets=targets_of_profile(self.ctx, profile))
        code = exit_code(submission.outcomes, submission.stopped)
        notices.run(submission.outcomes, code, submission.stopped, run.seller if run else None)
        return code

    def _account(self, run_id: int, recorded: "RunOptions") -> "ChosenAccount":
        """The account of a run; its token comes from the options, else from the run's profile."""
        from feedtool.cli.session import ChosenAccount, token_options

        ctx, options = self.ctx, self.options
        run = self.workspace.ledger.run(run_id)
        if run is None:
            raise ValueError(f"the ledger has no run {run}")
        profile = options.configuration.profile or recorded.profile
        settings = chosen(ctx).config.profiles.get(profile or "")
        other, own = on_command_line(ctx, "channel")["channel"], recorded.reading.channel
        if other not in {None, own}:
            channels = {"run": run_id, "channel": own, "other": other}
            echo("note", tr("run {run} keeps its channel {channel}, not {other}", **channels))
        is_allowed = settings and settings.account.get("insecure_http")
        connection = replace(
            options.connection,
            base_url=run.service,
            insecure_http=options.connection.insecure_http or bool(is_allowed),
            seller=run.seller,
            tokens=token_options(ctx, profile),
        )
        return ChosenAccount(
            connection=connection,
            channel=recorded.reading.channel,
            profile=profile,
            language=run.language,
            is_sandbox=recorded.is_sandbox,
            budget=settings.budget if settings else None,
            ledger=options.records.ledger,
        )


class RunListing(Struct, frozen=True, kw_only=True):
    """Options for the form of a list of runs, and for the records."""

    config: Annotated[None, CONFIG_FILE] = None
    form: Annotated[str, FORMAT]
    verbose: Annotated[bool, VERBOSE]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


class RunsOptions(Struct, frozen=True, kw_only=True):
    last: Annotated[int | None, count("--last", "Only so many.  [default: all]")]
    before: Annotated[int | None, count("--before", "Only runs before run N: the next page.")]
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
    """List all runs, newest first, with their files and the results of their rows.

    Warns before the service deletes something. -v also shows by whom, and of which contents.
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
    run: Annotated[int, RUN]
    listing: RunListing


@command_of(StatusOptions)
def status(_: click.Context, options: StatusOptions) -> None:
    """Show one RUN: its files and packages, the results of its rows, and what is deleted when.

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
    from feedtool.delivery.deadlines import abandon
    from feedtool.runs.workspace import options_of, unfinished

    recorded = options_of(run_id, workspace)
    if run_id not in unfinished(workspace):
        message = tr("run {run} is finished", run=run_id)
        if recorded.abandoned:
            message = tr("run {run} was given up before", run=run_id)
        raise NothingToDo(message, tr("`feedtool status {run}` shows its result", run=run_id))
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

    If only the annotated copies are missing, no account is needed.
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
