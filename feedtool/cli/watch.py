"""`feedtool watch`."""

import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import bug_report, say
from feedtool.cli.home import home_folder
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from feedtool.cli.notifier import Office
    from feedtool.cli.signals import Stopping
    from feedtool.watch.desk import Desk, Whose
    from feedtool.watch.folder import Folder

HINT = "what was begun is noted; go on with: feedtool watch"


def _seconds(name: str, default: float, told: str) -> "Callable[[options.F], options.F]":
    return options.option(
        name,
        type=click.FloatRange(min=0, min_open=True, max=3600),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=told,
    )


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@options.option("--once", is_flag=True, help="Do what is there, and end: for cron.")
@options.option(
    "--create", is_flag=True, help="Make FOLDER, its inbox and the others where there is none."
)
@_seconds("--settle", 2, "How long a file has to rest before it is taken.")
@_seconds("--poll", 1, "How long between two looks into the inbox.")
@options.option(
    "--same-within",
    type=click.IntRange(min=0, max=36_500),
    default=7,
    show_default=True,
    metavar="DAYS",
    help="Refuse a file whose content was sent within as many days; 0 refuses none.",
)
@options.option("--sandbox", is_flag=True, help="Send to the embedded sandbox.")
@options.option(
    "--health",
    is_flag=True,
    help="Only say how the watcher of FOLDER is: exit code 0 if all is well.",
)
@options.option(
    "--health-within",
    type=click.FloatRange(min=0, min_open=True),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="With --health: how old its last turn may be.",
)
@options.configuration
@options.sifting
@options.connection
@options.reading
@options.notifying
@options.common
@options.ledger
@click.pass_context
def watch(ctx: click.Context, /, folder: Path, **given: Any) -> int:
    """Send each file that is dropped into FOLDER/inbox, and answer it in FOLDER/results.

    The file itself goes to done/DATE, or to error with its reason beside it. A subfolder of the
    inbox may name a profile, a kind, or both: inbox/PROFILE/KIND. Of a seller's files the oldest
    goes first, one at a time; several sellers go side by side.

    A file is taken when it has rested for a while, or when NAME.EXT.done is beside it.
    """
    from feedtool.areas.registry import load
    from feedtool.cli.notifier import office
    from feedtool.cli.signals import stopping
    from feedtool.cli.workspace import books
    from feedtool.watch.carry import Carrier
    from feedtool.watch.folder import Folder
    from feedtool.watch.health import DONE, STOPPED, Health
    from feedtool.watch.news import News
    from feedtool.watch.waking import hints
    from feedtool.watch.watcher import Around, Settings, Watcher

    if given["health"]:
        return _say_health(folder, timedelta(seconds=given["health_within"]))
    if given["sandbox"] and options.on_command_line(ctx, "base_url")["base_url"]:
        raise UsageProblem("--sandbox and --base-url contradict each other", "choose one of them")
    home = home_folder(given["home"])
    watched = Folder(folder)
    words = _typed(ctx)
    with ExitStack() as stack:
        opened = stack.enter_context(books(home, given["ledger"]))
        stop = stack.enter_context(stopping(HINT))
        told = stack.enter_context(office("watch", given))
        _see_to_the_account(ctx, words, stop, told)
        name = _prepared(watched, creates=given["create"])
        sleep: Callable[[float], None] = stop.sleep
        if not given["once"]:
            sleep = stack.enter_context(hints(watched.inbox, stop.sleep, stop.reason))
            say("watching", str(watched.inbox))

        health = Health(watched.root, _now, given["poll"], say)
        carrier = Carrier(
            watched,
            name,
            timedelta(days=given["same_within"]),
            _now,
            News(health.tell),
            lambda error: str(bug_report(error, ["watch"])),
            told.refused,
        )
        around = Around(
            opened.ledger,
            lambda profile: _desk(words, profile or given["profile"], stop, told),
            lambda profile: _whose(words, profile or given["profile"]),
            options.chosen(ctx).config.profiles,
            load().feeds,
            time.monotonic,
            _now,
            sleep,
            stop.reason,
            health.turn,
        )
        settings = Settings(given["settle"], given["poll"], is_once=given["once"])
        code = None
        try:
            code = Watcher(carrier, around, settings).run()
        finally:
            is_through = given["once"] and code is not None and stop.reason() is None
            health.end(DONE if is_through else STOPPED)
        return code


