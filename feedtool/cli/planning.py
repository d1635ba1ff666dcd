"""`submit --save-plan` and `submit --plan`: from the options of a command to a plan, and back.

Also which rows a dry run would send.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.files import is_terminal
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import LEDGER, home_path, open_workspace
from feedtool.cli.rows import selection_of
from feedtool.cli.typed import read_record
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.legacy.purge import Confirm, Purge
    from feedtool.areas.offers.changes.effects import Effects, OpenAccepted
    from feedtool.check import Input, ReadOptions
    from feedtool.ledger import Ledger
    from feedtool.runs.plan_conditions import Account
    from feedtool.runs.plan_file import PlanFile, SavedPlan
    from feedtool.runs.planned import PlanBasis
    from feedtool.runs.workspace import Workspace

FLAGS = ("all_or_nothing", "changed_only", "prefer_update")
TEXTS = (
    *("profile", "kind", "sheet", "recipe", "default", "channel", "as_row", "rows"),
    *("release", "reason"),
)
KEPT = frozenset({*TEXTS, "sandbox", *FLAGS})
"""Options that need not be typed again when a plan is sent; none says where a token goes."""

PLAN, VARIABLE = "--plan", "FEEDTOOL_PLAN"


class PlannedCommand(HelpfulCommand):
    """A command that takes up the options with which its plan was made."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The plan's words come first, so that what is typed now wins, and is then compared."""
        place = os.environ.get(VARIABLE)
        for word, following in pairwise([*args, ""]):
            if word == "--":
                break
            if word == PLAN:
                place = following
            elif word.startswith(f"{PLAN}="):
                place = word.partition("=")[2]
        if ctx.resilient_parsing:
            place = None  # a shell completes the line, and the plan may not be there
        return super().parse_args(ctx, [*(self._words(place) if place else ()), *args])

    def _words(self, place: str) -> Iterator[str]:
        from feedtool.runs.plan_file import load

        kept = load(Path(place)).words
        for parameter in self.params:
            value = kept.get(parameter.name or "") if parameter.name in KEPT else None
            if isinstance(value, str | list):
                values = [value] if isinstance(value, str) else value
                yield from (f"{parameter.opts[0]}={text}" for text in values)
            elif value is True:
                yield parameter.opts[0]
            elif value is False:  # typed against a profile's setting
                yield from parameter.secondary_opts[:1]


def plan_of(
    ctx: click.Context, given: Mapping[str, Any], files: Sequence[str]
) -> "SavedPlan | None":
    """The plan that is to be sent, where one is named; UsageProblem where options contradict."""
    from feedtool.runs.plan_file import load

    if given["save_plan"] and given["plan"]:
        raise UsageProblem(
            tr("--save-plan and --plan contradict each other"), tr("choose one of them")
        )
    if given["save_plan"] and not given["dry_run"]:
        raise UsageProblem(
            tr("--save-plan is about --dry-run, which is not there"),
            tr("add --dry-run; to send what was planned, give --plan"),
        )
    if given["plan"]:
        return load(given["plan"])
    if not files:
        parameter = next(option for option in ctx.command.params if option.name == "files")
        raise click.MissingParameter(ctx=ctx, param=parameter)
    return None


def account_of(given: Mapping[str, Any]) -> "Account":
    """The account of a dry run, as far as the options say."""
    from feedtool.runs.plan_conditions import Account

    if given["sandbox"]:
        seller = given["seller"] or options.SANDBOX_SELLER
        return Account(options.SANDBOX, seller, given["profile"], is_sandbox=True)
    return Account(given["base_url"] or None, given["seller"] or None, given["profile"])


def basis_of(
    given: Mapping[str, Any], reading: "ReadOptions", account: "Account | None" = None
) -> "PlanBasis":
    """What the plan of a command is made on; without an account, that of a dry run."""
    from feedtool.runs.planned import PlanBasis

    account = account or account_of(given)
    is_whole = bool(given["all_or_nothing"])
    return PlanBasis(reading, selection_of(given), account, is_whole, given["recipe"])


