"""`feedtool watch`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from feedtool.areas.registry import load
from feedtool.cli import options
from feedtool.cli.connect import SANDBOX_SELLER, connection_of
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import bug_report, echo
from feedtool.cli.home import books, home_folder
from feedtool.cli.notifier import RunNotices, run_notices, targets_named
from feedtool.cli.reading import how_to_read, selection_of
from feedtool.cli.signals import Stopping, stopping
from feedtool.ledger import Ledger
from feedtool.model.errors import Exit
from feedtool.report.plain import clean
from feedtool.watch.folder import Folder
from feedtool.watch.health import DONE, STOPPED, Health, check_health
from feedtool.watch.messages import DeduplicatedLog
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import Environment, SellerSession, Settings, Whose
from feedtool.watch.session import whose as whose_files
from feedtool.watch.watcher import Watcher

HINT = "what was begun is noted; go on with: feedtool watch"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@options.flag("--once", "Do what is there, and end: for cron.")
@options.flag("--create", "Make FOLDER, its inbox and the others where there is none.")
@options.seconds("--settle", 2, "How long a file has to rest before it is taken.", 3600)
@options.seconds("--poll", 1, "How long between two looks into the inbox.", 3600)
@options.count(
    "--same-within",
    "Refuse a file whose content was sent within as many days; 0 refuses none.",
    "DAYS",
    min=0,
    max=36_500,
    default=7,
)
@options.sandbox
@options.flag("--health", "Only say how the watcher of FOLDER is: exit code 0 if all is well.")
@options.seconds("--health-within", 60, "With --health: how old its last turn may be.")
@options.configuration
@options.selection
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
    if given["health"]:
        code, text = check_health(folder, _now(), timedelta(seconds=given["health_within"]))
        click.echo(clean(text))
        return code
    options.refuse_two_services(ctx, given)
    home = home_folder(given["home"])
    watched = Folder(folder)
    with (
        books(home, given["ledger"]) as opened,
        stopping(HINT) as stop,
        run_notices("watch", given) as notices,
    ):
        accounts = _Accounts(_typed(ctx), given["profile"], stop, notices)
        how_to_read(ctx, given)
        # Where there are profiles, each has its subfolder, and the inbox itself needs no account.
        if given["profile"] or not options.chosen(ctx).config.profiles:
            with accounts.session(None):
                pass  # what is wrong with it is said before anything is taken
        if given["create"] and watched.create():
            echo("made", str(watched.inbox))
        name = watched.prepare()
        if not given["once"]:
            echo("watching", str(watched.inbox))
        return _watch(ctx, watched, name, accounts, opened.ledger)


def _watch(
    ctx: click.Context, watched: Folder, name: str, accounts: "_Accounts", ledger: Ledger
) -> Exit:
    given, stop = ctx.params, accounts.stop
    health = Health(watched.root, _now, partial(echo, "warning"))
    processor = FileProcessor(
        watched,
        name,
        timedelta(days=given["same_within"]),
        _now,
        DeduplicatedLog(echo),
        lambda error: str(bug_report(error, ["watch"])),
        accounts.notices.refused,
    )
    environment = Environment(
        ledger,
        accounts.session,
        accounts.whose,
        options.chosen(ctx).config.profiles,
        load().feeds,
        time.monotonic,
        _now,
        stop.sleep,
        stop.reason,
        health.turn,
    )
    settings = Settings(given["settle"], given["poll"], is_once=given["once"])
    code = None
    try:
        code = Watcher(processor, environment, settings).run()
    finally:
        is_through = given["once"] and code is not None and stop.reason() is None
        health.end(DONE if is_through else STOPPED)
    return code


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The account of each profile, as if the command had been given this profile.

    So that options, environment and configuration come in the one order for every profile; and a
    token that was renewed, or a profile that was mended, counts from the next file on.
    """

    words: list[str]
    """The command line, without a profile."""
    profile: str | None
    """The command line's."""
    stop: Stopping
    notices: RunNotices

    @contextmanager
    def session(self, profile: str | None) -> Iterator[SellerSession]:
        """An account with its books."""
        profile = profile or self.profile
        with self._context(profile) as ctx:
            given = {**ctx.params, "profile": profile}
            if given["sandbox"]:
                given |= options.on_command_line(ctx, "seller", "channel", "token")
            given |= token_options(ctx)
            home = home_folder(given["home"])
            asked = how_to_read(ctx, given)
            given["page"] = asked.dialect.report_page_size
            notices = replace(self.notices, profile=profile, targets=targets_named(given))
            with (
                connection_of(home, given, self.stop) as service,
                books(home, given["ledger"]) as opened,
            ):
                yield SellerSession(
                    service,
                    opened,
                    lambda kind: replace(asked, kind=kind) if kind else asked,
                    partial(notices.run, seller=service.seller),
                    partial(notices.refused, seller=service.seller),
                    selection_of(given),
                )

    def whose(self, profile: str | None) -> Whose:
        """Whose files the account sends."""
        profile = profile or self.profile
        with self._context(profile) as ctx:
            if ctx.params["sandbox"]:
                seller = options.on_command_line(ctx, "seller")["seller"] or SANDBOX_SELLER
                return whose_files(options.SANDBOX, seller)
            # Those of which nothing can be sent share nothing.
            return whose_files(ctx.params["base_url"] or "", ctx.params["seller"] or profile or "")

    def _context(self, profile: str | None) -> click.Context:
        words = [*self.words, *(("--profile", profile) if profile else ())]
        return watch.make_context("watch", words)


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
