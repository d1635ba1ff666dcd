"""Cursors of an export: options that select only new things, and the list of cursors."""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.home import open_workspace
from feedtool.cli.options import Records, flag, text
from feedtool.feeds.export import Export, moment_of
from feedtool.model.errors import Exit, NothingToDo, UsageProblem
from feedtool.model.text import plural, tr

if TYPE_CHECKING:
    from feedtool.cli.account import ChosenAccount
    from feedtool.runs.cursors import CursorUse


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    del ctx
    return None if text is None else moment_of(parameter.opts[0])(text)


class CursorOptions(Struct, frozen=True, kw_only=True):
    """The options of every export that declares `increments`; by default it exports all."""

    since: Annotated[
        datetime | None,
        text(
            "--since",
            "WHEN",
            "Only what was updated then or later: 2026-11-20T08:00Z.",
            callback=_moment,
        ),
    ] = None
    new: Annotated[bool, flag("--new", "Only what no export with this cursor has brought yet.")] = (
        False
    )
    changed: Annotated[
        bool,
        flag("--changed", "Only what is new, or has changed since this cursor brought it."),
    ] = False
    cursor: Annotated[
        str | None,
        text(
            "--cursor",
            "NAME",
            "Who reads: each reader has all for himself.  [default: default]",
        ),
    ] = None
    peek: Annotated[
        bool,
        flag("--peek", "With --new or --changed: note nothing, so that the same comes again."),
    ] = False
    cursors: Annotated[
        bool, flag("--cursors", "Only list the cursors, and how far each has come.")
    ] = False
    rewind: Annotated[
        datetime | None,
        text(
            "--rewind",
            "WHEN",
            "Only go back: what this cursor was given then or later comes again.",
            callback=_moment,
        ),
    ] = None


def cursor_use_of(options: CursorOptions) -> "CursorUse | None":
    """The cursor that the options use, or None; UsageProblem for options that contradict."""
    from feedtool.runs.cursors import DEFAULT
    from feedtool.runs.export_request import cursor_use

    modes = {"new": options.new, "changed": options.changed, "rewind": options.rewind}
    set_modes = [name for name, value in modes.items() if value]
    if len(set_modes) > 1:
        raise UsageProblem(
            tr("--{one} and --{other} do not go together", one=set_modes[0], other=set_modes[1]),
            tr("leave one of them out"),
        )
    if not set_modes:
        for option, value in {"cursor": options.cursor, "peek": options.peek}.items():
            if value:
                raise UsageProblem(
                    tr("--{option} is about what is new", option=option),
                    tr("add --new or --changed, or leave it out"),
                )
        return None
    name = DEFAULT if options.cursor is None else options.cursor
    return cursor_use(name, is_changed=options.changed, is_peek=options.peek)


def list_cursors(kind: Export, home: Path, records: Records, form: str) -> int:
    """Show the cursors of a kind; NothingToDo if no export has used one."""
    from feedtool.ledger.cursors import Cursors
    from feedtool.runs.cursor_list import write_cursors

    with open_workspace(home, records) as workspace:
        states = Cursors(workspace.ledger.engine).listed(kind.kind)
    write_cursors(states, sys.stdout, form, CONSOLE.say)
    if not states:
        raise NothingToDo(
            tr("no export of {kind} has used a cursor yet", kind=kind.kind),
            tr("the first with --new or --changed begins one"),
        )
    return Exit.OK


def rewind_cursor(
    kind: Export,
    home: Path,
    records: Records,
    account: "ChosenAccount",
    use: "CursorUse",
    since: datetime,
) -> int:
    """Move a cursor back to a time, so that later things come again.

    UsageProblem if there is no such cursor.
    """
    from feedtool.cli.account import connect
    from feedtool.runs.cursors import rewind

    with (
        stopping() as stop,
        connect(home, account, stop, tr("there is no account to ask")) as session,
        open_workspace(home, records) as workspace,
    ):
        count = rewind(kind, use.name, since, session, workspace)
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
