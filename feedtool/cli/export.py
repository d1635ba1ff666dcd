"""`feedtool export`: what the service has, as files to look at, to edit and to send back."""

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.cli import options, options_account
from feedtool.cli.cursors import OPTIONS, go_back, list_cursors, use_of
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.help import HelpfulCommand, HelpfulGroup
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_writing
from feedtool.cli.typed import read_record
from feedtool.feeds.export import Export, Filter, Query
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.runs.cursors import CursorUse

GO_ON = tr("Run it again; nothing was written.")
GO_ON_WITH_FILES = tr("Run it again; the files that are there stay.")


class _Kinds(HelpfulGroup):
    """Names the kinds where there is none of a name."""

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


@click.group(cls=_Kinds, no_args_is_help=False)
def export() -> None:
    """Export what the service has into a file, to edit and send back."""


def _command(kind: Export) -> click.Command:
    """The command of a kind: its filters, and what every export takes."""
    usual, other = kind.endings
    default = f"{kind.kind}{'[-DATE-BATCH]' if kind.increments else ''}{usual}"
    forms = f"{'An' if usual == '.xlsx' else 'A'} {usual}, or a {other}."
    out = f"{forms}  [default: {default} here]"
    if kind.documents:
        out = f"A folder for the files, and for {kind.kind}.csv.  [default: {kind.kind} here]"
    decorate = options.group(
        *map(_option, kind.filters),
        *([OPTIONS] if kind.increments else ()),
        options.path("--out", "PATH", out),
        options_account.sandbox,
        options.configuration,
        options_account.connection,
        options.format_,
        options.common,
        options.ledger,
        click.pass_context,
    )
    command: Any = partial(_export, kind)
    return click.command(kind.kind, cls=HelpfulCommand, help=kind.help)(decorate(command))


def options_of(kind: Export, words: list[str]) -> dict[str, Any]:
    """The values of a kind's filters, and of what is new of it, that some words give."""
    decorate = options.group(*map(_option, kind.filters), OPTIONS)
    command = click.command(kind.kind)(decorate(lambda **_: None))
    return command.make_context(f"feedtool export {kind.kind}", words).params


def _option(entry: Filter) -> Callable[[options.F], options.F]:
    if entry.is_flag:
        return options.flag(f"--{entry.name}", entry.help)
    default = {"default": entry.default, "show_default": entry.default is not None}
    callback = partial(_read_list, entry) if entry.is_list else None
    name = f"--{entry.name} {_parameter(entry)}"
    return options.text(name, entry.metavar, entry.help, callback=callback, **default)


def _read_list(
    entry: Filter, ctx: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[str, ...]:
    """The entries of a list, so that what is wrong with it is said at once."""
    from feedtool.runs.export_request import value_of

    del ctx, parameter
    entries: tuple[str, ...] = value_of(entry, text)
    return entries


def _parameter(entry: Filter) -> str:
    """Click's name of a filter, which `as` cannot be."""
    return "kind" if entry.name == "as" else entry.name.replace("-", "_")


def filters_of(kind: Export, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a kind's filters by their names, of those by the names of parameters."""
    return {entry.name: given.get(_parameter(entry)) for entry in kind.filters}


def _export(kind: Export, ctx: click.Context, /, out: Path | None, form: str, **given: Any) -> int:
    """Bring one kind into a file; 1 where something that was asked for is not in it."""
    from feedtool.cli.account import account_options, connect
    from feedtool.cli.files import refuse_ending, refuse_target
    from feedtool.cli.output import counting
    from feedtool.report.output_files import write_exported
    from feedtool.runs.export_request import bring, needs_ledger

    home, use = home_folder(given["home"]), use_of(given)
    if given.get("cursors"):
        return list_cursors(kind, home, given, form)
    if use and given["rewind"]:
        return go_back(kind, home, given, use)
    account_options(ctx, given)
    target = _target(kind, out, use)
    refuse_ending(target, kind.endings)
    refuse_target(target, may_replace=given["yes"] or bool(use or kind.documents))
    query = query_in(ctx, kind, filters_of(kind, given))
    go_on = GO_ON_WITH_FILES if kind.documents else GO_ON
    with (
        stopping(go_on) as stop,
        connect(home, given, stop, tr("there is no account to ask")) as session,
        counting(form) as on_count,
        open_workspace(home, read_record(options.Records, given))
        if needs_ledger(kind, use)
        else nullcontext() as it,
    ):
        exported = bring(
            kind,
            replace(query, since=given.get("since")),
            target,
            session,
            it,
            use=use,
            go_on=go_on,
            on_progress=lambda text, done: on_count(text, done, None),
            tell=echo,
        )
    for text, hint, is_loss in exported.notes:
        echo("warning" if is_loss else "note", text)
        if hint:
            echo("help", hint)
    write_exported(exported, sys.stdout, form, CONSOLE.say)
    if kind.is_sent_back and exported.rows:
        after_writing(exported.file, form, exported.kind)
    return Exit.ROWS if any(is_loss for *_, is_loss in exported.notes) else Exit.OK


def _target(kind: Export, out: Path | None, use: "CursorUse | None") -> Path:
    from feedtool.runs.export_request import index_in, target_of

    if out is None:
        return target_of(kind, use)
    return index_in(out, kind) if kind.documents else out


def query_in(ctx: click.Context, kind: Export, filters: Mapping[str, Any]) -> Query:
    """The rows that are asked for in the circumstances of a command."""
    from feedtool.cli.home import catalogue
    from feedtool.runs.export_request import query_of

    settings, language = options.chosen(ctx).profile.dialect, ctx.params["language"]
    channel = ctx.params.get("channel") or settings.primary_channel
    return query_of(kind, filters, channel, language, Context(settings, catalogue(ctx)))
