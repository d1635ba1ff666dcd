"""`feedtool export`: the service's data as files to look at, to edit and to send back."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.cli.console import CONSOLE, echo, stopping
from feedtool.cli.files import refuse_ending, refuse_target
from feedtool.cli.help import HelpfulCommand, HelpfulGroup
from feedtool.cli.home import catalog_opener, home_folder, open_workspace
from feedtool.cli.next_command import after_writing
from feedtool.cli.options import FORMAT, Common, Configuration, Records, chosen, flag, path, text
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions
from feedtool.cli.typed import parameters, read_record
from feedtool.feeds.export import Export, Filter, Query, moment_of
from feedtool.model.errors import Exit, NothingToDo, UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import plural, tr

if TYPE_CHECKING:
    from feedtool.cli.session import ChosenAccount
    from feedtool.runs.cursors import CursorUse

# Cursors of an export.


def moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    """Read an option's time, as a callback of click; None if the option is not set."""
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
            callback=moment,
        ),
    ] = None
    new: Annotated[bool, flag("--new", "Only entries that no export with this cursor had yet.")] = (
        False
    )
    changed: Annotated[
        bool,
        flag(
            "--changed",
            "Only entries that are new, or changed since the last export with this cursor.",
        ),
    ] = False
    cursor: Annotated[
        str | None,
        text(
            "--cursor",
            "NAME",
            "The name of the reader: each reader gets all files.  [default: default]",
        ),
    ] = None
    peek: Annotated[
        bool, flag("--peek", "With --new or --changed: note nothing, so that the same comes again.")
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
            callback=moment,
        ),
    ] = None


def cursor_use_of(options: CursorOptions) -> "CursorUse | None":
    """The cursor that the options use, or None; UsageProblem for options that contradict."""
    from feedtool.runs.cursors import DEFAULT, cursor_use

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
                    tr("--{option} is only for new or changed entries", option=option),
                    tr("add --new or --changed, or leave it out"),
                )
        return None
    name = DEFAULT if options.cursor is None else options.cursor
    return cursor_use(name, is_changed=options.changed, is_peek=options.peek)


def list_cursors(kind: Export, home: Path, records: Records, form: str) -> int:
    """Show the cursors of a kind; NothingToDo if no export has used one."""
    from feedtool.ledger.cursors import Cursors
    from feedtool.runs.cursors import write_cursors

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
    from feedtool.cli.session import connect
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


GO_ON = tr("Run it again; nothing was written.")
GO_ON_WITH_FILES = tr("Run it again; the files that are there stay.")


