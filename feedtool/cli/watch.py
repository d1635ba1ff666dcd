"""`feedtool watch`."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli import options, options_account
from feedtool.cli.errors import CONSOLE, Stopping, bug_report, echo, stopping
from feedtool.cli.export import options_of, query_of
from feedtool.cli.files import read_options
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.rows import selection_of
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import joined, tr
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.cli.notifier import RunNotices
    from feedtool.ledger import Ledger
    from feedtool.watch.folder import Folder
    from feedtool.watch.session import OutboxExport, SellerAccount, SellerKey

HINT = tr("what was begun is noted; go on with: feedtool watch")

now = partial(datetime.now, UTC)

WORDS = "feedtool.words"
"""The key under which a context keeps the words of its command line."""


class _Watch(HelpfulCommand):
    """A command that remembers its words: each profile's account is reached as if they named it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)


def _exports(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> "tuple[OutboxExport, ...]":
    """The exports of these kinds, each with the options that follow its name."""
    del ctx, parameter
    return tuple(map(_export, texts))


def _export(text: str) -> "OutboxExport":
    from feedtool.watch.session import OutboxExport

    known = {name: kind for name, kind in load().exports.items() if kind.increments}
    name, *words = text.split() or [""]
    if name not in known:
        raise UsageProblem(
            tr("what is new cannot be told of “{kind}”", kind=name),
            tr("kinds: {kinds}", kinds=joined(known) or tr("none")),
        )
    given = options_of(known[name], words)
    for other in ("since", "peek", "cursors", "rewind"):
        if given[other]:
            raise UsageProblem(
                tr("--{option} cannot be had on a beat", option=other),
                tr("give filters, --changed and --cursor there: --export 'orders --changed'"),
            )
    return OutboxExport(known[name], given, given["cursor"], given["changed"])


def _seconds(ctx: click.Context, parameter: click.Parameter, text: str) -> float:
    """The seconds of a time like 10m."""
    del ctx, parameter
    match = re.fullmatch(r"([1-9][0-9]{0,5})([smh])", text.strip())
    if match is None:
        raise UsageProblem(
            tr("--every {time} is no time", time=text), tr("write it like 90s, 10m or 1h")
        )
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]


@click.command(cls=_Watch)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@options.flag("--once", "Send what is there, and end: for cron.")
@options.flag("--create", "Make FOLDER, its inbox and the others where there is none.")
@options.seconds("--settle", 2, "How long a file has to rest before it is taken.", 3600)
@options.seconds("--poll", 1, "How long between two looks into the inbox.", 3600)
@options.count(
    "--same-within",
    "Refuse a file whose content was sent within this many days; 0 refuses none.",
    "DAYS",
    min=0,
    max=36_500,
    default=7,
)
@options.text(
    "--export exports",
    "KIND",
    "Also bring what is new of this kind into FOLDER/outbox; may be given again, and have filters: "
    "'orders --to-do'.",
    multiple=True,
    callback=_exports,
)
@options.text(
    "--every",
    "TIME",
    "How often --export asks: 90s, 10m, 1h.",
    default="10m",
    show_default=True,
    callback=_seconds,
)
@options_account.sandbox
@options.flag("--health", "Only say how the watcher of FOLDER is: exit code 0 if all is well.")
@options.seconds("--health-within", 60, "With --health: how old its last turn may be.")
@options.configuration
@options_account.selection
@options_account.connection
@options.reading
@options_account.notifying
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
    from feedtool.cli.notifier import run_notices
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import check_health

    if given["health"]:
        code, text = check_health(folder, now(), timedelta(seconds=given["health_within"]))
        click.echo(clean(CONSOLE.say(text)))
        return code
    options.refuse_two_services(ctx)
    watched = Folder(folder)
    with (
        open_workspace(home_folder(given["home"]), given["ledger"]) as workspace,
        stopping(HINT) as stop,
        run_notices("watch", given) as notices,
    ):
        accounts = _Accounts(ctx.meta[WORDS], given["profile"], stop, notices)
        read_options(ctx, given)
        # Where there are profiles, each has its subfolder, and the inbox itself needs no account.
        if given["profile"] or not options.chosen(ctx).config.profiles:
            with accounts.open(None):
                pass  # what is wrong with it is said before anything is taken
        if given["create"] and watched.create():
            echo("made", str(watched.inbox))
        name = watched.prepare()
        if not given["once"]:
            echo("watching", str(watched.inbox))
        return _watch(ctx, watched, name, accounts, workspace.ledger)


