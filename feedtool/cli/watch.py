"""`feedtool watch`."""

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.durations import duration
from feedtool.cli.errors import CONSOLE, bug_report, echo, stopping
from feedtool.cli.export import options_of
from feedtool.cli.files import read_options
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import Configuration, chosen, flag, refuse_two_services, seconds, text
from feedtool.cli.parcels import SAME_WITHIN
from feedtool.cli.typed import command_of
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
    # Each text is a kind, followed by its options.
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
    filters, cursor = options_of(known[name], words)
    refused = {"since": cursor.since, "peek": cursor.peek, "cursors": cursor.cursors}
    for option, value in {**refused, "rewind": cursor.rewind}.items():
        if value:
            raise UsageProblem(
                tr("--{option} cannot be had on a beat", option=option),
                tr("give filters, --changed and --cursor there: --export 'orders --changed'"),
            )
    return OutboxExport(known[name], filters, cursor.cursor, cursor.changed)


class WatchOptions(Struct, frozen=True, kw_only=True):
    """Options of `watch`."""

    place: Annotated[
        str, click.Argument(["place"], type=click.Path(file_okay=False), metavar="FOLDER")
    ]
    once: Annotated[bool, flag("--once", "Send what is there, and end: for cron.")]
    create: Annotated[
        bool, flag("--create", "Make FOLDER, its inbox and the others where there is none.")
    ]
    settle: Annotated[
        float, seconds("--settle", 2, "How long a file has to rest before it is taken.", 3600)
    ]
    poll: Annotated[float, seconds("--poll", 1, "How long between two looks into the inbox.", 3600)]
    same_within: Annotated[int, SAME_WITHIN]
    exports: Annotated[
        "tuple[OutboxExport, ...]",
        text(
            "--export exports",
            "KIND",
            "Also bring what is new of this kind into FOLDER/outbox; may be given again, and have "
            "filters: 'orders --to-do'.",
            multiple=True,
            callback=_exports,
        ),
    ]
    every: Annotated[
        timedelta,
        text(
            "--every",
            "TIME",
            "How often --export asks: 90s, 10m, 1h.",
            default="10m",
            show_default=True,
            callback=duration,
        ),
    ]
    enqueue: Annotated[
        bool,
        flag(
            "--enqueue",
            "Send nothing: bring each file for the workers of a shared ledger. FOLDER may then be "
            "s3://BUCKET/PREFIX or sftp://USER@HOST/FOLDER, too.",
        ),
    ]
    health: Annotated[
        bool,
        flag("--health", "Only say how the watcher of FOLDER is: exit code 0 if all is well."),
    ]
    health_within: Annotated[
        float, seconds("--health-within", 60, "With --health: how old its last turn may be.")
    ]
    serving: Serving


@command_of(WatchOptions, ServingCommand)
def watch(ctx: click.Context, options: WatchOptions) -> int:
    """Send each file that is dropped into FOLDER/inbox, and answer it in FOLDER/results.

    The file itself goes to done/DATE, or to error with its reason beside it. A subfolder of the
    inbox may name a profile, a kind, or both: inbox/PROFILE/KIND. Of a seller's files the oldest
    goes first, one at a time; several sellers go side by side.

    A file is taken when it has rested for a while, or when NAME.EXT.done is beside it.
    """
    from feedtool.cli.notifier import run_notices
    from feedtool.cli.watch_place import enqueue_arrivals, health_folder
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import check_health

    place, serving = options.place, options.serving
    folder = health_folder(place, serving.common.home)
    if options.health:
        within = timedelta(seconds=options.health_within)
        code, message = check_health(folder, CONSOLE.clock.now(), within)
        click.echo(clean(CONSOLE.say(message)))
        return code
    refuse_two_services(ctx)
    profile, notifying = serving.configuration.profile, serving.notifying
    if options.enqueue:
        with (
            stopping(ENQUEUE_HINT) as stop,
            run_notices("watch", profile, notifying) as notices,
        ):
            return enqueue_arrivals(options, folder, ServedAccounts(ctx, stop, notices))
    if "://" in place:
        raise UsageProblem(
            tr("{place} is no folder of this machine", place=place),
            tr("watch it with --enqueue: workers then send what arrives there"),
        )
    watched = Folder(folder)
    with (
        open_workspace(home_folder(serving.common.home), serving.records) as workspace,
        stopping(HINT) as stop,
        run_notices("watch", profile, notifying) as notices,
    ):
        accounts = ServedAccounts(ctx, stop, notices, needs_channel=True)
        read_options(ctx, serving.reading)
        # With profiles, each has its subfolder, and the inbox itself needs no account.
        if not _serves_profiles(ctx, serving.configuration):
            with accounts.open(None):
                pass  # reports an invalid account before any file is taken
        if options.create and watched.create():
            echo("made", str(watched.inbox))
        name = watched.prepare()
        if not options.once:
            echo("watching", str(watched.inbox))
        return _watch(options, watched, name, accounts, workspace.ledger)


def _watch(
    options: WatchOptions,
    watched: "Folder",
    name: str,
    accounts: ServedAccounts,
    ledger: "Ledger",
) -> Exit:
    from feedtool.watch.decisions import route_of
    from feedtool.watch.messages import DONE, STOPPED, DeduplicatedLog, Health
    from feedtool.watch.session import WatchEnvironment
    from feedtool.watch.watcher import Watcher

    stop, profiles = accounts.stop, chosen(accounts.line).config.profiles
    serves_profiles = _serves_profiles(accounts.line, options.serving.configuration)
    health = Health(watched.root, CONSOLE.clock.now, partial(echo, "warning"))
    environment = WatchEnvironment(
        folder=watched,
        name=name,
        ledger=ledger,
        open_account=accounts.open,
        seller_of=accounts.seller_of,
        route_of=partial(route_of, profiles=profiles, kinds=load().feeds),
        clock=CONSOLE.clock.monotonic,
        now=CONSOLE.clock.now,
        sleep=stop.sleep,
        stopping=stop.reason,
        log=DeduplicatedLog(echo),
        report_bug=lambda error: str(bug_report(error, ["watch"])),
        same_within=timedelta(days=options.same_within),
        on_refused=accounts.notices.refused,
        on_turn=health.turn,
        settle=options.settle,
        poll=options.poll,
        language=CONSOLE.language,
        is_once=options.once,
        exports=options.exports,
        every=options.every.total_seconds(),
        # None is the account that the options select.
        export_profiles=profiles.keys() if serves_profiles else (None,),
    )
    code = None
    try:
        code = Watcher(environment).run()
    finally:
        is_through = options.once and code is not None and stop.reason() is None
        health.write(DONE if is_through else STOPPED)
    return code


def _serves_profiles(ctx: click.Context, options: Configuration) -> bool:
    # A folder of profiles counts even while it is empty: profiles may be added later.
    return not options.profile and bool(options.profiles or chosen(ctx).config.profiles)