def plan_file_of(
    ctx: click.Context,
    given: Mapping[str, Any],
    plan: "SavedPlan | None",
    read: "Sequence[Input]",
    basis: "PlanBasis",
    known: "OpenAccepted",
) -> "PlanFile | None":
    """The plan to be sent, or compared with, or of a dry run to be saved; None without any."""
    if plan:
        return basis.verifier(plan, known, _show)
    if not given["save_plan"]:
        return None
    typed = options.on_command_line(ctx, *KEPT)
    words = {name: value for name, value in typed.items() if value is not None}
    return basis.writer(read, given["save_plan"], known, _show, CONSOLE.clock.now(), words)


@contextmanager
def reading_of_plan(
    given: Mapping[str, Any],
    plan: "SavedPlan | None",
    read: "Sequence[Input]",
    reading: "ReadOptions",
) -> "Iterator[ReadOptions]":
    """How files are read: of a plan by the recipes as they were, for one so that they are kept."""
    if plan is None and not given["save_plan"]:
        yield reading
        return
    from feedtool.model.spool import temporary_folder
    from feedtool.runs.planned import recorded

    with temporary_folder() as folder:
        if plan:
            yield replace(reading, recipes=plan.recipes(folder, [file.name for file in read]))
        else:
            yield recorded(reading, folder)


def _show(effects: "Mapping[str, Effects]") -> None:
    """Print what a plan does, before anything is sent."""
    from feedtool.areas.offers.changes.effects import describe

    for line in describe(effects):
        echo("plan", line)


def check_not_sent(plan: "SavedPlan | None", ledger: "Ledger", *, is_sure: bool) -> None:
    """UsageProblem for a plan that was sent before: it may undo what has happened since."""
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
def records(given: Mapping[str, Any], basis: "PlanBasis") -> "Iterator[Workspace | None]":
    """The records by which a dry run judges; None where there are none: none are made.

    UsageProblem where nobody says whose offers are meant.
    """
    if basis.selection.changed_only and not basis.is_account_known:
        raise UsageProblem(
            tr("--changed-only needs to know whose offers are meant"),
            tr("name a profile with --profile, or give --base-url and --seller, or --sandbox"),
        )
    home = home_path(given["home"])
    if basis.is_account_known and (given["ledger"] or (home / LEDGER).is_file()):
        with open_workspace(home, read_record(options.Records, given)) as workspace:
            yield workspace
    else:
        yield None


PURGE = "purge_and_replace"


def is_purge(ctx: click.Context, given: Mapping[str, Any]) -> bool:
    """True if `--purge-and-replace` was typed; UsageProblem where it stands anywhere else."""
    is_typed = bool(options.on_command_line(ctx, PURGE)[PURGE])
    if given[PURGE] and not is_typed:
        raise UsageProblem(
            tr(
                "--purge-and-replace has to be typed: it is not taken from the environment or "
                "from feedtool.toml"
            ),
            tr("take it out there"),
        )
    if given["expect_removals"] is not None and not is_typed:
        raise UsageProblem(
            tr("--expect-removals is about --purge-and-replace, which is not there"),
            tr("leave it out, or add --purge-and-replace"),
        )
    return is_typed


def confirming(given: Mapping[str, Any]) -> "Confirm":
    """A question about a purge on the terminal; without one, or with --yes, the options decide."""

    def confirm(purge: "Purge") -> None:
        from feedtool.areas.legacy.purge import NOTHING_SENT, refuse

        most = given["expect_removals"]
        if most is not None and purge.removed > most:
            raise UsageProblem(
                tr(
                    "more offers would be removed than the {most:,} of --expect-removals: {text}",
                    most=most,
                    text=purge.text,
                ),
                tr("nothing was sent; look at what is missing in the file"),
            )
        if given["yes"] and most is not None:
            return
        if given["yes"] or not is_terminal():
            refuse(purge)
        question = tr("A purge: {text}. Send it?", text=purge.text)
        if not click.confirm(CONSOLE.say(question), err=True):
            raise UsageProblem(tr("the purge was not confirmed"), NOTHING_SENT)

    return confirm
