"""`feedtool submit`."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.check import Input
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.files import MAYBE_FILES, kind_question, listed_inputs, read_options, targets
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import (
    after_blocked,
    after_delivery,
    after_plan,
    typed_for_corrections,
)
from feedtool.cli.options import (
    NO_WAIT,
    Common,
    Configuration,
    ReadingOptions,
    Records,
    Reporting,
    Writing,
    flag,
    path,
)
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions, Notifying
from feedtool.cli.output import echo_results, echo_submission
from feedtool.cli.planning import (
    PlannedCommand,
    Planning,
    Purging,
    account_of,
    check_not_sent,
    check_preview,
    existing_records,
    is_purge,
    live_offers,
    opened_preview,
    plan_file_of,
    plan_of,
    plan_reading,
    purge_confirmation,
)
from feedtool.cli.rows import AS_ROW, Choosing, chosen_rows, selection_of
from feedtool.cli.typed import command_of
from feedtool.model.text import tr
from feedtool.runs.outputs import Outputs
from feedtool.runs.validate import note_fixable

if TYPE_CHECKING:
    from feedtool.cli.account import ChosenAccount
    from feedtool.runs.plan_file import PlanFile, SavedPlan
    from feedtool.runs.planned import PlanBasis

    OpenPlanFile = Callable[..., PlanFile | None]


class Sending(Struct, frozen=True, kw_only=True):
    """Options of `submit` for sending."""

    dry_run: Annotated[bool, flag("--dry-run", "Stop after the plan and show it; send nothing.")]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    requests: Annotated[
        Path | None,
        path(
            "--requests",
            "DIR",
            "Also write the exact request bodies into this folder.",
            may_be="folder",
        ),
    ]
    all_or_nothing: Annotated[
        bool, flag("--all-or-nothing", "Send nothing unless every row is valid.")
    ]
    purging: Purging
    no_wait: Annotated[bool, NO_WAIT]


class SubmitOptions(Struct, frozen=True, kw_only=True):
    """Options of `submit`."""

    files: Annotated[tuple[str, ...], MAYBE_FILES]
    sending: Sending
    planning: Planning
    configuration: Configuration
    choosing: Choosing
    connection: ConnectionOptions
    reading: ReadingOptions
    as_row: Annotated[str | None, AS_ROW]
    writing: Writing
    no_failed: Annotated[
        bool,
        flag("--no-failed", "Write no NAME.failed.xlsx, the workbook of the rows to correct."),
    ]
    reporting: Reporting
    notifying: Notifying
    common: Common
    records: Records


@command_of(SubmitOptions, PlannedCommand)
def submit(ctx: click.Context, options: SubmitOptions) -> int:
    """Check FILEs, send what is valid, wait, and write the answer beside every row.

    The annotated copy is NAME.result.EXT beside each file. Rows that are invalid are kept back and
    named; the others are sent. The rows to correct are in NAME.failed.xlsx beside it, to be
    corrected there and sent as it is. With --plan the files are those of the plan.
    """
    from feedtool.cli.account import chosen_account
    from feedtool.runs.planned import PlanBasis

    planning, files, is_dry_run = options.planning, options.files, options.sending.dry_run
    plan = plan_of(ctx, planning, files, is_dry_run=is_dry_run)
    files = files or tuple(file["file"] for file in plan.conditions["inputs"]) if plan else files
    account = chosen_account(ctx)
    check_preview(planning, is_dry_run=is_dry_run, may_replace=options.common.yes)
    purges, is_saved = is_purge(ctx, options.sending.purging), planning.save_plan is not None
    # For a plan nothing is asked: it must be the same wherever it is sent.
    settle = kind_question("plan" if plan or is_saved else options.reporting.form)
    of_account = replace(options.reading, channel=account.channel)
    usual = read_options(ctx, of_account, options.as_row, purges=purges, settle=settle)
    with (
        listed_inputs(ctx, files, options.reading.kind) as read,
        plan_reading(plan, read, usual, is_saved=is_saved) as reading,
    ):
        choosing, is_whole = options.choosing, options.sending.all_or_nothing
        rows = chosen_rows(choosing.rows, read)
        selection = selection_of(choosing.selecting, choosing.releasing, rows)
        recipe = options.reading.recipe
        basis = PlanBasis(reading, selection, account_of(account), is_whole, recipe)
        plan_file = partial(plan_file_of, ctx, planning.save_plan, plan, read)
        if is_dry_run:
            return _plan_only(options, account, read, basis, plan_file)
        return _submit(options, account, read, basis, plan_file, plan)


def _plan_only(
    options: SubmitOptions,
    account: "ChosenAccount",
    read: Sequence[Input],
    basis: "PlanBasis",
    plan_file: "OpenPlanFile",
) -> int:
    """Make a dry run, which may save a plan or be compared with one."""
    from feedtool.runs.submit import plan_only

    reading, planning, form = basis.reading, options.planning, options.reporting.form
    home, is_previewed = options.common.home, planning.preview or form == "json"
    is_annotated = options.writing.out is not None or options.writing.in_place
    with (
        existing_records(home, options.records, basis) as workspace,
        live_offers(home, account, reading)
        if planning.live
        else nullcontext(basis.accepted(workspace)) as known,
        opened_preview(known) if is_previewed else nullcontext() as preview,
    ):
        results = plan_only(
            read,
            reading,
            _outputs(read, options) if is_annotated else Outputs(),
            requests=options.sending.requests,
            is_all_or_nothing=options.sending.all_or_nothing,
            plan_file=plan_file(basis, known),
            preview=preview,
            select=basis.select(workspace),
        )
        if preview and planning.preview:
            preview.write(planning.preview, reading.dialect.reading, CONSOLE.say)
            echo("preview", tr("saved as {file}", file=planning.preview))
        if planning.save_plan:
            echo("plan", tr("saved as {plan}", plan=planning.save_plan))
        if form == "text":
            note_fixable(results, read, reading)
        code = echo_results(results, options.reporting)
        if form == "text":
            has_account = account.is_sandbox or bool(account.connection.base_url)
            plan = planning.save_plan or planning.plan
            after_plan([file.name for file in read], results, plan, has_account=has_account)
        return code


def _outputs(read: Sequence[Input], options: SubmitOptions) -> Outputs:
    return Outputs(
        targets(read, options.writing),
        is_in_place=options.writing.in_place,
        is_plain=options.writing.plain,
        no_failed=options.no_failed,
        language=CONSOLE.language,
    )


def _submit(
    options: SubmitOptions,
    account: "ChosenAccount",
    read: Sequence[Input],
    basis: "PlanBasis",
    plan_file: "OpenPlanFile",
    plan: "SavedPlan | None",
) -> int:
    """Send, and show the results even if the delivery was stopped."""
    from feedtool.cli.account import connect
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.output import progress_of
    from feedtool.runs.passes import note_pass
    from feedtool.runs.plan_conditions import Account
    from feedtool.runs.submit import submit

    outputs, sending, form = _outputs(read, options), options.sending, options.reporting.form
    home, is_sure = home_folder(options.common.home), options.common.yes
    reading, most = basis.reading, sending.purging.expect_removals
    with (
        run_notices("submit", account.profile, options.notifying) as notices,
        stopping() as stop,
        connect(home, account, stop, page=reading.dialect.report_page_size) as session,
        progress_of(form, notices.on_event) as on_event,
        open_workspace(home, options.records) as workspace,
    ):
        check_not_sent(plan, workspace.ledger, is_sure=is_sure)
        reached = Account(session.address, session.seller, session.profile, session.is_sandbox)
        basis = replace(basis, account=reached)
        words = typed_for_corrections()
        with note_pass(session, workspace) as passing:
            submission = submit(
                read,
                reading,
                outputs,
                session,
                workspace,
                requests=sending.requests,
                is_all_or_nothing=sending.all_or_nothing,
                wait=not sending.no_wait,
                on_event=on_event,
                selection=basis.selection,
                confirm=purge_confirmation(most, is_sure=is_sure),
                plan_file=plan_file(basis, basis.accepted(workspace)),
                words=words,
            )
            passing.end(submission)
        if form == "text":
            note_fixable(submission.outcomes, read, reading)
        code = echo_submission(submission, options.reporting, outputs.targets.values())
        notices.run(submission.outcomes, code, submission.stopped, session.seller)
    if not submission.stopped and not any(result.run for result in submission.outcomes):
        after_blocked(submission.outcomes, form)
    after_delivery(submission, words, code, form)
    return code
