"""`feedtool export`: what the service has, as files to look at, to edit and to send back."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli import options, options_account
from feedtool.cli.cursors import OPTIONS, default_target, go_back, list_cursors, use_of
from feedtool.cli.errors import CONSOLE, echo, stopping
from feedtool.cli.help import HelpfulCommand, HelpfulGroup
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_writing
from feedtool.feeds.export import CHANNEL, Export, Filter, Query
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.report.output_files import Exported
    from feedtool.runs.cursors import CursorUse
    from feedtool.runs.export import Progress
    from feedtool.runs.workspace import Session, Workspace
    from feedtool.service.fetch import FetchContext

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
        *([options.ledger] if kind.memory or kind.asks_ledger or kind.increments else ()),
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
    callback = _parts if entry.is_list else None
    name = f"--{entry.name} {_parameter(entry)}"
    return options.text(name, entry.metavar, entry.help, callback=callback, **default)


def _parameter(entry: Filter) -> str:
    """Click's name of a filter, which `as` cannot be."""
    return "kind" if entry.name == "as" else entry.name.replace("-", "_")


def _parts(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The entries of a comma list, each once."""
    del ctx
    parts = tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
    if text is not None and not parts:
        raise UsageProblem(
            tr("{option} names nothing", option=parameter.opts[0]),
            tr("leave it out, or give a list"),
        )
    return parts


def _export(kind: Export, ctx: click.Context, /, out: Path | None, form: str, **given: Any) -> int:
    """Bring one kind into a file; 1 where something that was asked for is not in it."""
    from feedtool.cli.account import account_options, connect
    from feedtool.cli.files import refuse_ending, refuse_target
    from feedtool.cli.output import counting
    from feedtool.report.output_files import write_exported
    from feedtool.runs.workspace import fetch_context_of

    home, use = home_folder(given["home"]), use_of(given)
    if given.get("cursors"):
        return list_cursors(kind, home, given, form)
    if use and given["rewind"]:
        return go_back(kind, home, given, use)
    account_options(ctx, given)
    go_on = GO_ON_WITH_FILES if kind.documents else GO_ON
    target = _index_in(kind, out) if kind.documents else out or default_target(kind, use)
    refuse_ending(target, kind.endings)
    refuse_target(target, may_replace=given["yes"] or bool(use or kind.documents))
    query = query_of(ctx, kind, given, is_csv=target.suffix.lower() == ".csv")
    with (
        stopping(go_on) as stop,
        connect(home, given, stop, tr("there is no account to ask")) as session,
        counting(form) as on_count,
    ):
        query = replace(query, seller=session.seller)
        how = {"closed": kind.closed, "on_unreachable": partial(echo, "warning")}
        needs_ledger = kind.memory or kind.asks_ledger or use
        memory = open_workspace(home, given["ledger"]) if needs_ledger else nullcontext()
        with memory as workspace:
            exported = _brought(
                kind,
                query,
                use,
                target,
                session,
                workspace,
                fetch_context_of(session, go_on=go_on, **how),
                lambda text, done: on_count(text, done, None),
            )
    for text, hint, is_loss in exported.notes:
        echo("warning" if is_loss else "note", text)
        if hint:
            echo("help", hint)
    write_exported(exported, sys.stdout, form, CONSOLE.say)
    if kind.is_sent_back and exported.rows:
        after_writing(exported.file, form, exported.kind)
    return Exit.ROWS if any(is_loss for *_, is_loss in exported.notes) else Exit.OK


def _index_in(kind: Export, out: Path | None) -> Path:
    """The list of the files, in their folder, which is made."""
    from feedtool.sheets.atomic_write import cannot_write

    folder = out or Path(kind.kind)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return folder / f"{kind.kind}.csv"


def _brought(
    kind: Export,
    query: Query,
    use: "CursorUse | None",
    target: Path,
    session: "Session",
    workspace: "Workspace | None",
    context: "FetchContext",
    on_progress: "Progress",
) -> "Exported":
    """The file of all that there is, or of what is new to a cursor."""
    from feedtool.runs.cursors import export_new
    from feedtool.runs.export import export as fetch
    from feedtool.runs.export import informed, remembered

    query = informed(query, session, workspace)
    if use and workspace:
        whole = (kind, query, use, target, session, workspace, context)
        return export_new(*whole, on_progress=on_progress, tell=echo)
    with remembered(kind, query, session, workspace, echo) as observed:
        return fetch(
            kind,
            query,
            target,
            session.client,
            context,
            service=session.address,
            on_progress=on_progress,
            observed=observed,
        )


def query_of(
    ctx: click.Context, kind: Export, given: dict[str, Any], *, is_csv: bool = False
) -> Query:
    """The rows that are asked for; those of a seller who is known later."""
    from feedtool.cli.home import catalogue

    settings = options.chosen(ctx).profile.dialect
    values = {}
    for entry in kind.filters:
        value: Any = given.get(_parameter(entry), () if entry.is_list else entry.default)
        is_read = isinstance(value, str)
        values[entry.name] = entry.read(value) if is_read else value
    channel = given.get(CHANNEL) or settings.primary_channel
    context = Context(settings, catalogue(ctx))
    since = given.get("since") if kind.increments else None
    return Query("", channel, given["language"], context, is_csv, values, since)
