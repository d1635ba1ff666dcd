"""`feedtool watch`."""

from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli import options
from feedtool.cli.accounts import ServedAccounts, ServingCommand, serving
from feedtool.cli.durations import duration
from feedtool.cli.errors import CONSOLE, bug_report, echo, stopping
from feedtool.cli.export import filters_of, options_of
from feedtool.cli.files import read_options
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.parcels import SAME_WITHIN
from feedtool.cli.typed import read_record
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import joined, tr
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.ledger import Ledger
    from feedtool.watch.folder import Folder
    from feedtool.watch.session import OutboxExport

HINT = tr("what was begun is noted; go on with: feedtool watch")
ENQUEUE_HINT = tr("workers send what was brought; go on with: feedtool watch --enqueue")


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
    filters = filters_of(known[name], given)
    return OutboxExport(known[name], filters, given["cursor"], given["changed"])


@click.command(cls=ServingCommand)
@click.argument("place", type=click.Path(file_okay=False), metavar="FOLDER")
@options.flag("--once", "Send what is there, and end: for cron.")
@options.flag("--create", "Make FOLDER, its inbox and the others where there is none.")
@options.seconds("--settle", 2, "How long a file has to rest before it is taken.", 3600)
@options.seconds("--poll", 1, "How long between two looks into the inbox.", 3600)
@SAME_WITHIN
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
    callback=duration,
)
@options.flag(
    "--enqueue",
    "Send nothing: bring each file for the workers of a shared ledger. FOLDER may then be "
    "s3://BUCKET/PREFIX or sftp://USER@HOST/FOLDER, too.",
)
@options.flag("--health", "Only say how the watcher of FOLDER is: exit code 0 if all is well.")
@options.seconds("--health-within", 60, "With --health: how old its last turn may be.")
@serving
@click.pass_context
def watch(ctx: click.Context, /, place: str, **given: Any) -> int:
    """Send each file that is dropped into FOLDER/inbox, and answer it in FOLDER/results.

    The file itself goes to done/DATE, or to error with its reason beside it. A subfolder of the
    inbox may name a profile, a kind, or both: inbox/PROFILE/KIND. Of a seller's files the oldest
    goes first, one at a time; several sellers go side by side.

    A file is taken when it has rested for a while, or when NAME.EXT.done is beside it.
    """
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.watch_place import bring_from, health_folder
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import check_health

    folder = health_folder(place, given["home"])
    if given["health"]:
        code, text = check_health(
            folder, CONSOLE.clock.now(), timedelta(seconds=given["health_within"])
        )
        click.echo(clean(CONSOLE.say(text)))
        return code
    options.refuse_two_services(ctx)
    if given["enqueue"]:
        with stopping(ENQUEUE_HINT) as stop, run_notices("watch", given) as notices:
            return bring_from(place, folder, ServedAccounts(ctx, stop, notices))
    if "://" in place:
        raise UsageProblem(
            tr("{place} is no folder of this machine", place=place),
            tr("watch it with --enqueue: workers then send what arrives there"),
        )
    watched = Folder(folder)
    with (
        open_workspace(
            home_folder(given["home"]), read_record(options.Records, given)
        ) as workspace,
        stopping(HINT) as stop,
        run_notices("watch", given) as notices,
    ):
        accounts = ServedAccounts(ctx, stop, notices, needs_channel=True)
        read_options(ctx, read_record(options.ReadingOptions, given))
        # Where there are profiles, each has its subfolder, and the inbox itself needs no account.
        if not _serves_profiles(ctx):
            with accounts.open(None):
                pass  # what is wrong with it is said before anything is taken
        if given["create"] and watched.create():
            echo("made", str(watched.inbox))
        name = watched.prepare()
        if not given["once"]:
            echo("watching", str(watched.inbox))
        return _watch(ctx, watched, name, accounts, workspace.ledger)


def _watch(
    ctx: click.Context, watched: "Folder", name: str, accounts: ServedAccounts, ledger: "Ledger"
) -> Exit:
    from feedtool.watch.decisions import route_of
    from feedtool.watch.messages import DONE, STOPPED, DeduplicatedLog, Health
    from feedtool.watch.session import WatchEnvironment
    from feedtool.watch.watcher import Watcher

    given, stop = ctx.params, accounts.stop
    health = Health(watched.root, CONSOLE.clock.now, partial(echo, "warning"))
    environment = WatchEnvironment(
        folder=watched,
        name=name,
        ledger=ledger,
        open_account=accounts.open,
        seller_of=accounts.seller_of,
        route_of=partial(
            route_of, profiles=options.chosen(ctx).config.profiles, kinds=load().feeds
        ),
        clock=CONSOLE.clock.monotonic,
        now=CONSOLE.clock.now,
        sleep=stop.sleep,
        stopping=stop.reason,
        log=DeduplicatedLog(echo),
        report_bug=lambda error: str(bug_report(error, ["watch"])),
        same_within=timedelta(days=given["same_within"]),
        on_refused=accounts.notices.refused,
        on_turn=health.turn,
        settle=given["settle"],
        poll=given["poll"],
        language=CONSOLE.language,
        is_once=given["once"],
        exports=given["exports"],
        every=given["every"].total_seconds(),
        export_profiles=_export_profiles(ctx),
    )
    code = None
    try:
        code = Watcher(environment).run()
    finally:
        is_through = given["once"] and code is not None and stop.reason() is None
        health.write(DONE if is_through else STOPPED)
    return code


def _export_profiles(ctx: click.Context) -> "Collection[str | None]":
    """Whose exports go into the outbox: the account's, else those of all profiles."""
    return options.chosen(ctx).config.profiles.keys() if _serves_profiles(ctx) else (None,)


def _serves_profiles(ctx: click.Context) -> bool:
    """True where no one account is meant; those of a folder may come later."""
    given = ctx.params
    return not given["profile"] and bool(given["profiles"] or options.chosen(ctx).config.profiles)
