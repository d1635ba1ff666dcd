"""`feedtool worker`, `enqueue` and `queue`."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.console import (
    CONSOLE,
    StopSignal,
    Terminated,
    bug_report,
    echo,
    echo_error,
    stopping,
)
from feedtool.cli.export import moment
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import (
    CONFIG_FILE,
    FORMAT,
    HOME,
    KIND,
    Common,
    Configuration,
    Records,
    Showing,
    chosen,
    count,
    flag,
    option,
    refuse_two_services,
    seconds,
    text,
)
from feedtool.cli.typed import command_of
from feedtool.model.errors import (
    Exit,
    FeedtoolError,
    Interrupted,
    LedgerAway,
    NothingToDo,
    UsageProblem,
    first_of,
)
from feedtool.model.text import joined, tr
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from feedtool.ledger.parcels import Parcel, Parcels
    from feedtool.ledger.records import SellerKey
    from feedtool.runs.workspace import Workspace
    from feedtool.watch.folder import Folder
    from feedtool.watch.reporting import Health
    from feedtool.worker.answers import WayOut
    from feedtool.worker.passes import Passes
    from feedtool.worker.queue import PassQueue

LONGEST_PAUSE = 10.0
"""The most seconds between two tries to reach the server of the ledger."""
POLL = 1.0
"""Seconds between two checks whether the parcels are answered."""
WAITING = tr("the files stay in the queue, and workers send them; see `feedtool queue`")


@contextmanager
def open_queue(
    home: Path | None, records: Records, wait: Callable[[FeedtoolError], bool] = lambda _: False
) -> "Iterator[tuple[Workspace, PassQueue]]":
    """Open the records of a state folder, and the queue of passes in the database of the ledger.

    If the server of the ledger cannot be reached, `wait` pauses, and returns True to try again.
    """
    from feedtool.worker.queue import PassQueue, procrastinate

    procrastinate()  # reports a missing package before anything is made
    folder = home_folder(home)
    with ExitStack() as stack:
        while True:
            try:
                workspace = stack.enter_context(open_workspace(folder, records))
                queue = stack.enter_context(PassQueue(workspace.ledger.engine))
                break
            except (LedgerAway, Interrupted) as error:
                stack.close()
                if not wait(error):
                    raise
        yield workspace, queue


def retry_until_reachable(
    stop: StopSignal, on_trouble: Callable[[FeedtoolError], object]
) -> Callable[[FeedtoolError], bool]:
    """A `wait` for `open_queue`, with growing pauses; it raises the reason to stop."""
    pauses = chain((0.1 * 2**nth for nth in range(1, 7)), repeat(LONGEST_PAUSE))

    def wait(error: FeedtoolError) -> bool:
        on_trouble(error)
        stop.sleep(next(pauses))
        if reason := stop.reason():
            raise reason
        return True

    return wait


SAME_WITHIN = count(
    "--same-within",
    "Refuse a file whose content was sent within this many days; 0 refuses none.",
    "DAYS",
    min=0,
    max=36_500,
    default=7,
)


class EnqueueOptions(Struct, frozen=True, kw_only=True):
    files: Annotated[
        tuple[Path, ...],
        click.Argument(
            ["files"], nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
        ),
    ]
    configuration: Configuration
    kind: Annotated[str | None, KIND]
    priority: Annotated[
        int,
        option(
            "--priority",
            type=int,
            default=0,
            show_default=True,
            metavar="N",
            help="Files with a higher number are sent first, before the files of all "
            "other sellers.",
        ),
    ]
    not_before: Annotated[
        datetime | None,
        text(
            "--not-before",
            "WHEN",
            "Send them at this time or later: 2026-11-20T08:00Z.",
            callback=moment,
        ),
    ]
    same_within: Annotated[int, SAME_WITHIN]
    wait: Annotated[
        bool,
        flag(
            "--wait", "Wait until all files are answered; the exit code is then that of their rows."
        ),
    ]
    form: Annotated[str, FORMAT]
    common: Common
    records: Records


@command_of(EnqueueOptions)
def enqueue(ctx: click.Context, options: EnqueueOptions) -> int:
    """Put files into the queue of a shared ledger; workers on any machine send them.

    Their contents are kept at once: the files themselves are not needed any more. Files of
    one seller are sent in the order of the command line. `feedtool queue` lists the files
    that wait.
    """
    from feedtool.worker.answers import write_parcels
    from feedtool.worker.inbox import Intake, IntakeOptions

    key, profile = _key_of(ctx, options.configuration.profile)
    home, records = options.common.home, options.records
    with stopping(WAITING) as stop, open_queue(home, records) as (workspace, queue):
        within = timedelta(days=options.same_within)
        since = CONSOLE.clock.now() - within if within else None
        intake = Intake(workspace, queue, key, profile, options.kind or None)
        how = IntakeOptions(options.priority, options.not_before, since)
        brought = intake.bring_all(options.files, how, CONSOLE.clock.now())
        for problem in brought.problems:
            echo_error(problem)
        for parcel in brought.waiting:
            echo("note", tr("{name} waits already", name=f"{parcel.name} ({parcel.parcel})"))
        codes = {problem.exit for problem in brought.problems}
        parcels: Sequence[Parcel] = brought.parcels
        if options.wait:
            parcels = _answered([*parcels, *brought.waiting], workspace.ledger.parcels, stop)
            codes |= {Exit(parcel.exit_code or 0) for parcel in parcels}
        write_parcels(parcels, sys.stdout, options.form, CONSOLE.say, CONSOLE.clock.now())
        if not codes and not parcels:
            return Exit.NOTHING
        return first_of({*codes, Exit.OK})


def _key_of(ctx: click.Context, profile: str | None) -> "tuple[SellerKey, str]":
    """The seller of the profile, and the profile's name; UsageProblem if either is missing."""
    from feedtool.ledger.records import seller_key

    if not profile:
        raise UsageProblem(
            tr("--profile is missing"),
            tr("name the profile whose account sends the files; workers know it by this name"),
        )
    account = chosen(ctx).profile.account
    for name in ("base_url", "seller"):
        if not account.get(name):
            raise UsageProblem(
                tr("the profile {profile} has no {name}", profile=profile, name=name),
                tr("add it to the configuration"),
            )
    return seller_key(str(account["base_url"]), str(account["seller"])), profile


