"""`feedtool worker`."""

from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, closing
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.errors import CONSOLE, Terminated, bug_report, echo, stopping
from feedtool.cli.home import home_folder
from feedtool.cli.options import count, flag, refuse_two_services, seconds, text
from feedtool.cli.parcels import open_queue, retry_until_reachable
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem, first_of
from feedtool.model.text import joined, tr
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.ledger.records import SellerKey
    from feedtool.runs.workspace import Workspace
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import Health
    from feedtool.worker.passes import Passes
    from feedtool.worker.queue import PassQueue
    from feedtool.worker.telling import WayOut

HINT = tr("what was begun is noted, and other workers go on with it")


class WorkerOptions(Struct, frozen=True, kw_only=True):
    """Options of `worker`."""

    side_by_side: Annotated[
        int, count("--side-by-side", "Sellers whose files are sent at the same time.", default=8)
    ]
    sellers: Annotated[
        str | None,
        text(
            "--sellers",
            "PATTERN",
            "Only sellers whose profile or SellerId matches it: 'eu-*'.  [default: all]",
        ),
    ]
    results: Annotated[
        str | None,
        text(
            "--results",
            "PLACE",
            "Where to put the answers of all profiles: a folder, s3://BUCKET/PREFIX or "
            "sftp://USER@HOST/FOLDER.  [default: the `results` of each profile, if it has one]",
        ),
    ]
    once: Annotated[bool, flag("--once", "Send what is due now, and end: for cron.")]
    drain: Annotated[
        bool, flag("--drain", "End when nothing is due any more, here or at other workers.")
    ]
    health: Annotated[
        bool,
        flag("--health", "Only say how the worker of this --home is: exit code 0 if all is well."),
    ]
    health_within: Annotated[
        float, seconds("--health-within", 60, "With --health: how old its last turn may be.")
    ]
    serving: Serving


@command_of(WorkerOptions, ServingCommand)
def worker(ctx: click.Context, options: WorkerOptions) -> int:
    """Send the files in the queue of a shared ledger, for the sellers of all profiles.

    Any number of workers, on any number of machines, share the work. A seller's files are sent one
    at a time, each once, and no seller keeps the others waiting. Ctrl-C and SIGTERM park what is
    under way; other workers go on with it.
    """
    from feedtool.cli.notifier import run_notices
    from feedtool.watch.folder import Folder
    from feedtool.watch.messages import (
        WORKER,
        WORKING,
        DeduplicatedLog,
        Health,
        Turn,
        check_health,
    )

    serving = options.serving
    home = home_folder(serving.common.home)
    if options.health:
        within = timedelta(seconds=options.health_within)
        code, message = check_health(home / FOLDER, CONSOLE.clock.now(), within, WORKER)
        click.echo(clean(CONSOLE.say(message)))
        return code
    refuse_two_services(ctx)
    folder, log = Folder(home / FOLDER), DeduplicatedLog(echo)

    def health() -> Health:
        folder.create()
        folder.prepare()
        return Health(folder.root, CONSOLE.clock.now, partial(echo, "warning"), WORKING)

    def tell(error: FeedtoolError) -> None:
        log.once("ledger", "error", joined((error.message, error.hint), " "))
        health().turn(Turn(troubles=[(None, error)]))

    with stopping(HINT) as stop, ExitStack() as stack:
        wait = (lambda _: False) if options.once else retry_until_reachable(stop, tell)
        try:
            workspace, queue = stack.enter_context(open_queue(home, serving.records, wait))
        except Terminated:
            return Exit.OK
        profile, notifying = serving.configuration.profile, serving.notifying
        notices = stack.enter_context(run_notices("worker", profile, notifying))
        accounts = ServedAccounts(ctx, stop, notices, needs_channel=True)
        return _work(options, accounts, workspace, queue, folder, health())


FOLDER = "parcels"
"""The folder in a worker's home for the files that it sends."""


def _work(
    options: WorkerOptions,
    accounts: ServedAccounts,
    workspace: "Workspace",
    queue: "PassQueue",
    folder: "Folder",
    health: "Health",
) -> Exit:
    from feedtool.ledger.lock import Holder
    from feedtool.ledger.parcels import FOLDER as CLAIMED
    from feedtool.watch.messages import DONE, STOPPED, DeduplicatedLog
    from feedtool.watch.session import Environment
    from feedtool.worker.beat import keep_health_fresh
    from feedtool.worker.engine import EngineSettings, PassEngine
    from feedtool.worker.passes import Passes, ServerClock
    from feedtool.worker.telling import AnswerDelivery

    stop, log = accounts.stop, DeduplicatedLog(echo)
    clock = ServerClock(workspace.ledger.engine, CONSOLE.clock.now, CONSOLE.clock.monotonic)
    if clock.warning:
        echo("warning", clock.warning)
    environment = Environment(
        folder=folder,
        name=CLAIMED,
        open_account=accounts.open,
        route_of=lambda _: None,
        now=clock,
        stopping=stop.reason,
        log=log,
        report_bug=lambda error: str(bug_report(error, ["worker"])),
        same_within=None,
        on_refused=accounts.notices.refused,
        language=CONSOLE.language,
        command="worker",
    )
    delivery = AnswerDelivery(
        folder, workspace, partial(_answer_writer, accounts), log, clock, CONSOLE.language
    )
    sellers = _sellers(accounts, options.sellers)
    passes = Passes(workspace.ledger, queue, environment, delivery, sellers)
    settings = EngineSettings(
        queue.schema,
        Holder.here("worker", CONSOLE.clock.now()),
        options.side_by_side,
        is_once=options.once,
        is_drained=options.drain,
    )
    is_through = False
    try:
        with keep_health_fresh(health, passes, workspace.ledger.parcels):
            PassEngine(workspace.ledger.engine, settings, passes, stop).run()
        is_through = stop.reason() is None
    finally:
        health.write(DONE if is_through else STOPPED)
    return _code(passes, stop.reason(), ends=options.once or options.drain)


def _answer_writer(accounts: ServedAccounts, profile: str) -> "WayOut | None":
    """A function that puts answers into the place of a profile; None if it has no place.

    A folder is relative to the working directory.
    """
    from feedtool.places import open_place
    from feedtool.places.answers import put_answers

    url = accounts.results(profile)
    if not url:
        return None

    def put(name: str, answers: Mapping[str, Path]) -> None:
        with closing(open_place(url, Path.cwd())) as place:
            put_answers(place, name, answers, CONSOLE.clock.now().astimezone().date())

    return put


def _sellers(
    accounts: ServedAccounts, pattern: str | None
) -> "Callable[[], Collection[SellerKey] | None]":
    """A function to the sellers whose files are sent, of the current profiles; None for all."""

    def matching_sellers() -> "Collection[SellerKey]":
        matches = {
            key
            for profile, key in accounts.sellers.items()
            if any(fnmatchcase(name, pattern or "") for name in (profile, key[1]))
        }
        if not matches:
            raise UsageProblem(
                tr("no profile and no seller matches “{pattern}”", pattern=pattern),
                tr("profiles: {names}", names=", ".join(accounts.profiles) or tr("none")),
            )
        return matches

    return (lambda: None) if pattern is None else matching_sellers


def _code(passes: "Passes", stopped: FeedtoolError | None, *, ends: bool) -> Exit:
    """The exit code of all files together, if the worker ends by itself; else of the signal."""
    if ends:
        troubles = {error.exit for _, error in passes.troubles if error is not stopped}
        return first_of({*passes.codes, *troubles, *({stopped.exit} if stopped else ())})
    return stopped.exit if stopped and stopped.exit is Exit.CTRL_C else Exit.OK