def _say_health(folder: Path, within: timedelta) -> int:
    from feedtool.report.plain import clean
    from feedtool.watch.health import asked

    verdict = asked(folder, _now(), within)
    click.echo(clean(verdict.text))
    return verdict.code


def _prepared(watched: "Folder", *, creates: bool) -> str:
    """The folder's name in the ledger, once it is there."""
    if creates and watched.create():
        say("made", str(watched.inbox))
    return watched.prepare()


def _see_to_the_account(
    ctx: click.Context, words: list[str], stop: "Stopping", told: "Office"
) -> None:
    """What is wrong with it is told before anything is taken.

    Where there are profiles, each has its subfolder, and the inbox itself needs none.
    """
    given = ctx.params
    options.how_to_read(ctx, kind=given["kind"], sheet=given["sheet"], channel=given["channel"])
    if given["profile"] or not options.chosen(ctx).config.profiles:
        with _desk(words, given["profile"], stop, told):
            pass


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def _desk(
    words: list[str], profile: str | None, stop: "Stopping", told: "Office"
) -> "Iterator[Desk]":
    """An account with its books, as if this command had been given its profile.

    So that options, environment and configuration come in the one order for every profile; and a
    token that was renewed, or a profile that was mended, counts from the next file on.
    """
    from feedtool.cli.connect import to_account, to_sandbox
    from feedtool.cli.notifier import told_by
    from feedtool.cli.workspace import books
    from feedtool.watch.desk import Desk

    with _of_profile(words, profile) as ctx:
        given = dict(ctx.params)
        is_sandbox = bool(given["sandbox"])
        if is_sandbox:
            given |= options.on_command_line(ctx, "seller", "channel", "token")
        given |= token_options(ctx)
        home = home_folder(given["home"])

        asked = options.how_to_read(
            ctx, kind=given["kind"], sheet=given["sheet"], channel=given["channel"]
        )
        given["page"] = asked.dialect.report_page_size
        told = replace(told, profile=profile, targets=told_by(given))
        way = to_sandbox(home, given) if is_sandbox else to_account(given)
        with way as service, books(home, given["ledger"]) as opened:
            yield Desk(
                replace(
                    service,
                    # Where time is virtual there is nothing to wake from.
                    sleep=service.sleep if is_sandbox else stop.sleep,
                    stopping=stop.reason,
                    profile=profile,
                    is_sandbox=is_sandbox,
                ),
                opened,
                lambda kind: replace(asked, kind=kind) if kind else asked,
                partial(told.run, seller=service.seller),
                partial(told.refused, seller=service.seller),
                options.sifting_of(given),
            )


def _whose(words: list[str], profile: str | None) -> "Whose":
    from feedtool.cli.connect import SANDBOX_SELLER
    from feedtool.watch.desk import whose

    with _of_profile(words, profile) as ctx:
        if ctx.params["sandbox"]:
            seller = options.on_command_line(ctx, "seller")["seller"] or SANDBOX_SELLER
            return whose(options.SANDBOX, seller)
        # Those of which nothing can be sent share nothing.
        return whose(ctx.params["base_url"] or "", ctx.params["seller"] or profile or "")


def _of_profile(words: list[str], profile: str | None) -> click.Context:
    """This command's context, had it been given a profile's name."""
    return watch.make_context("watch", [*words, *(("--profile", profile) if profile else ())])


def _typed(ctx: click.Context) -> list[str]:
    """The words of the command line that made this context, without the profile's name."""
    words = [str(ctx.params["folder"])]
    if path := options.chosen(ctx).config.path:
        words += ["--config", str(path)]
    for parameter in ctx.command.params:
        name = parameter.name or ""
        is_typed = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not (isinstance(parameter, click.Option) and is_typed) or name in {"profile", "config"}:
            continue
        value = ctx.params.get(name)
        if parameter.is_flag:
            words += parameter.opts[:1] if value else parameter.secondary_opts[:1]
        else:
            words += [parameter.opts[0], str(value)]
    return words
