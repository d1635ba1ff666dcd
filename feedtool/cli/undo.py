"""`feedtool undo`."""

import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.cli import completers
from feedtool.cli.console import CONSOLE, echo, stopping
from feedtool.cli.files import Releasing, refuse_target
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import ACCOUNT, PLACES, PLAN_OPTIONS, command, echo_next, typed
from feedtool.cli.options import (
    CHANNEL,
    FORMAT,
    SOURCES,
    Common,
    Configuration,
    Records,
    chosen,
    flag,
    on_command_line,
    path,
)
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions
from feedtool.cli.submit import account_of, submit
from feedtool.cli.typed import command_of
from feedtool.feeds.memory import UndoOptions, UndoRow
from feedtool.model.errors import Exit, NothingToDo
from feedtool.model.settings import AccountSettings
from feedtool.model.text import plural, tr
from feedtool.report.as_json import write_objects
from feedtool.report.plain import listed

if TYPE_CHECKING:
    from feedtool.cli.session import ChosenAccount

UNDO_ONLY = frozenset(("run", "out", "stock", "delete_created"))
"""Parameters of `undo` that `submit` does not have."""


class UndoCommandOptions(Struct, frozen=True, kw_only=True):
    run: Annotated[
        int, click.Argument(["run"], type=int, metavar="RUN", shell_complete=completers.runs)
    ]
    out: Annotated[
        Path | None,
        path(
            "--out",
            "PLAN",
            "The plan; its rows are beside it, in an .xlsx of that name.  [default: undo-RUN.plan"
            " here]",
            may_be="file",
        ),
    ]
    stock: Annotated[
        bool, flag("--stock", "Restore the stock, too; what was sold since is put back with it.")
    ]
    delete_created: Annotated[
        bool,
        flag(
            "--delete-created",
            "Delete the offers that the run created; the service is asked when each was.",
        ),
    ]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    channel: Annotated[str | None, CHANNEL]
    releasing: Releasing
    connection: ConnectionOptions
    form: Annotated[str, FORMAT]
    common: Common
    records: Records


@command_of(UndoCommandOptions)
def undo(ctx: click.Context, options: UndoCommandOptions) -> int:
    """Make a plan that takes RUN back; send it with `feedtool submit --plan PLAN`.

    It restores price, taxes, delivery modes and preparation time as they were before the run, as
    far as that is known here. Offers that were changed since are left alone. Nothing is sent.
    """
    from feedtool.cli.session import chosen_account
    from feedtool.runs.undo import run_to_undo, write_undo

    run, form, account = options.run, options.form, chosen_account(ctx)
    plan = options.out or Path(f"undo-{run}.plan")
    workbook = plan.with_name(f"{plan.stem}.xlsx")
    for place in (plan, workbook):
        refuse_target(place, may_replace=options.common.yes)
    planned = account_of(account)
    home, language = home_folder(options.common.home), options.common.showing.language
    with open_workspace(home, options.records) as workspace:
        undone_run = run_to_undo(run, workspace, (planned.service, planned.seller))
        settings = chosen(ctx).profile.dialect
        with _undo_options(home, options, account, settings) as undo_options:
            sheet = write_undo(undone_run, workspace, workbook, settings, language, undo_options)
    if not sheet.rows:
        _write([{"run": run, "plan": None}], sheet.left, form)
        raise NothingToDo(
            tr("nothing of run {run} can be taken back", run=run), tr("no plan was written")
        )
    words = [str(workbook), "--dry-run", f"--save-plan={plan}", *_typed(ctx), "--format=json"]
    with redirect_stdout(io.StringIO()) as shown:
        code: int = submit.main(words, prog_name="feedtool submit", standalone_mode=False)
    results = json.loads(shown.getvalue())
    objects = [{**result, "plan": str(plan), "undoes": run} for result in results]
    _write(objects, sheet.left, form)
    if count := len(sheet.left):
        echo(
            "note",
            plural("{count:,} offer is left alone", "{count:,} offers are left alone", count),
        )
    if form == "text":
        line = command("submit", "--plan", plan, options=typed((PLACES | ACCOUNT) - PLAN_OPTIONS))
        echo_next(tr("look at {file}, then `{command}`", file=workbook, command=line))
    return Exit.ROWS if sheet.left else code


@contextmanager
def _undo_options(
    home: Path, options: UndoCommandOptions, account: "ChosenAccount", settings: AccountSettings
) -> Iterator[UndoOptions]:
    """The options of an undo; with `--delete-created` it asks the service about offers."""
    if not options.delete_created:
        yield UndoOptions(options.stock)
        return
    from feedtool.cli.session import connect
    from feedtool.runs.workspace import fetch_context_of

    lack = tr("there is no account to ask")
    with stopping() as stop, connect(home, account, stop, lack) as session:
        live = load().memory.live(session.client, fetch_context_of(session), settings)
        yield UndoOptions(options.stock, live.created_since if live else None)


def _typed(ctx: click.Context) -> Iterator[str]:
    """The typed options that `submit` has, too."""
    names = [parameter.name or "" for parameter in ctx.command.params]
    typed = on_command_line(ctx, *names)
    if ctx.get_parameter_source("config") is SOURCES[0]:
        yield f"--config={chosen(ctx).config.path}"
    for parameter in ctx.command.params:
        value = typed.get(parameter.name or "")
        if parameter.name not in UNDO_ONLY and value is not None:
            yield parameter.opts[0] if value is True else f"{parameter.opts[0]}={value}"


def _write(objects: list[dict[str, Any]], left: Iterable[UndoRow], form: str) -> None:
    """Write the offers that are left alone, each with its reason; in JSON with the plan."""
    if form != "text":
        fields = [row.as_json() for row in left]
        write_objects(
            [{**fields_of, "left": iter(fields)} for fields_of in objects], sys.stdout, form
        )
        return
    alike: dict[tuple[str, str], list[UndoRow]] = {}
    for row in left:
        alike.setdefault((row.channel, row.reason), []).append(row)
    for (channel, reason), rows in alike.items():
        values = {"channel": channel, "reason": reason}
        click.echo(
            CONSOLE.say(
                tr(
                    "{channel}, row {row}, {reference}: {reason}",
                    row=rows[0].row,
                    reference=rows[0].reference,
                    **values,
                )
                if len(rows) == 1
                else tr(
                    "{channel}, {count:,} offers in rows {rows}: {reason}",
                    count=len(rows),
                    rows=listed([row.row for row in rows], len(rows)),
                    **values,
                )
            )
        )