def _watch(
    ctx: click.Context, watched: "Folder", name: str, accounts: "_Accounts", ledger: "Ledger"
) -> Exit:
    from feedtool.watch.messages import DONE, STOPPED, DeduplicatedLog, Health
    from feedtool.watch.session import Environment
    from feedtool.watch.watcher import Watcher

    given, stop = ctx.params, accounts.stop
    health = Health(watched.root, now, partial(echo, "warning"))
    environment = Environment(
        watched,
        name,
        ledger,
        accounts.open,
        accounts.seller_of,
        options.chosen(ctx).config.profiles,
        load().feeds,
        time.monotonic,
        now,
        stop.sleep,
        stop.reason,
        DeduplicatedLog(echo),
        lambda error: str(bug_report(error, ["watch"])),
        timedelta(days=given["same_within"]),
        accounts.notices.refused,
        health.turn,
        given["settle"],
        given["poll"],
        language=CONSOLE.language,
        is_once=given["once"],
        exports=given["exports"],
        every=given["every"],
        export_profiles=accounts.export_profiles,
    )
    code = None
    try:
        code = Watcher(environment).run()
    finally:
        is_through = given["once"] and code is not None and stop.reason() is None
        health.write(DONE if is_through else STOPPED)
    return code


@dataclass(frozen=True, slots=True)
class _Accounts:
    """The account of each profile, as if the command line, `words`, had named it.

    So options, environment and configuration come in the one order for every profile; and a token
    that was renewed, or a profile that was fixed, counts from the next file on.
    """

    words: tuple[str, ...]
    profile: str | None
    stop: Stopping
    notices: "RunNotices"

    @contextmanager
    def open(self, profile: str | None) -> "Iterator[SellerAccount]":
        """An account with its records."""
        from feedtool.cli.account import account_options, connect
        from feedtool.runs.notify import targets_of
        from feedtool.watch.session import SellerAccount

        profile = profile or self.profile
        with self._context(profile) as ctx:
            given = {**ctx.params, "profile": profile}
            account_options(ctx, given)
            home = home_folder(given["home"])
            reading = read_options(ctx, given)
            given["page"] = reading.dialect.report_page_size
            notices = replace(self.notices, profile=profile, targets=targets_of(given))
            with (
                connect(home, given, self.stop, needs_channel=True) as session,
                open_workspace(home, given["ledger"]) as workspace,
            ):
                yield SellerAccount(
                    session,
                    workspace,
                    lambda kind: replace(reading, kind=kind) if kind else reading,
                    partial(notices.run, seller=session.seller),
                    partial(notices.refused, seller=session.seller),
                    selection_of(given),
                    options.language_of(ctx),
                    lambda wanted: replace(
                        query_of(ctx, wanted.kind, {**given, **wanted.options}),
                        seller=session.seller,
                    ),
                )

    @property
    def export_profiles(self) -> "Sequence[str | None]":
        """Whose exports go into the outbox: the account's, else those of all profiles."""
        profiles = options.chosen(click.get_current_context()).config.profiles
        return (None,) if self.profile or not profiles else tuple(profiles)

    def seller_of(self, profile: str | None) -> "SellerKey":
        """The seller whose files the account sends."""
        from feedtool.watch.session import seller_key

        profile = profile or self.profile
        with self._context(profile) as ctx:
            if ctx.params["sandbox"]:
                seller = options.on_command_line(ctx, "seller")["seller"]
                return seller_key(options.SANDBOX, seller or options.SANDBOX_SELLER)
            # Those of which nothing can be sent share nothing.
            return seller_key(ctx.params["base_url"] or "", ctx.params["seller"] or profile or "")

    def _context(self, profile: str | None) -> click.Context:
        words = list(self.words)
        if profile:  # the last one named counts
            end = words.index("--") if "--" in words else len(words)
            words[end:end] = ["--profile", profile]
        return watch.make_context("watch", words)
