"""`feedtool export`: what the service has, as files to look at, to edit and to send back."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli import options
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder
from feedtool.feeds.export import CHANNEL, Export, Filter, Query
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.settings import Context

if TYPE_CHECKING:
    from feedtool.runs.session import Session
    from feedtool.runs.workspace import Workspace
    from feedtool.service.fetch import FetchContext

GO_ON = "Run it again; nothing was written."

ENDINGS = (".xlsx", ".csv")

_sandbox = options.option("--sandbox", is_flag=True, help="Ask the embedded sandbox.")

_form = options.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How the result is told on stdout.",
)


class _Kinds(click.Group):
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
                f"there is no kind of export “{args[0]}”",
                f"`feedtool convert {name} {name.with_suffix('.xlsx').name}` makes a workbook of it"
                if name.suffix
                else f"kinds: {', '.join(load().exports)}",
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Kinds, no_args_is_help=False)
def export() -> None:
    """Bring what the service has into a file, to edit and send back."""


def _command(kind: Export) -> click.Command:
    """The command of a kind: its filters, and what every export takes."""
    out = options.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help=f"An .xlsx, or a .csv; default {kind.kind}.xlsx here.",
    )
    every = [out, _sandbox, options.configuration, options.connection, _form, options.common]
    if kind.memory:
        every.append(options.ledger)
    command: Any = click.pass_context(partial(_export, kind))
    for decorate in reversed([*map(_option, kind.filters), *every]):
        command = decorate(command)
    return click.command(kind.kind, help=kind.help)(command)


def _option(one: Filter) -> Callable[[options.F], options.F]:
    return options.option(
        f"--{one.name}",
        _parameter(one),
        metavar=one.metavar,
        help=one.help,
        default=one.default,
        show_default=one.default is not None,
        callback=_parts if one.is_list else None,
    )


def _parameter(one: Filter) -> str:
    """Click's name of a filter, which `as` cannot be."""
    return "kind" if one.name == "as" else one.name.replace("-", "_")


def _parts(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """A comma list, each of it once."""
    del ctx
    parts = tuple(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
    if text is not None and not parts:
        raise UsageProblem(f"{parameter.opts[0]} names nothing", "leave it out, or give a list")
    return parts


def _export(kind: Export, ctx: click.Context, /, out: Path | None, form: str, **given: Any) -> int:
    """Bring one kind into a file; 1 where something that was asked for is not in it."""
    from feedtool.report.export import write_exported
    from feedtool.runs.export import export as bring
    from feedtool.runs.export import remembered

    options.refuse_two_services(ctx, given)
    query = _query(ctx, kind, given)
    target = _target(out or Path(f"{kind.kind}.xlsx"), may_replace=given["yes"])
    query = replace(query, is_csv=target.suffix.lower() == ".csv")
    with _reaching(ctx, given, form, kind.closed) as (service, around, on_progress):
        query = replace(query, seller=service.seller)
        kind.check(query)
        with (
            _books(kind, given) as books,
            remembered(kind, query, service, books, echo) as observed,
        ):
            exported = bring(
                kind,
                query,
                target,
                service.client,
                around,
                service=service.address,
                on_progress=on_progress,
                observed=observed,
            )
    for text, hint, is_loss in exported.notes:
        echo("warning" if is_loss else "note", text)
        if hint:
            echo("help", hint)
    write_exported(exported, sys.stdout, form)
    return Exit.ROWS if any(is_loss for _, _, is_loss in exported.notes) else Exit.OK


# What was asked for.


def _query(ctx: click.Context, kind: Export, given: dict[str, Any]) -> Query:
    from feedtool.cli.catalog_cache import catalogue

    dialect = options.chosen(ctx).profile.dialect
    channel = given.get(CHANNEL)
    if given["sandbox"]:  # an account's setting is not meant for it
        channel = options.on_command_line(ctx, CHANNEL)[CHANNEL]
    values = {}
    for one in kind.filters:
        value = given[_parameter(one)]
        values[one.name] = value if one.is_list or value is None else one.read(value)
    channel = channel or dialect.primary_channel
    return Query("", channel, given["language"], Context(dialect, catalogue(ctx)), values=values)


def _target(target: Path, *, may_replace: bool) -> Path:
    """Where the file goes, once it is known that it can go there."""
    from feedtool.sheets.atomic_write import cannot_write

    if target.suffix.lower() not in ENDINGS:
        raise UsageProblem(
            f"{target} would be neither a workbook nor a CSV",
            f"let the name end with {' or '.join(ENDINGS)}",
        )
    if target.exists():
        if not target.is_file():
            raise UsageProblem(f"{target} is no file", "choose another place with --out")
        if not may_replace:
            raise UsageProblem(
                f"{target} is there already",
                "choose another name with --out, or replace it with --yes",
            )
    if not target.parent.is_dir():
        raise cannot_write(target, FileNotFoundError())
    if not os.access(target.parent, os.W_OK):
        raise cannot_write(target, PermissionError("the folder is read-only"))
    return target


# The service.


@contextmanager
def _books(kind: Export, given: dict[str, Any]) -> "Iterator[Workspace | None]":
    """Where runs are recorded, for what is to be remembered."""
    from feedtool.cli.home import books

    with books(home_folder(given["home"]), given["ledger"]) if kind.memory else nullcontext() as it:
        yield it


@contextmanager
def _reaching(
    ctx: click.Context,
    given: dict[str, Any],
    form: str,
    closed: tuple[str, str] | None = None,
) -> "Iterator[tuple[Session, FetchContext, Callable[[str, int], None]]]":
    """A way to the service that stops gently, and how far it is told meanwhile."""
    from feedtool.cli.connect import to_account, to_sandbox
    from feedtool.cli.signals import stopping
    from feedtool.service.fetch import FetchContext

    options.refuse_two_services(ctx, given)
    is_sandbox = given["sandbox"]
    if is_sandbox:  # it needs nothing else, and an account's settings are not meant for it
        given |= options.on_command_line(ctx, "seller", "token")
    given |= token_options(ctx)
    channel = ctx.params.get("channel") or options.chosen(ctx).profile.dialect.primary_channel
    account = {**given, "channel": channel}
    home = home_folder(given["home"]) if is_sandbox else None
    way = to_sandbox(home, given) if is_sandbox else to_account(account, "ask")
    with way as service, stopping(GO_ON) as stop, _progress(form) as on_progress:
        # Where time is virtual there is nothing to wake from.
        sleep = service.sleep if is_sandbox else stop.sleep
        around = FetchContext(
            service.now,
            sleep,
            pool=service.pool,
            stopping=stop.reason,
            go_on=GO_ON,
            closed=closed,
            on_unreachable=partial(echo, "warning"),
            ahead=service.ahead,
        )
        yield service, around, on_progress


@contextmanager
def _progress(form: str) -> "Iterator[Callable[[str, int], None]]":
    from feedtool.cli.progress import COUNTED, on_stderr
    from feedtool.delivery.events import Event
    from feedtool.report import progress_events

    if form == "jsonl":
        told = progress_events(sys.stdout)
        yield lambda text, done: told(text, done, None, "")
        return
    lines = on_stderr(time.monotonic)
    try:
        yield lambda text, done: lines.tell(Event(COUNTED[0], text, "", 0, None, None, done, 0))
    finally:
        lines.close()
