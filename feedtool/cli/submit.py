"""`feedtool submit`."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input
from feedtool.cli.console import CONSOLE, LEDGER, echo, home_path, stopping
from feedtool.cli.files import (
    AS_ROW,
    MAYBE_FILES,
    Choosing,
    chosen_rows,
    is_terminal,
    kind_question,
    listed_inputs,
    read_options,
    refuse_ending,
    refuse_target,
    selection_of,
    targets,
)
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import (
    PLAN_OPTIONS,
    after_blocked,
    after_delivery,
    after_plan,
    typed_for_corrections,
)
from feedtool.cli.options import (
    NO_WAIT,
    SANDBOX,
    SANDBOX_SELLER,
    Common,
    Configuration,
    ReadingOptions,
    Records,
    Reporting,
    Writing,
    count,
    flag,
    on_command_line,
    path,
)
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions, Notifying
from feedtool.cli.output import echo_results, echo_submission, progress_of
from feedtool.cli.typed import command_of
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.runs.outputs import Outputs
from feedtool.runs.validate import note_fixable

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.cli.session import ChosenAccount
    from feedtool.feeds.memory import Effects, OpenAccepted
    from feedtool.ledger import Ledger
    from feedtool.runs.plan_file import Account, PlanFile, SavedPlan
    from feedtool.runs.preview import Preview
    from feedtool.runs.purge import Confirm, Purge
    from feedtool.runs.submit import PlanBasis
    from feedtool.runs.workspace import Workspace

    OpenPlanFile = Callable[..., PlanFile | None]

# Plans.


PLAN, VARIABLE = "--plan", "FEEDTOOL_PLAN"


class Planning(Struct, frozen=True, kw_only=True):
    """Options for plans and previews."""

    save_plan: Annotated[
        Path | None,
        path(
            "--save-plan",
            "PLAN",
            "With --dry-run: write what would be sent into this file, to be sent with --plan.",
            may_be="file",
        ),
    ]
    plan: Annotated[
        Path | None,
        path(
            PLAN,
            "PLAN",
            "Send exactly what was planned, or nothing if file, profile or tool are not as they "
            "were.",
            may_be="file",
        ),
    ]
    preview: Annotated[
        Path | None,
        path(
            "--preview",
            "PATH",
            "With --dry-run: write what would happen to each offer, the biggest change first, into"
            " this .xlsx or .csv.",
            may_be="file",
        ),
    ]
    live: Annotated[
        bool,
        flag(
            "--live",
            "With --dry-run: compare with the offers that the service has now, not with what is "
            "known of them here.",
        ),
    ]


class Purging(Struct, frozen=True, kw_only=True):
    """Options for removing the offers that are not in a file."""

    purge_and_replace: Annotated[
        bool,
        flag(
            "--purge-and-replace",
            "Of legacy-offers: remove every offer of the channel that is not in the file. Has to "
            "be typed, and confirmed.",
        ),
    ]
    expect_removals: Annotated[
        int | None,
        count(
            "--expect-removals",
            "With --purge-and-replace: send nothing if more offers would be removed; with --yes it"
            " is not asked about.",
            min=0,
        ),
    ]


class PlannedCommand(HelpfulCommand):
    """A command that reads also the options in its plan."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the plan's options first, so that typed ones win, and are compared later."""
        place = os.environ.get(VARIABLE)
        for word, following in pairwise([*args, ""]):
            if word == "--":
                break
            if word == PLAN:
                place = following
            elif word.startswith(f"{PLAN}="):
                place = word.partition("=")[2]
        if ctx.resilient_parsing:
            place = None  # a shell completes the line, and the plan may not exist
        return super().parse_args(ctx, [*(self._words(place) if place else ()), *args])

    def _words(self, place: str) -> Iterator[str]:
        from feedtool.runs.plan_file import load

        words = load(Path(place)).words
        for parameter in self.params:
            value = words.get(parameter.name or "") if parameter.name in PLAN_OPTIONS else None
            if isinstance(value, str | list):
                values = [value] if isinstance(value, str) else value
                yield from (f"{parameter.opts[0]}={text}" for text in values)
            elif value is True:
                yield parameter.opts[0]
            elif value is False:  # was typed to override a profile's setting
                yield from parameter.secondary_opts[:1]


def plan_of(
    ctx: click.Context, planning: Planning, files: Sequence[str], *, is_dry_run: bool
) -> "SavedPlan | None":
    """The plan of `--plan`, or None; UsageProblem if options contradict."""
    from feedtool.runs.plan_file import load

    if planning.save_plan and planning.plan:
        raise UsageProblem(
            tr("--save-plan and --plan contradict each other"), tr("choose one of them")
        )
    if planning.save_plan and not is_dry_run:
        raise UsageProblem(
            tr("--save-plan needs --dry-run"),
            tr("add --dry-run; to send what was planned, give --plan"),
        )
    if planning.plan:
        return load(planning.plan)
    if not files:
        parameter = next(option for option in ctx.command.params if option.name == "files")
        raise click.MissingParameter(ctx=ctx, param=parameter)
    return None


def account_of(account: "ChosenAccount") -> "Account":
    """The account of a dry run, as far as the options name it."""
    from feedtool.runs.plan_file import Account

    connection, profile = account.connection, account.profile
    if account.is_sandbox:
        seller = connection.seller or SANDBOX_SELLER
        return Account(SANDBOX, seller, profile, is_sandbox=True)
    return Account(connection.base_url or None, connection.seller or None, profile)