def _answered(
    parcels: "Sequence[Parcel]", ledger_parcels: "Parcels", stop: StopSignal
) -> "Sequence[Parcel]":
    """Wait until all parcels are answered; those dropped meanwhile are left out."""
    from feedtool.ledger.parcels import ParcelState

    numbers = [parcel.parcel for parcel in parcels]
    while True:
        current = [parcel for number in numbers if (parcel := ledger_parcels.find(number))]
        if all(parcel.state is ParcelState.ANSWERED for parcel in current):
            return current
        if reason := stop.reason():
            raise reason
        stop.sleep(POLL)


ACTIONS = ("drop", "hold", "release", "hurry")


class QueueOptions(Struct, frozen=True, kw_only=True):
    action: Annotated[
        str | None, click.Argument(["action"], required=False, type=click.Choice(ACTIONS))
    ]
    parcels: Annotated[
        tuple[int, ...], click.Argument(["parcels"], nargs=-1, type=int, metavar="[PARCEL]...")
    ]
    first: Annotated[int | None, count("--first", "Only the first of them.  [default: all]")]
    config: Annotated[None, CONFIG_FILE] = None
    form: Annotated[str, FORMAT]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


@command_of(QueueOptions)
def queue(_: click.Context, options: QueueOptions) -> None:
    """List the files in the queue: files that wait, and files whose answers are not delivered yet.

    `drop` removes a parcel, `hold` lets it wait until `release`, `hurry` puts it before all others.
    A parcel that a worker has begun cannot be changed.
    """
    from feedtool.worker.answers import write_parcels

    action = options.action
    if action is not None and not options.parcels:
        raise UsageProblem(
            tr("name the parcels by their numbers"), tr("`feedtool queue` lists them")
        )
    with open_queue(options.home, options.records) as (workspace, passes):
        if action is None:
            parcels = workspace.ledger.parcels.listing(options.first)
        else:
            parcels = [_changed(action, number, workspace, passes) for number in options.parcels]
    write_parcels(parcels, sys.stdout, options.form, CONSOLE.say, CONSOLE.clock.now())
    if not parcels:
        echo("note", tr("nothing waits"))


def _changed(action: str, number: int, workspace: "Workspace", passes: "PassQueue") -> "Parcel":
    """Change a parcel and return it; NothingToDo if it cannot be changed."""
    parcels = workspace.ledger.parcels
    changes: dict[str, Callable[[int], Parcel | None]] = {
        "drop": parcels.drop,
        "hold": parcels.hold,
        "release": parcels.release,
        "hurry": parcels.hurry,
    }
    changed = changes[action](number)
    if changed is None:
        raise _refusal(number, parcels)
    if action == "hurry":
        workspace.ledger.sellers.set_next_pass(changed.key)
    if action in {"hurry", "release"}:
        passes.put(changed.key, changed.not_before, changed.priority)
    return changed


def _refusal(number: int, parcels: "Parcels") -> NothingToDo:
    """The reason why a parcel was not changed."""
    hint = tr("`feedtool queue` lists what waits")
    parcel = parcels.find(number)
    if parcel is None:
        return NothingToDo(tr("there is no parcel {parcel}", parcel=number), hint)
    if parcel.answered_at:
        return NothingToDo(tr("parcel {parcel} is answered", parcel=number), hint)
    if parcel.begun_at:
        return NothingToDo(tr("a worker has begun parcel {parcel}", parcel=number), hint)
    return NothingToDo(tr("parcel {parcel} is not held", parcel=number), hint)


HINT = tr("unfinished work is recorded, and other workers go on with it")


class WorkerOptions(Struct, frozen=True, kw_only=True):
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
    from feedtool.watch.reporting import (
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
    from feedtool.watch.reporting import DONE, STOPPED, DeduplicatedLog
    from feedtool.watch.session import Environment
    from feedtool.worker.answers import AnswerDelivery
    from feedtool.worker.engine import EngineSettings, PassEngine, keep_health_fresh
    from feedtool.worker.passes import Passes, ServerClock

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
    from feedtool.places.incoming import put_answers

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
