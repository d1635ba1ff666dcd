"""`feedtool watch PLACE --enqueue`: put the files that arrive at a place into the queue."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from feedtool.areas.registry import load
from feedtool.cli.accounts import ServedAccounts
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.home import home_path
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.cli.watch import WatchOptions
    from feedtool.runs.workspace import Workspace
    from feedtool.worker.bringing import Intake
    from feedtool.worker.queue import PassQueue


def health_folder(url: str, home: Path | None) -> Path:
    """The folder of the watcher's health file: the place, if it is a folder of this machine."""
    from feedtool.places.opening import folder_of, scheme_of

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
    from feedtool.cli.parcels import open_queue, retry_until_reachable
    from feedtool.places import open_place
    from feedtool.places.arrivals import INBOX
    from feedtool.places.folder import FolderPlace
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import DONE, STOPPED, DeduplicatedLog, Health
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
    from feedtool.watch.decisions import route_of
    from feedtool.watch.messages import RouteUnknown
    from feedtool.worker.bringing import Intake

    def intake_of(path: PurePosixPath) -> "Intake":
        route = route_of(path, accounts.profiles, load().feeds)
        profile = route and (route.profile or default)
        if route is None or not profile:
            raise RouteUnknown(path)
        key = accounts.seller_of(profile)
        return Intake(workspace, queue, key, profile, route.kind)

    return intake_of