def plan_file_of(
    ctx: click.Context,
    target: Path | None,
    plan: "SavedPlan | None",
    read: "Sequence[Input]",
    basis: "PlanBasis",
    known: "OpenAccepted",
) -> "PlanFile | None":
    """The plan to send or compare with, or the plan to save at `target`; None for neither."""
    if plan:
        return basis.verifier(plan, known, _show)
    if target is None:
        return None
    typed = on_command_line(ctx, *PLAN_OPTIONS)
    words = {name: value for name, value in typed.items() if value is not None}
    return basis.writer(read, target, known, _show, CONSOLE.clock.now(), words)


@contextmanager
def plan_reading(
    plan: "SavedPlan | None", read: "Sequence[Input]", reading: "ReadOptions", *, is_saved: bool
) -> "Iterator[ReadOptions]":
    """The options for reading files: with a plan's recipes, or recording those for a new plan."""
    if plan is None and not is_saved:
        yield reading
        return
    from feedtool.runs.submit import with_recording

    with temporary_folder() as folder:
        if plan:
            yield replace(reading, recipes=plan.recipes(folder, [file.name for file in read]))
        else:
            yield with_recording(reading, folder)


def _show(effects: "Mapping[str, Effects]") -> None:
    """Print the effects of a plan, before anything is sent."""
    for channel, effect in effects.items():
        for line in effect.describe(channel):
            echo("plan", line)


def check_not_sent(plan: "SavedPlan | None", ledger: "Ledger", *, is_sure: bool) -> None:
    """UsageProblem for a plan that was sent before: it may undo later changes."""
    if plan is None or is_sure:
        return
    from feedtool.runs.submit import run_of_plan

    if run := run_of_plan(plan, ledger):
        raise UsageProblem(
            tr("the plan {place} was sent before, by run {run}", place=plan.place, run=run),
            tr(
                "`feedtool status {run}` shows its result, and `feedtool resume` goes "
                "on; with --yes it is sent again, and later sales and changes are "
                "overwritten",
                run=run,
            ),
        )


@contextmanager
def existing_records(
    home: Path | None, records: Records, basis: "PlanBasis"
) -> "Iterator[Workspace | None]":
    """The records for a dry run, which makes no new ones; None if they do not exist.

    UsageProblem if `--changed-only` is set and the account is not known.
    """
    if basis.selection.changed_only and not basis.is_account_known:
        raise UsageProblem(
            tr("--changed-only needs to know whose offers are meant"),
            tr("name a profile with --profile, or give --base-url and --seller, or --sandbox"),
        )
    folder = home_path(home)
    if basis.is_account_known and (records.ledger or (folder / LEDGER).is_file()):
        with open_workspace(folder, records) as workspace:
            yield workspace
    else:
        yield None


PURGE = "purge_and_replace"


def is_purge(ctx: click.Context, purging: Purging) -> bool:
    """True if `--purge-and-replace` was typed; UsageProblem if it was set in any other way."""
    is_typed = bool(on_command_line(ctx, PURGE)[PURGE])
    if purging.purge_and_replace and not is_typed:
        raise UsageProblem(
            tr(
                "--purge-and-replace has to be typed: it is not taken from the environment or "
                "from feedtool.toml"
            ),
            tr("take it out there"),
        )
    if purging.expect_removals is not None and not is_typed:
        raise UsageProblem(
            tr("--expect-removals needs --purge-and-replace"),
            tr("leave it out, or add --purge-and-replace"),
        )
    return is_typed


def purge_confirmation(most: int | None, *, is_sure: bool) -> "Confirm":
    """A function that asks about a purge; without a terminal, or with --yes, options decide.

    `most` is the largest number of removals that is sent.
    """

    def confirm(purge: "Purge") -> None:
        from feedtool.runs.purge import NOTHING_SENT, refuse

        if most is not None and purge.removed > most:
            raise UsageProblem(
                tr(
                    "more offers would be removed than the {most:,} of --expect-removals: {text}",
                    most=most,
                    text=purge.text,
                ),
                tr("nothing was sent; look at what is missing in the file"),
            )
        if is_sure and most is not None:
            return
        if is_sure or not is_terminal():
            refuse(purge)
        question = tr("A purge: {text}. Send it?", text=purge.text)
        if not click.confirm(CONSOLE.say(question), err=True):
            raise UsageProblem(tr("the purge was not confirmed"), NOTHING_SENT)

    return confirm


# Previews.


def check_preview(planning: Planning, *, is_dry_run: bool, may_replace: bool) -> None:
    """UsageProblem if options of a preview contradict, or its file cannot be written."""
    for name, value in {"preview": planning.preview, "live": planning.live}.items():
        if value and not is_dry_run:
            raise UsageProblem(tr("--{option} needs --dry-run", option=name), tr("add --dry-run"))
    if target := planning.preview:
        refuse_ending(target, (".xlsx", ".csv"))
        refuse_target(target, may_replace=may_replace, option="preview")


@contextmanager
def live_offers(
    home: Path | None, account: "ChosenAccount", reading: "ReadOptions"
) -> "Iterator[OpenAccepted]":
    """A function that opens the offers that the service has now."""
    from feedtool.cli.session import connect
    from feedtool.runs.workspace import fetch_context_of

    folder, lack = home_folder(home), tr("there is no account to ask")
    with stopping() as stop, connect(folder, account, stop, lack) as session:
        context = fetch_context_of(session)
        yield lambda: load().memory.live(session.client, context, reading.dialect)


def opened_preview(open_accepted: "OpenAccepted") -> "AbstractContextManager[Preview]":
    from feedtool.runs.preview import preview_of  # slow to import

    return preview_of(open_accepted)


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
        bool, flag("--no-failed", "Write no NAME.failed.xlsx, the workbook of the rows to correct.")
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
    from feedtool.cli.session import chosen_account
    from feedtool.runs.submit import PlanBasis

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
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.session import connect
    from feedtool.runs.deliver import note_pass
    from feedtool.runs.plan_file import Account
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
