"""`feedtool resume` and `feedtool results`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from feedtool.cli import options
from feedtool.cli.connect import connection_of
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import echo, echo_error
from feedtool.cli.home import books, home_folder
from feedtool.cli.notifier import RunNotices, run_notices, targets_of_profile
from feedtool.cli.output import echo_submission
from feedtool.cli.progress import progress_of
from feedtool.cli.signals import Terminated, stopping
from feedtool.model.errors import Exit, FeedtoolError, NothingToDo, Stopped, UsageProblem, first_of
from feedtool.runs.deliver import Submission
from feedtool.runs.resume import results as results_of
from feedtool.runs.resume import resume as resume_run
from feedtool.runs.row_results import exit_code
from feedtool.runs.workspace import Workspace, has_to_ask, options_of, unfinished


def _given(function: options.F) -> options.F:
    for add in (
        options.ledger,
        options.common,
        options.notifying,
        options.telling,
        options.text(
            "--channel",
            "ID",
            "Taken as every command takes it; a run keeps the channel that it was begun for.",
        ),
        options.connection,
        options.configuration,
    ):
        function = add(function)
    return function


@click.command()
@click.argument("run", type=int, required=False, metavar="[RUN]")
@options.no_wait
@_given
@click.pass_context
def resume(ctx: click.Context, /, run: int | None, **given: Any) -> int:
    """Go on with an interrupted RUN, or with all of them, and write where it was told to.

    Where only the annotated copies are missing no account is needed.
    """
    home = home_folder(given["home"])
    with books(home, given["ledger"]) as opened:
        left = unfinished(opened)
        runs = left if run is None else [number for number in left if number == run]
        if not runs:
            what = "nothing is left to go on with"
            if run is not None:
                given_up = options_of(run, opened).abandoned
                end = f"was given up on {given_up:%Y-%m-%d}" if given_up else "is finished"
                what = f"run {run} {end}"
            raise NothingToDo(what, f"`feedtool results {run or 'RUN'}` writes its answers again")
        return _Recorded(ctx, opened, home, given).go_on(runs, is_each=run is None)


@click.command()
@click.argument("run", type=int, metavar="RUN")
@options.flag("--no-wait", "Fetch only what is there already.")
@options.flag(
    "--failed-only",
    "Write a workbook of just the rows to correct, NAME.failed.xlsx, to be sent as it is.",
)
@options.path("--out", "PATH", "Where that workbook goes.")
@_given
@click.pass_context
def results(ctx: click.Context, /, run: int, **given: Any) -> int:
    """Fetch what is still to be had of a RUN, and write its annotated copies again.

    Nothing is sent. Where nothing is left to fetch no account is needed. With --failed-only the
    rows that were refused, here or by the service, are written into a workbook of the template's
    shape, their messages beside them: correct it, and submit it.
    """
    home = home_folder(given["home"])
    with books(home, given["ledger"]) as opened:
        options_of(run, opened)  # refuses an unknown one
        recorded = _Recorded(ctx, opened, home, given, only_fetch=True)
        if given["failed_only"]:
            return recorded.write_failed(run)
        if given["out"]:
            raise UsageProblem(
                "--out is for the workbook of --failed-only",
                "the annotated copies go where the run was told to write them",
            )
        if opened.ledger.has_to_fetch(run):
            return recorded.go_on([run])
        found = Submission(results_of(run, opened, datetime.now(UTC)))
        return recorded.echo(found)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The runs of a ledger, and the options of the command that goes on with some of them."""

    ctx: click.Context
    opened: Workspace
    home: Path
    given: dict[str, Any]
    only_fetch: bool = False

    def echo(self, submission: Submission) -> int:
        """Show the results; the exit code."""
        form, report = self.given["form"], self.given["report"]
        return echo_submission(submission, form, report, is_verbose=self.given["verbose"])

    def go_on(self, runs: Iterable[int], *, is_each: bool = False) -> int:
        """Deliver runs, one after the other, and show the results of all of them.

        With `is_each` nobody has named a run: one that cannot go on is named, and stops no other.
        """
        each = list[tuple[int, Submission]]()
        with run_notices("results" if self.only_fetch else "resume", self.given) as notices:
            for run in runs:
                try:
                    submission = self._bring_on(run, notices.on_event)
                except FeedtoolError as error:
                    if not is_each:
                        raise
                    submission = Submission([], error)
                each.append((run, submission))
                if stopped := submission.stopped:
                    if is_each:
                        stopped.message = f"run {run}: {stopped.message}"
                    echo_error(stopped)
                if isinstance(stopped, Stopped | Terminated):
                    break
            found = Submission(
                [outcome for _, submission in each for outcome in submission.outcomes],
                warnings=[warning for _, submission in each for warning in submission.warnings],
            )
            self.echo(found)
            for run, submission in each:
                self._notify(run, submission, notices)
            return first_of(
                exit_code(submission.outcomes, submission.stopped) for _, submission in each
            )

    def write_failed(self, run: int) -> int:
        """Write the rows to correct, once all that can be had is there; 9 where there are none."""
        from feedtool.runs.corrections.run import to_correct  # openpyxl, slow to import

        out, opened = self.given["out"], self.opened
        if out and out.suffix.lower() != ".xlsx":
            raise UsageProblem(f"{out} would be no workbook", "let the name end with .xlsx")
        fetched = Submission([])
        if opened.ledger.has_to_fetch(run):
            fetched = self._deliver(run)
        outcomes = to_correct(
            run,
            opened,
            datetime.now(UTC),
            out=out,
            may_replace=Path.is_file if self.given["yes"] else None,
        )
        code = self.echo(replace(fetched, outcomes=outcomes))
        if not any(outcome.failed for outcome in outcomes):
            echo("note", f"no row of run {run} is to be corrected, and no workbook was written")
            return code or Exit.NOTHING
        return code

    def _bring_on(self, run: int, on_event: Callable[[Any], None]) -> Submission:
        """A run that has gone on as far as it can."""
        if has_to_ask(run, self.opened):
            return self._deliver(run, on_event)
        return Submission(
            results_of(run, self.opened, datetime.now(UTC))
        )  # only copies are missing

    def _deliver(self, run: int, also: Callable[[Any], None] = lambda _: None) -> Submission:

        account, form = self._account(run), self.given["form"]
        with (
            stopping() as stop,
            connection_of(self.home, account, stop, needs_channel=False) as service,
            progress_of(form, also) as on_event,
        ):
            return resume_run(
                run,
                service,
                self.opened,
                wait=not self.given["no_wait"],
                only_fetch=self.only_fetch,
                on_event=on_event,
            )

    def _notify(self, run_id: int, submission: Submission, notices: RunNotices) -> None:
        """Send a run's summary to the targets of its own profile, unless others were named."""
        run, recorded = self.opened.ledger.run(run_id), options_of(run_id, self.opened)
        profile = self.given["profile"] or recorded.profile
        notices = replace(notices, profile=profile, targets=targets_of_profile(self.ctx, profile))
        code = exit_code(submission.outcomes, submission.stopped)
        seller = run.seller if run else None
        notices.run(submission.outcomes, code, submission.stopped, seller)

    def _account(self, run_id: int) -> dict[str, Any]:
        """The options that reach the account of a run; the token is to be had as it was then."""
        ctx, given = self.ctx, self.given
        run, recorded = self.opened.ledger.run(run_id), options_of(run_id, self.opened)
        if run is None:
            raise ValueError(f"the ledger has no run {run_id}")
        profile = given["profile"] or recorded.profile
        kept = options.chosen(ctx).config.profiles.get(profile or "")
        channel = options.on_command_line(ctx, "channel")["channel"]
        if channel not in {None, recorded.asked.channel}:
            echo("note", f"run {run_id} keeps its channel {recorded.asked.channel}, not {channel}")
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
