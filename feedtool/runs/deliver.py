"""Deliver a recorded run to its end, or continue it, and write its copies."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.delivery.deadlines import warnings
from feedtool.delivery.plan import Plan
from feedtool.feeds.direct import Direct
from feedtool.ledger.records import seller_key
from feedtool.model.errors import FeedtoolError, FileProblem, Interrupted, NotAuthorised
from feedtool.model.settings import Pauses
from feedtool.model.text import joined
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import digest_of, write_copies_of
from feedtool.runs.outputs import Outputs
from feedtool.runs.purge import NOT_CONFIRMED, hold_back, measure, unsent
from feedtool.runs.row_results import note_sent_again, results_of_run
from feedtool.runs.run_record import RunOptions
from feedtool.runs.selection import select_rows
from feedtool.runs.workspace import (
    Session,
    Workspace,
    check_again,
    checked_sheets_of,
    clock_of,
    kept_inputs,
    needs_service,
    options_of,
    record,
    seller_lock,
)

if TYPE_CHECKING:
    from feedtool.delivery.events import Event

OnEvent = Callable[["Event"], None]


def ignore(_: "Event") -> None:
    """Ignore an event: the default of `on_event`."""


class Submission(Struct, frozen=True):
    """The outcome of a delivery."""

    outcomes: list[SheetResult]
    stopped: FeedtoolError | None = None
    warnings: Sequence[str] = ()
    """Warnings for the seller, each on one line."""


def deliver_run(
    run: int,
    reading: ReadOptions,
    session: Session,
    workspace: Workspace,
    *,
    wait: bool,
    only_fetch: bool = False,
    on_event: OnEvent = ignore,
) -> FeedtoolError | None:
    """Deliver a run; return the error that stopped it before its end, if any."""
    from feedtool.delivery.engine import Delivery
    from feedtool.delivery.steps import CallSettings, DeliverySettings

    dialect, sellers = reading.dialect, workspace.ledger.sellers
    key, pauses = seller_key(session.address, session.seller), dialect.of(Pauses)
    try:
        kept = sellers.pace(key)
        delivery = Delivery(
            workspace.ledger,
            run,
            session.client,
            load().routes,
            now=session.now,
            sleep=session.sleep,
            on_event=on_event,
            ahead=session.ahead(),
            wait=wait,
            only_fetch=only_fetch,
            pool=session.pool,
            kept_pace=kept,
            stopping=session.stopping,
            settings=DeliverySettings(
                CallSettings(dialect, session.seller, session.page),
                batch_pause=timedelta(seconds=pauses.batch_pause),
                quota_pause=timedelta(seconds=pauses.quota_pause),
                before_resending=timedelta(seconds=pauses.resend_pause),
            ),
        )
        try:
            delivery.run()
        finally:
            learnt = delivery.pace.stored(session.now())
            with suppress(FeedtoolError):  # the error of the run is reported; the pace may be lost
                if learnt != kept:
                    sellers.keep_pace(key, learnt)
                workspace.ledger.counts.note(run, session.wall())
    except FeedtoolError as error:
        return error
    return None


def write_copies(
    run: int,
    kept: Sequence[Input],
    outcomes: Sequence[SheetResult],
    options: RunOptions,
    now: datetime,
    workspace: Workspace,
    former: Sequence[Path] = (),
) -> None:
    """Write the annotated copies of a run, or place them nearby if they cannot be written.

    `former` are other names of the same places.
    """
    hashes = {str(options.outputs.targets.get(name)): sha for name, sha in options.snapshots.inputs}

    def may_replace(place: Path) -> bool:
        digest = digest_of(place)
        known = (hashes.get(str(place)), workspace.ledger.output(str(place.absolute())))
        return digest is None or digest in known

    def note(place: Path) -> None:
        digest = digest_of(place) or ""
        others = former if place in options.copy_places() else ()
        for name in {place.absolute(), *others}:
            workspace.ledger.add_output(run, str(name), digest, now)

    write_copies_of(
        kept,
        outcomes,
        options.outputs,
        options.reading,
        fallbacks=partial(workspace.fallbacks, run),
        may_replace=may_replace,
        on_written=note,
    )


def add_corrections(
    run: int,
    outcomes: Sequence[SheetResult],
    options: RunOptions,
    now: datetime,
    workspace: Workspace,
    *,
    is_read_again: bool = False,
) -> None:
    """Count the remaining rows of a run at its end, and write the rows to correct into workbooks.

    Sheets that were kept hold too little for that, so they are read again if `is_read_again`.
    """
    if needs_service(run, workspace):
        return
    for outcome in outcomes:
        outcome.count_left()
    if options.outputs.no_failed or not any(outcome.to_correct for outcome in outcomes):
        return
    # openpyxl, slow to import
    from feedtool.runs.corrections import results_to_correct, write_beside

    of_run = outcomes
    if is_read_again:
        try:
            of_run = results_to_correct(run, workspace)
        except FileProblem:
            return  # `results --failed-only` says what is gone
    write_beside(run, of_run, options.outputs.targets, workspace, now)
    written = {(result.checked.file, result.checked.sheet): result for result in of_run}
    for outcome in outcomes:
        if result := written.get((outcome.checked.file, outcome.checked.sheet)):
            outcome.failed = result.failed
            outcome.copy_failed = outcome.copy_failed or result.copy_failed


def resume(
    run: int,
    session: Session,
    workspace: Workspace,
    *,
    wait: bool = True,
    only_fetch: bool = False,
    outputs: Outputs | None = None,
    on_event: OnEvent = ignore,
) -> Submission:
    """Continue a run from any point at which it was left, and write its copies.

    With `only_fetch` nothing is sent: committed packages are brought to their end. `outputs` are
    the same places by their present names, if another machine knows them under others.
    """
    options = _with_outputs(options_of(run, workspace), outputs)
    with seller_lock(session, workspace, "results" if only_fetch else "resume"):
        if not only_fetch and not options.is_whole(workspace.ledger.files(run)):
            sheets = check_again(options, workspace)
            account = (session.address, session.seller)
            select_rows(workspace, sheets, options.reading, options.selection, account, run)
            plan = Plan(sheets, load().feeds, options.reading.dialect.limits)
            record(workspace, run, plan, options, session.wall())
        packages = workspace.ledger.read_packages(run)
        if purges := [] if only_fetch else unsent(packages):
            sheets = check_again(options, workspace)
            purge = measure(sheets, session)
            if purge.removed > (options.removals or 0):
                reason = joined((NOT_CONFIRMED, purge.text), ": ")
                hold_back(workspace.ledger, purges, reason, session.now())
        deadlines = warnings(packages, clock_of(session, workspace), load().routes)
        stopped = deliver_run(
            run,
            options.reading,
            session,
            workspace,
            wait=wait,
            only_fetch=only_fetch,
            on_event=on_event,
        )
        outcomes = results(run, workspace, session.now(), stopped, outputs)
        return Submission(outcomes, stopped, deadlines)


def results(
    run: int,
    workspace: Workspace,
    now: datetime,
    stopped: FeedtoolError | None = None,
    outputs: Outputs | None = None,
) -> list[SheetResult]:
    """Return the results of a run, and write them into its copies.

    They come from its snapshots and the ledger alone. Rows that were not taken name the later run
    that sent them again. `outputs` as in `resume`.
    """
    former = options_of(run, workspace)
    options = _with_outputs(former, outputs)
    files = kept_inputs(options, workspace)
    sheets = checked_sheets_of(options, workspace)
    outcomes = results_of_run(sheets, workspace.ledger, run, stopped)
    note_sent_again(outcomes, run, workspace)
    if stopped is None or not options.outputs.only_whole:
        other_names = former.copy_places() if outputs else ()
        write_copies(run, files, outcomes, options, now, workspace, other_names)
    add_corrections(run, outcomes, options, now, workspace, is_read_again=True)
    return outcomes


def look_again(run: int, workspace: Workspace) -> None:
    """Let the delivery check again the done requests of a run that the service still works on."""
    protocols = ((kind, feed.travel.protocol) for kind, feed in load().routes.items())
    words = {
        kind: protocol.last_words
        for kind, protocol in protocols
        if isinstance(protocol, Direct) and protocol.last_words
    }
    workspace.ledger.look_again(run, words)


def _with_outputs(options: RunOptions, outputs: Outputs | None) -> RunOptions:
    return replace(options, outputs=outputs) if outputs else options


# Note in the ledger how a command that sends a seller's rows has ended.


class PassOutcome:
    """The outcome of a command that sends rows, so far."""

    def __init__(self) -> None:
        self.has_sent = False
        self.stopped: FeedtoolError | None = None

    def end(self, submission: Submission) -> Submission:
        """Note the outcome of a submission, and return it; one without a run sent nothing."""
        self.has_sent = any(result.run for result in submission.outcomes)
        self.stopped = submission.stopped
        return submission


@contextmanager
def note_pass(session: Session, workspace: Workspace) -> Iterator[PassOutcome]:
    """Note with the seller whether the sending reaches its end.

    An error is noted as the seller's trouble if the service could not be reached, or refused the
    account. A stop by the user, a wrong option and a wrong file are not noted.
    """
    passing = PassOutcome()
    try:
        yield passing
    except (Interrupted, NotAuthorised) as error:
        passing.stopped = error
        raise
    finally:
        stopped = passing.stopped
        is_trouble = isinstance(stopped, Interrupted | NotAuthorised)
        is_end = passing.has_sent and stopped is None
        if is_end or (is_trouble and stopped is not session.stopping()):
            key, now = seller_key(session.address, session.seller), session.wall()
            workspace.ledger.sellers.passed(key, session.profile, None, stopped, None, now)
