"""The options of an export that can bring only what is new, and what they ask for."""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.home import open_workspace
from feedtool.cli.typed import read_record
from feedtool.feeds.export import Export, moment_of
from feedtool.model.errors import Exit, NothingToDo, UsageProblem
from feedtool.model.text import plural, tr

if TYPE_CHECKING:
    from feedtool.runs.cursors import CursorUse

NEEDS = ("cursor", "peek")
"""Options that only a cursor has a use for."""


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    del ctx
    return None if text is None else moment_of(parameter.opts[0])(text)


OPTIONS = options.group(
    options.text(
        "--since",
        "WHEN",
        "Only what was updated then or later: 2026-11-20T08:00Z.",
        callback=_moment,
    ),
    options.flag("--new", "Only what no export with this cursor has brought yet."),
    options.flag("--changed", "Only what is new, or has changed since this cursor brought it."),
    options.text(
        "--cursor", "NAME", "Who reads: each reader has all for himself.  [default: default]"
    ),
    options.flag("--peek", "With --new or --changed: note nothing, so that the same comes again."),
    options.flag("--cursors", "Only list the cursors, and how far each has come."),
    options.text(
        "--rewind",
        "WHEN",
        "Only go back: what this cursor was given then or later comes again.",
        callback=_moment,
    ),
)
"""Of every export that declares `increments`."""


def use_of(given: dict[str, Any]) -> "CursorUse | None":
    """How a cursor is used, or None; UsageProblem for options of no use together."""
    from feedtool.runs.cursors import DEFAULT
    from feedtool.runs.export_request import cursor_use

    modes = [name for name in ("new", "changed", "rewind") if given.get(name)]
    if len(modes) > 1:
        raise UsageProblem(
            tr("--{one} and --{other} do not go together", one=modes[0], other=modes[1]),
            tr("leave one of them out"),
        )
    name = given.get("cursor")
    if not modes:
        for lone in NEEDS:
            if given.get(lone):
                raise UsageProblem(
                    tr("--{option} is about what is new", option=lone),
                    tr("add --new or --changed, or leave it out"),
                )
        return None
    name = DEFAULT if name is None else name
    return cursor_use(name, is_changed=given["changed"], is_look=given["peek"])


def list_cursors(kind: Export, home: Path, given: dict[str, Any], form: str) -> int:
    """Show the cursors of a kind; NothingToDo where there is none."""
    from feedtool.ledger.cursors import Cursors
    from feedtool.runs.cursor_list import write_cursors

    with open_workspace(home, read_record(options.Records, given)) as workspace:
        states = Cursors(workspace.ledger.engine).listed(kind.kind)
    write_cursors(states, sys.stdout, form, CONSOLE.say)
    if not states:
        raise NothingToDo(
            tr("no export of {kind} has used a cursor yet", kind=kind.kind),
            tr("the first with --new or --changed begins one"),
        )
    return Exit.OK


def go_back(kind: Export, home: Path, given: dict[str, Any], use: "CursorUse") -> int:
    """Have a cursor bring again what it was given since; UsageProblem for no such cursor."""
    from feedtool.cli.account import account_options, connect
    from feedtool.runs.cursors import rewind

    account_options(click.get_current_context(), given)
    with (
        stopping() as stop,
        connect(home, given, stop, tr("there is no account to ask")) as session,
        open_workspace(home, read_record(options.Records, given)) as workspace,
    ):
        count = rewind(kind, use.name, given["rewind"], session, workspace)
    if count is None:
        raise UsageProblem(
            tr("there is no cursor “{cursor}” of {kind}", cursor=use.name, kind=kind.kind),
            tr("`feedtool export {kind} --cursors` lists them", kind=kind.kind),
        )
    text = plural(
        "{count:,} thing that the cursor “{cursor}” was given comes again",
        "{count:,} things that the cursor “{cursor}” was given come again",
        count,
        cursor=use.name,
    )
    echo("note", text)
    return Exit.OK
