"""`feedtool watch`."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.console import CONSOLE, bug_report, echo, home_path, stopping
from feedtool.cli.export import options_of
from feedtool.cli.files import read_options
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import (
    Configuration,
    chosen,
    duration,
    flag,
    refuse_two_services,
    seconds,
    text,
)
from feedtool.cli.typed import command_of
from feedtool.cli.worker import SAME_WITHIN, open_queue, retry_until_reachable
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import joined, tr
from feedtool.places.folder import FolderPlace
from feedtool.places.incoming import INBOX
from feedtool.places.opening import folder_of, open_place, scheme_of
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.ledger import Ledger
    from feedtool.runs.workspace import Workspace
    from feedtool.watch.folder import Folder
    from feedtool.watch.session import OutboxExport
    from feedtool.worker.inbox import Intake
    from feedtool.worker.queue import PassQueue

HINT = tr("unfinished work is recorded; go on with: feedtool watch")
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
            tr("“{kind}” is not a list whose new entries can be exported", kind=name),
            tr("kinds: {kinds}", kinds=joined(known) or tr("none")),
        )
    filters, cursor = options_of(known[name], words)
    for option in ("since", "peek", "cursors", "rewind"):
        if getattr(cursor, option):
            raise UsageProblem(
                tr("--{option} cannot be had on a beat", option=option),
                tr("give filters, --changed and --cursor there: --export 'orders --changed'"),
            )
    return OutboxExport(known[name], filters, cursor.cursor, cursor.changed)


class WatchOptions(Struct, frozen=True, kw_only=True):
    place: Annotated[
        str, click.Argument(["place"], type=click.Path(file_okay=False), metavar="FOLDER")
    ]
    once: Annotated[bool, flag("--once", "Send what is there, and end: for cron.")]
    create: Annotated[
        bool, flag("--create", "Make FOLDER, its inbox and its other folders if they are missing.")
    ]
    settle: Annotated[
        float,
        seconds("--settle", 2, "Time for which a file must not change before it is taken.", 3600),
    ]
    poll: Annotated[float, seconds("--poll", 1, "Time between two looks into the inbox.", 3600)]
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
            "Time between two exports of --export: 90s, 10m, 1h.",
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
        bool, flag("--health", "Only say how the watcher of FOLDER is: exit code 0 if all is well.")
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
    from feedtool.watch.folder import Folder
    from feedtool.watch.reporting import check_health

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
        with stopping(ENQUEUE_HINT) as stop, run_notices("watch", profile, notifying) as notices:
            return enqueue_arrivals(options, folder, ServedAccounts(ctx, stop, notices))
    if "://" in place:
        raise UsageProblem(
            tr("{place} is not a folder of this machine", place=place),
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
    options: WatchOptions, watched: "Folder", name: str, accounts: ServedAccounts, ledger: "Ledger"
) -> Exit:
    from feedtool.watch.folder import route_of
    from feedtool.watch.reporting import DONE, STOPPED, DeduplicatedLog, Health
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


def health_folder(url: str, home: Path | None) -> Path:
    """The folder of the watcher's health file: the place, if it is a folder of this machine."""
    scheme = scheme_of(url)
    if not scheme:
        return Path(url)
    if scheme == "file":
        return folder_of(url, Path.cwd())
    return home_path(home) / "watched" / quote(url.partition("?")[0], safe="")


def enqueue_arrivals(options: "WatchOptions", folder: Path, accounts: ServedAccounts) -> Exit:
    """Put the files that arrive at a place into the queue, once, or until a signal.

    `folder` is for the health file.
    """
    from feedtool.watch.folder import Folder
    from feedtool.watch.reporting import DONE, STOPPED, DeduplicatedLog, Health
    from feedtool.worker.inbox import InboxEnvironment, InboxWatcher

    stop, serving = accounts.stop, options.serving
    if options.exports:
        raise UsageProblem(
            tr("--export and --enqueue contradict each other"),
            tr("let another `feedtool watch` bring exports, or `feedtool export` by cron"),
        )
    log = DeduplicatedLog(echo)
    wait = retry_until_reachable(stop, lambda error: log.once("ledger", "error", error.message))
    on_trouble = (lambda _: False) if options.once else wait
    with (
        open_queue(serving.common.home, serving.records, on_trouble) as (workspace, queue),
        closing(open_place(options.place, Path.cwd())) as place,
    ):
        if options.create and isinstance(place, FolderPlace) and Folder(place.root).create():
            echo("made", str(place.root))
        place.listing(INBOX)  # reports an unusable place before any file is taken
        if not options.once:
            echo("watching", f"{place.url}/{INBOX}")
        folder.mkdir(parents=True, exist_ok=True)
        health, is_through = Health(folder, CONSOLE.clock.now, partial(echo, "warning")), False
        environment = InboxEnvironment(
            place=place,
            intake_of=_intakes(accounts, serving.configuration.profile, workspace, queue),
            now=CONSOLE.clock.now,
            clock=CONSOLE.clock.monotonic,
            sleep=stop.sleep,
            stopping=stop.reason,
            log=log,
            say=CONSOLE.say,
            on_turn=health.turn,
            same_within=timedelta(days=options.same_within) or None,
            settle=options.settle,
            poll=options.poll,
            is_once=options.once,
        )
        try:
            code = InboxWatcher(environment).run()
            is_through = options.once and stop.reason() is None
        finally:
            health.write(DONE if is_through else STOPPED)
        return code


def _intakes(
    accounts: ServedAccounts, default: str | None, workspace: "Workspace", queue: "PassQueue"
) -> "Callable[[PurePosixPath], Intake]":
    """A function from a folder of the inbox to the intake of its profile, read at each call."""
    from feedtool.watch.folder import route_of
    from feedtool.watch.reporting import RouteUnknown
    from feedtool.worker.inbox import Intake

    def intake_of(path: PurePosixPath) -> "Intake":
        route = route_of(path, accounts.profiles, load().feeds)
        profile = route and (route.profile or default)
        if route is None or not profile:
            raise RouteUnknown(path)
        key = accounts.seller_of(profile)
        return Intake(workspace, queue, key, profile, route.kind)

    return intake_of
