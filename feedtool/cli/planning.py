"""Plans: `submit --save-plan` writes the options of a dry run, `--plan` reads them.

Also `--preview` and `--live`, which show the effects of a dry run.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.files import is_terminal, refuse_ending, refuse_target
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import LEDGER, home_folder, home_path, open_workspace
from feedtool.cli.options import (
    SANDBOX,
    SANDBOX_SELLER,
    Records,
    count,
    flag,
    on_command_line,
    path,
)
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.legacy.purge import Confirm, Purge
    from feedtool.areas.offers.changes.effects import Effects, OpenAccepted
    from feedtool.check import Input, ReadOptions
    from feedtool.cli.account import ChosenAccount
    from feedtool.ledger import Ledger
    from feedtool.runs.plan_conditions import Account
    from feedtool.runs.plan_file import PlanFile, SavedPlan
    from feedtool.runs.planned import PlanBasis
    from feedtool.runs.preview import Preview
    from feedtool.runs.workspace import Workspace

FLAGS = ("all_or_nothing", "changed_only", "prefer_update")
TEXTS = (
    *("profile", "kind", "sheet", "recipe", "default", "channel", "as_row", "rows"),
    *("release", "reason"),
)
PLAN_OPTIONS = frozenset({*TEXTS, "sandbox", *FLAGS})
"""Options that a plan contains; none of them decides where a token is sent."""

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
            tr("--save-plan is about --dry-run, which is not there"),
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
    from feedtool.runs.plan_conditions import Account

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
    plan: "SavedPlan | None",
    read: "Sequence[Input]",
    reading: "ReadOptions",
    *,
    is_saved: bool,
) -> "Iterator[ReadOptions]":
    """The options for reading files: with a plan's recipes, or recording those for a new plan."""
    if plan is None and not is_saved:
        yield reading
        return
    from feedtool.model.spool import temporary_folder
    from feedtool.runs.planned import with_recording

    with temporary_folder() as folder:
        if plan:
            yield replace(reading, recipes=plan.recipes(folder, [file.name for file in read]))
        else:
            yield with_recording(reading, folder)


def _show(effects: "Mapping[str, Effects]") -> None:
    """Print the effects of a plan, before anything is sent."""
    from feedtool.areas.offers.changes.effects import describe

    for line in describe(effects):
        echo("plan", line)


def check_not_sent(plan: "SavedPlan | None", ledger: "Ledger", *, is_sure: bool) -> None:
    """UsageProblem for a plan that was sent before: it may undo later changes."""
    if plan is None or is_sure:
        return
    from feedtool.runs.planned import run_of_plan

    if run := run_of_plan(plan, ledger):
        raise UsageProblem(
            tr("the plan {place} was sent before, by run {run}", place=plan.place, run=run),
            tr(
                "`feedtool status {run}` tells what came of it, and `feedtool resume` goes on;"
                " with --yes it is sent again, and what was sold or changed since is put back",
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
            tr("--expect-removals is about --purge-and-replace, which is not there"),
            tr("leave it out, or add --purge-and-replace"),
        )
    return is_typed


def purge_confirmation(most: int | None, *, is_sure: bool) -> "Confirm":
    """A function that asks about a purge; without a terminal, or with --yes, options decide.

    `most` is the largest number of removals that is sent.
    """

    def confirm(purge: "Purge") -> None:
        from feedtool.areas.legacy.purge import NOTHING_SENT, refuse

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

ENDINGS = (".xlsx", ".csv")


def check_preview(planning: Planning, *, is_dry_run: bool, may_replace: bool) -> None:
    """UsageProblem if options of a preview contradict, or its file cannot be written."""
    for name, value in {"preview": planning.preview, "live": planning.live}.items():
        if value and not is_dry_run:
            raise UsageProblem(
                tr("--{option} is about --dry-run, which is not there", option=name),
                tr("add --dry-run"),
            )
    if target := planning.preview:
        refuse_ending(target, ENDINGS)
        refuse_target(target, may_replace=may_replace, option="preview")


@contextmanager
def live_offers(
    home: Path | None, account: "ChosenAccount", reading: "ReadOptions"
) -> "Iterator[OpenAccepted]":
    """A function that opens the offers that the service has now."""
    from feedtool.areas.offers.changes.live import LiveOffers
    from feedtool.cli.account import connect
    from feedtool.runs.workspace import fetch_context_of

    folder, lack = home_folder(home), tr("there is no account to ask")
    with stopping() as stop, connect(folder, account, stop, lack) as session:
        context = fetch_context_of(session)
        yield lambda: LiveOffers(session.client, context, reading.dialect)


@contextmanager
def opened_preview(open_accepted: "OpenAccepted") -> "Iterator[Preview]":
    from feedtool.runs.preview import preview_of  # slow to import

    with preview_of(open_accepted) as preview:
        yield preview
