"""`feedtool submit`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.check import Input, ReadOptions
from feedtool.cli import options
from feedtool.cli.confirming import asked_to_purge, confirming, kind_asked
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import echo
from feedtool.cli.files import as_row, inputs, maybe_files, targets
from feedtool.cli.home import books, home_folder
from feedtool.cli.output import echo_results, echo_submission
from feedtool.cli.planning import (
    PLAN,
    PlannedCommand,
    account_of,
    check_not_sent,
    keeping,
    plan_of,
    saving,
    selecting,
)
from feedtool.cli.reading import how_to_read, selection_of
from feedtool.runs.annotated_copy import Outputs

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.effects import OpenAccepted
    from feedtool.runs.plan_file import PlanFile, SavedPlan


@click.command(cls=PlannedCommand)
@maybe_files
@options.flag("--dry-run", "Stop after the plan and tell it; send nothing.")
@options.sandbox
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
@options.configuration
@options.selection
@options.release
@options.connection
@options.reading
@as_row
@options.writing
@options.telling
@options.notifying
@options.common
@options.ledger
@click.pass_context
def submit(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    report: Path | None,
    *,
    verbose: bool,
    **given: Any,
) -> int:
    """Check FILEs, send what is valid, wait, and write the answer beside every row.

    The annotated copy is NAME.result.EXT beside each file. Rows that are invalid are kept back
    and named; the others are sent in uploads of 100 and packages of 50,000. With --plan the files
    are those of the plan.
    """
    from feedtool.runs.submit import plan_only

    plan = plan_of(ctx, given, files)
    files = files or tuple(name for name, _ in plan.conditions.inputs) if plan else files
    options.refuse_two_services(ctx, given)
    if given["sandbox"]:  # it needs nothing else, and an account's settings are not meant for it
        given |= options.on_command_line(ctx, "seller", "channel", "token")
    given |= token_options(ctx)
    purges = asked_to_purge(ctx, given)
    with inputs(files) as found:
        asked = how_to_read(
            ctx,
            given,
            purges=purges,
            # A plan has to come out the same wherever it is sent.
            settle=kind_asked("plan" if plan or given["save_plan"] else form),
        )
        if given["dry_run"]:
            is_annotated = given["out"] is not None or given["in_place"]
            outputs = _outputs(found, given) if is_annotated else Outputs()
            with selecting(given, asked) as (select, open_accepted):
                outcomes = plan_only(
                    found,
                    asked,
                    outputs,
                    requests=given["requests"],
                    is_all_or_nothing=given["all_or_nothing"],
                    plan_file=_plan_file(ctx, given, asked, found, plan, open_accepted),
                    select=select,
                )
            if given["save_plan"]:
                echo("plan", f"saved as {given['save_plan']}")
            return echo_results(outcomes, form, report, is_verbose=verbose)
        return _submit(found, asked, given, plan, form, report, is_verbose=verbose)


def _plan_file(
    ctx: click.Context,
    given: dict[str, Any],
    asked: ReadOptions,
    found: Sequence[Input],
    plan: "SavedPlan | None",
    open_accepted: "OpenAccepted",
) -> "PlanFile | None":
    """What a dry run has to do with a plan."""
    if plan:
        return keeping(plan, given, asked, account_of(given), open_accepted)
    return saving(ctx, given, asked, found, open_accepted) if given["save_plan"] else None


def _outputs(found: Sequence[Input], given: dict[str, Any]) -> Outputs:
    in_place = given["in_place"]
    return Outputs(targets(found, given["out"], in_place=in_place), is_in_place=in_place)


def _submit(
    found: Sequence[Input],
    asked: ReadOptions,
    given: dict[str, Any],
    plan: "SavedPlan | None",
    form: str,
    report: Path | None,
    *,
    is_verbose: bool,
) -> int:
    """Sends, and tells what came of it even where something stopped the delivery."""
    from feedtool.cli.connect import connection_of
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.progress import progress_of
    from feedtool.cli.signals import stopping
    from feedtool.runs.plan_file import Account
    from feedtool.runs.submit import submit as submit_files
    from feedtool.runs.workspace import accepted_offers

    outputs = _outputs(found, given)
    given["page"] = asked.dialect.report_page_size
    home = home_folder(given["home"])
    with (
        run_notices("submit", given) as notices,
        stopping() as stop,
        connection_of(home, given, stop, needs_channel=False) as service,
        progress_of(form, notices.on_event) as on_event,
        books(home, given["ledger"]) as opened,
    ):
        check_not_sent(plan, opened.ledger, is_sure=given["yes"])
        whose = (service.address, service.seller)
        open_accepted = partial(accepted_offers, opened, whose)
        account = Account(*whose, service.profile, service.is_sandbox)
        submission = submit_files(
            found,
            asked,
            outputs,
            service,
            opened,
            requests=given["requests"],
            is_all_or_nothing=given["all_or_nothing"],
            wait=not given["no_wait"],
            on_event=on_event,
            selection=selection_of(given),
            confirm=confirming(given),
            plan_file=keeping(plan, given, asked, account, open_accepted) if plan else None,
        )
        code = echo_submission(
            submission, form, report, outputs.targets.values(), is_verbose=is_verbose
        )
        notices.run(submission.outcomes, code, submission.stopped, service.seller)
        return code
