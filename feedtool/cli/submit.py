"""`feedtool submit`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from feedtool.check import Input, ReadOptions
from feedtool.cli import options, options_account
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.files import (
    MAYBE_FILES,
    kind_asked,
    listed_inputs,
    read_options,
    targets,
)
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import (
    after_blocked,
    after_delivery,
    after_plan,
    words_of_submission,
)
from feedtool.cli.output import echo_results, echo_submission
from feedtool.cli.planning import (
    PLAN,
    PlannedCommand,
    basis_of,
    check_not_sent,
    confirming,
    is_purge,
    plan_file_of,
    plan_of,
    reading_of_plan,
    records,
)
from feedtool.cli.previewing import asking_live, check_preview, previewing
from feedtool.cli.rows import AS_ROW, ROWS, chosen_rows
from feedtool.cli.typed import read_record
from feedtool.model.text import tr
from feedtool.runs.outputs import Outputs
from feedtool.runs.validate import note_fixable

if TYPE_CHECKING:
    from feedtool.runs.plan_file import PlanFile, SavedPlan


@click.command(cls=PlannedCommand)
@options.group(MAYBE_FILES)
@options.flag("--dry-run", "Stop after the plan and show it; send nothing.")
@options_account.sandbox
@options.path(
    "--requests", "DIR", "Also write the exact request bodies into this folder.", may_be="folder"
)
@options.flag("--all-or-nothing", "Send nothing unless every row is valid.")
@options.flag(
    "--purge-and-replace",
    "Of legacy-offers: remove every offer of the channel that is not in the file. Has to be "
    "typed, and confirmed.",
)
@options.count(
    "--expect-removals",
    "With --purge-and-replace: send nothing if more offers would be removed; with --yes it is "
    "not asked about.",
    min=0,
)
@options.no_wait
@options.path(
    "--save-plan",
    "PLAN",
    "With --dry-run: write what would be sent into this file, to be sent with --plan.",
    may_be="file",
)
@options.path(
    PLAN,
    "PLAN",
    "Send exactly what was planned, or nothing if file, profile or tool are not as they were.",
    may_be="file",
)
@options.path(
    "--preview",
    "PATH",
    "With --dry-run: write what would happen to each offer, the biggest change first, into this "
    ".xlsx or .csv.",
    may_be="file",
)
@options.flag(
    "--live",
    "With --dry-run: compare with the offers that the service has now, not with what is known of "
    "them here.",
)
@options.configuration
@options_account.selection
@options_account.release
@ROWS
@options_account.connection
@options.reading
@AS_ROW
@options.writing
@options.flag("--no-failed", "Write no NAME.failed.xlsx, the workbook of the rows to correct.")
@options.reporting
@options_account.notifying
@options.common
@options.ledger
@click.pass_context
def submit(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> int:
    """Check FILEs, send what is valid, wait, and write the answer beside every row.

    The annotated copy is NAME.result.EXT beside each file. Rows that are invalid are kept back and
    named; the others are sent. The rows to correct are in NAME.failed.xlsx beside it, to be
    corrected there and sent as it is. With --plan the files are those of the plan.
    """
    from feedtool.cli.account import account_options

    plan = plan_of(ctx, given, files)
    files = files or tuple(file["file"] for file in plan.conditions["inputs"]) if plan else files
    account_options(ctx, given)
    check_preview(given)
    purges = is_purge(ctx, given)
    # A plan has to come out the same wherever it is sent.
    settle = kind_asked("plan" if plan or given["save_plan"] else given["form"])
    asked = read_options(
        ctx,
        read_record(options.ReadingOptions, given),
        given["as_row"],
        purges=purges,
        settle=settle,
    )
    with (
        listed_inputs(ctx, files, given["kind"]) as read,
        reading_of_plan(given, plan, read, asked) as reading,
    ):
        given["chosen"] = chosen_rows(given, read)
        plan_file = partial(plan_file_of, ctx, given, plan, read)
        send = _plan_only if given["dry_run"] else partial(_submit, plan=plan)
        return send(given, read, reading, plan_file)


def _plan_only(
    given: dict[str, Any],
    read: Sequence[Input],
    reading: ReadOptions,
    plan_file: "Callable[..., PlanFile | None]",
) -> int:
    """A dry run, which may save a plan or be compared with one."""
    from feedtool.runs.submit import plan_only

    is_annotated = given["out"] is not None or given["in_place"]
    basis = basis_of(given, reading)
    with (
        records(given, basis) as workspace,
        asking_live(given, reading, basis.known(workspace)) as known,
        previewing(given, known) as preview,
    ):
        results = plan_only(
            read,
            reading,
            _outputs(read, given) if is_annotated else Outputs(),
            requests=given["requests"],
            is_all_or_nothing=given["all_or_nothing"],
            plan_file=plan_file(basis, known),
            preview=preview,
            select=basis.select(workspace),
        )
        if preview and given["preview"]:
            preview.write(given["preview"], reading.dialect.reading, CONSOLE.say)
            echo("preview", tr("saved as {file}", file=given["preview"]))
        if given["save_plan"]:
            echo("plan", tr("saved as {plan}", plan=given["save_plan"]))
        if given["form"] == "text":
            note_fixable(results, read, reading)
        code = echo_results(results, read_record(options.Reporting, given))
        after_plan([file.name for file in read], results, given)
        return code


def _outputs(read: Sequence[Input], given: dict[str, Any]) -> Outputs:
    in_place = given["in_place"]
    copies = targets(read, read_record(options.Writing, given))
    language = CONSOLE.language
    return Outputs(
        copies,
        is_in_place=in_place,
        is_plain=given["plain"],
        no_failed=given["no_failed"],
        language=language,
    )


def _submit(
    given: dict[str, Any],
    read: Sequence[Input],
    reading: ReadOptions,
    plan_file: "Callable[..., PlanFile | None]",
    plan: "SavedPlan | None",
) -> int:
    """Sends, and shows the results even where something stopped the delivery."""
    from feedtool.cli.account import connect
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.output import progress_of
    from feedtool.runs.passes import noted_pass
    from feedtool.runs.plan_conditions import Account
    from feedtool.runs.submit import submit

    outputs = _outputs(read, given)
    given["page"] = reading.dialect.report_page_size
    home = home_folder(given["home"])
    with (
        run_notices("submit", given) as notices,
        stopping() as stop,
        connect(home, given, stop) as session,
        progress_of(given["form"], notices.on_event) as on_event,
        open_workspace(home, read_record(options.Records, given)) as workspace,
    ):
        check_not_sent(plan, workspace.ledger, is_sure=given["yes"])
        account = Account(session.address, session.seller, session.profile, session.is_sandbox)
        basis, words = basis_of(given, reading, account), words_of_submission()
        with noted_pass(session, workspace) as passing:
            submission = submit(
                read,
                reading,
                outputs,
                session,
                workspace,
                requests=given["requests"],
                is_all_or_nothing=given["all_or_nothing"],
                wait=not given["no_wait"],
                on_event=on_event,
                selection=basis.selection,
                confirm=confirming(given),
                plan_file=plan_file(basis, basis.known(workspace)),
                words=words,
            )
            passing.end(submission)
        if given["form"] == "text":
            note_fixable(submission.outcomes, read, reading)
        code = echo_submission(
            submission, read_record(options.Reporting, given), outputs.targets.values()
        )
        notices.run(submission.outcomes, code, submission.stopped, session.seller)
    if not submission.stopped and not any(result.run for result in submission.outcomes):
        after_blocked(submission.outcomes, given["form"])
    after_delivery(submission, words, code, given["form"])
    return code