class _Kinds(HelpfulGroup):
    """The kinds of exports; an unknown name is answered with the list of kinds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(load().exports)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        del ctx
        kind = load().exports.get(name)
        return kind and _command(kind)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in load().exports and not args[0].startswith("-"):
            name = Path(args[0])
            raise UsageProblem(
                tr("there is no kind of export “{kind}”", kind=args[0]),
                tr(
                    "`feedtool convert {name} {workbook}` makes a workbook of it",
                    name=name,
                    workbook=name.with_suffix(".xlsx").name,
                )
                if name.suffix
                else tr("kinds: {kinds}", kinds=", ".join(load().exports)),
            )
        return super().resolve_command(ctx, args)


class ExportOptions(Struct, frozen=True, kw_only=True):
    """The options of every export, beside its filters and its `--out`."""

    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    connection: ConnectionOptions
    form: Annotated[str, FORMAT]
    common: Common
    records: Records


@click.group(cls=_Kinds, no_args_is_help=False)
def export() -> None:
    """Export what the service has into a file, to edit and send back."""


def _command(kind: Export) -> click.Command:
    """The command of a kind, with its filters and the options of every export."""
    usual, other = kind.endings
    default = f"{kind.kind}{'[-DATE-BATCH]' if kind.increments else ''}{usual}"
    forms = f"{'An' if usual == '.xlsx' else 'A'} {usual}, or a {other}."
    out = f"{forms}  [default: {default} here]"
    if kind.documents:
        out = f"A folder for the files, and for {kind.kind}.csv.  [default: {kind.kind} here]"
    declared = [
        *map(_option, kind.filters),
        *(parameters(CursorOptions) if kind.increments else ()),
        path("--out", "PATH", out),
        *parameters(ExportOptions),
    ]
    command = click.command(kind.kind, HelpfulCommand, help=kind.help, params=declared)
    return command(partial(_export, kind))


def options_of(kind: Export, words: list[str]) -> tuple[dict[str, Any], CursorOptions]:
    """Read the words of an export: filter → value, and the options of cursors."""
    declared = [*map(_option, kind.filters), *parameters(CursorOptions)]
    command = click.Command(kind.kind, params=declared)
    params = command.make_context(f"feedtool export {kind.kind}", words).params
    return _filters(kind, params), read_record(CursorOptions, params)


def _option(entry: Filter) -> click.Option:
    if entry.is_flag:
        return flag(f"--{entry.name}", entry.help)
    default = {"default": entry.default, "show_default": entry.default is not None}
    callback = partial(_read_list, entry) if entry.is_list else None
    name = f"--{entry.name} {_parameter(entry)}"
    return text(name, entry.metavar, entry.help, callback=callback, **default)


def _read_list(
    entry: Filter, ctx: click.Context, parameter: click.Parameter, listed: str | None
) -> tuple[str, ...]:
    """Read the entries of a list, so that an error in it is reported at once."""
    from feedtool.runs.cursors import value_of

    del ctx, parameter
    entries: tuple[str, ...] = value_of(entry, listed)
    return entries


def _parameter(entry: Filter) -> str:
    # Click's name of a filter; `as` cannot be one.
    return "kind" if entry.name == "as" else entry.name.replace("-", "_")


def _filters(kind: Export, values: Mapping[str, Any]) -> dict[str, Any]:
    # Filter → value, of click's parameter → value.
    return {entry.name: values.get(_parameter(entry)) for entry in kind.filters}


def _export(kind: Export, /, **values: Any) -> int:
    """Export one kind into a file; exit code 1 if anything requested is missing from it."""
    from feedtool.cli.output import counting
    from feedtool.cli.session import chosen_account, connect
    from feedtool.report.file import write_exported
    from feedtool.runs.cursors import bring, index_in, needs_ledger, target_of

    ctx, options = click.get_current_context(), read_record(ExportOptions, values)
    form, records = options.form, options.records
    # Where there is no cursor, a filter may have the name of one of its options.
    cursor = read_record(CursorOptions, values) if kind.increments else CursorOptions()
    home, use = home_folder(options.common.home), cursor_use_of(cursor)
    if cursor.cursors:
        return list_cursors(kind, home, records, form)
    account = chosen_account(ctx)
    if use and cursor.rewind:
        return rewind_cursor(kind, home, records, account, use, cursor.rewind)
    target: Path = values["out"] or target_of(kind, use)
    if kind.documents and values["out"]:
        target = index_in(target, kind)
    refuse_ending(target, kind.endings)
    refuse_target(target, may_replace=options.common.yes or bool(use or kind.documents))
    query = query_in(ctx, kind, _filters(kind, {**values, "channel": account.channel}))
    go_on = GO_ON_WITH_FILES if kind.documents else GO_ON
    with (
        stopping(go_on) as stop,
        connect(home, account, stop, tr("there is no account to ask")) as session,
        counting(form) as on_count,
        open_workspace(home, records) if needs_ledger(kind, use) else nullcontext() as workspace,
    ):
        exported = bring(
            kind,
            replace(query, since=cursor.since),
            target,
            session,
            workspace,
            use=use,
            go_on=go_on,
            on_progress=lambda words, done: on_count(words, done, None),
            tell=echo,
        )
    for note, hint, is_loss in exported.notes:
        echo("warning" if is_loss else "note", note)
        if hint:
            echo("help", hint)
    write_exported(exported, sys.stdout, form, CONSOLE.say)
    if kind.is_sent_back and exported.rows:
        after_writing(exported.file, form, exported.kind)
    return Exit.ROWS if any(is_loss for *_, is_loss in exported.notes) else Exit.OK


def query_in(ctx: click.Context, kind: Export, filters: Mapping[str, Any]) -> Query:
    """The query of a kind with these filters and a command's settings, channel and language."""
    from feedtool.runs.cursors import query_of

    settings, language = chosen(ctx).profile.dialect, ctx.params["language"]
    channel = ctx.params.get("channel") or settings.primary_channel
    return query_of(kind, filters, channel, language, Context(settings, catalog_opener(ctx)))
