"""Resume runs of the ledger, or fetch their results, with the options of a command."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.cli.errors import CONSOLE, Terminated, echo, echo_error, stopping
from feedtool.cli.next_command import after_delivery, words_of_run
from feedtool.cli.options import (
    CHANNEL,
    Common,
    Configuration,
    Records,
    Reporting,
    chosen,
    on_command_line,
)
from feedtool.cli.options_account import ConnectionOptions, Notifying
from feedtool.model.errors import Exit, FeedtoolError, Stopped, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.cli.account import ChosenAccount
    from feedtool.cli.notifier import RunNotices
    from feedtool.runs.deliver import Submission
    from feedtool.runs.run_record import RunOptions
    from feedtool.runs.workspace import Workspace


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
        from feedtool.cli.files import refuse_ending
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
        from feedtool.cli.account import connect
        from feedtool.cli.output import progress_of
        from feedtool.runs.deliver import resume as resume_run
        from feedtool.runs.passes import note_pass
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
        from feedtool.runs.exit_code import exit_code
        from feedtool.runs.workspace import options_of

        run, recorded = self.workspace.ledger.run(run_id), options_of(run_id, self.workspace)
        profile = self.options.configuration.profile or recorded.profile
        notices = replace(notices, profile=profile, targets=targets_of_profile(self.ctx, profile))
        code = exit_code(submission.outcomes, submission.stopped)
        notices.run(submission.outcomes, code, submission.stopped, run.seller if run else None)
        return code

    def _account(self, run_id: int, recorded: "RunOptions") -> "ChosenAccount":
        """The account of a run; its token comes from the options, else from the run's profile."""
        from feedtool.cli.account import ChosenAccount, token_options

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
