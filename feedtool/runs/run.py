"""The feature list, in order: the only module that sequences the hops.

validate   check → annotate
submit     keep → check → sift → plan → (show it | write requests) → deliver → annotate
resume     deliver → check what was kept → annotate
results    the same, without sending anything new
to_correct check what was kept → a workbook of the rows to correct
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.areas.legacy.purge import (
    NOT_CONFIRMED,
    Confirm,
    check_nothing_open,
    counted,
    hold_back,
    refuse,
    unsent,
)
from feedtool.areas.offers.changes.selection import EVERY_ROW, Sifting
from feedtool.areas.products.catalog.excerpt import Consulted
from feedtool.areas.registry import all_routes
from feedtool.check import Asked, Input, check
from feedtool.model.errors import FeedtoolError, NotAuthorised, UsageProblem
from feedtool.model.sheet import INVALID, CheckedSheet
from feedtool.report import Outcome
from feedtool.runs import row_notes
from feedtool.runs.annotated_copy import Outputs, digest_of, refuse_places, write
from feedtool.runs.annotated_run import write_copies
from feedtool.runs.context import Service, alone, circumstances_of, clock_of
from feedtool.runs.later import bring_up_to_date
from feedtool.runs.plan_file import Promise
from feedtool.runs.preflight import has_items, judged, open_elsewhere, why_none
from feedtool.runs.request_files import write_requests
from feedtool.runs.row_results import answered, not_begun, planned
from feedtool.runs.run_options import Recorded, refuse_names
from feedtool.runs.workspace import (
    Books,
    checked_again,
    judged_by,
    kept_inputs,
    record,
    recorded_of,
    sift_by,
)

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.delivery.events import Event


__all__ = [
    "Service",
    "Submission",
    "plan_only",
    "results",
    "resume",
    "submit",
    "to_correct",
    "validate",
]


@dataclass(frozen=True, slots=True)
class Submission:
    """What a `submit` came to."""

    outcomes: list[Outcome]
    stopped: FeedtoolError | None = None
    """What stopped the delivery before its end."""
    warnings: Sequence[str] = ()
    """What the seller should know of, each on one line."""


def validate(inputs: Sequence[Input], asked: Asked, outputs: Outputs) -> list[Outcome]:
    """Reads and checks files, and writes the annotated copies that were asked for."""
    sheets = check(inputs, asked)
    if len(inputs) == 1:  # of several, one place that is taken is no reason to stop
        refuse_places(inputs, sheets, outputs, asked)
    outcomes = [Outcome(sheet) for sheet in sheets]
    if outputs.targets:
        for outcome in outcomes:
            outcome.verdicts = partial(row_notes.of_check, outcome.checked)
        write(inputs, outcomes, outputs, asked)
    return outcomes


def plan_only(
    inputs: Sequence[Input],
    asked: Asked,
    outputs: Outputs,
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
    promise: Promise | None = None,
    sift: Callable[[Sequence[CheckedSheet]], None] = lambda _: None,
) -> list[Outcome]:
    """A dry run: everything up to the plan, which it tells; nothing is sent.

    Args:
        inputs: The files.
        asked: How to read them.
        outputs: Where annotated copies go, if any.
        requests: The folder for the exact request bodies.
        is_all_or_nothing: Whether one invalid row keeps all others back.
        promise: A plan that is saved, or one that is looked at whether it still fits.
        sift: Decides which rows would be sent.
    """
    if promise:
        promise.begin([(one.name, digest_of(one.path)) for one in inputs])
    sheets = judged(inputs, asked)
    sift(sheets)
    why_not = why_none(sheets, asked, is_all_or_nothing=is_all_or_nothing)
    sent = [] if why_not else sheets
    if promise:
        promise.settle(sheets, sent)
    outcomes = planned(sheets, asked.dialect.limits, sent=sent, reason=why_not)
    if requests:
        write_requests(requests, sent, asked.dialect)
    write(inputs, outcomes, outputs, asked)
    return outcomes


def submit(
    inputs: Sequence[Input],
    asked: Asked,
    outputs: Outputs,
    service: Service,
    books: Books,
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
    wait: bool = True,
    on_event: "Callable[[Event], None]" = lambda _: None,
    confirm: Confirm | None = None,
    claim: int | None = None,
    promise: Promise | None = None,
    sifting: Sifting = EVERY_ROW,
) -> Submission:
    """Checks files, sends what is valid, waits, and writes the annotated copies.

    What stops the delivery is no reason to keep back what is known of the rows: it is told in
    `Submission.stopped`, beside the outcomes. What a purge comes to is to be confirmed. A `claim`
    is a watcher's, of which this is the run. With a `promise` just that is sent, or nothing.
    """
    refuse_names(inputs, outputs)
    snapshots = [books.keep(one) for one in inputs]
    if promise:
        promise.begin([(one.file.name, one.sha256) for one in snapshots])
    kept = [one.file for one in snapshots]
    consulted = Consulted(asked.dialect.catalog)
    sheets = judged(kept, judged_by(asked, consulted), has_channel=service.has_channel)
    refuse_places(inputs, sheets, outputs, asked)

    def begins(why_not: str) -> bool:
        """Whether anything is sent; else what is known of the rows is written."""
        if promise:
            promise.settle(sheets, [] if why_not else sheets)
        if why_not:
            outcomes[:] = planned(sheets, asked.dialect.limits, sent=[], reason=why_not)
            write(kept, outcomes, outputs, asked)
        return not why_not

    outcomes = [Outcome(sheet) for sheet in sheets]
    why_not = why_none(sheets, asked, is_all_or_nothing=is_all_or_nothing)
    if why_not or all(sheet.error for sheet in sheets):
        begins(why_not)
        return Submission(outcomes)
    from feedtool.delivery.deadlines import warnings_of_others
    from feedtool.ledger.lock import who

    excerpt = consulted.excerpt()
    recorded = Recorded(
        [(one.file.name, one.sha256) for one in snapshots if one.sha256],
        asked,
        outputs,
        service.profile,
        service.is_sandbox,
        [(sheet.file, sheet.sheet) for sheet in sheets if sheet.error is None],
        books.keep_excerpt(excerpt) if excerpt else None,
        who=who(),
        invalid=sum(sheet.marks.count(INVALID) for sheet in sheets),
        corrects=[sheet.corrects for sheet in sheets if sheet.corrects],
        sifting=sifting,
        plan=promise.digest if promise else None,
        kinds=[(sheet.file, sheet.sheet, sheet.kind) for sheet in sheets if sheet.kind],
    )
    _see_whether_to_begin(claim, service)
    with alone(service, books, "submit"):
        sift_by(books, sheets, asked, sifting, (service.address, service.seller))
        if not begins(why_none(sheets, asked, is_all_or_nothing=is_all_or_nothing)):
            return Submission(outcomes)
        if requests:
            write_requests(requests, sheets, asked.dialect)
        try:
            removals = _confirmed_removals(sheets, asked, service, books, confirm or refuse)
            told = open_elsewhere(sheets, books.ledger, service.client)
        except NotAuthorised as error:  # found out before a run is written down
            return Submission(not_begun(sheets, error), error)
        run = books.ledger.start_run(
            now=service.wall(),
            seller=service.seller,
            service=service.address,
            language=service.language,
            options=replace(recorded, removals=removals).as_json(),
            claim=claim,
        )
        record(books, run, sheets, recorded, service.now())
        told = [
            *warnings_of_others(books.ledger, run, clock_of(service, books), all_routes()),
            *told,
        ]
        stopped = _send(run, sheets, asked, service, books, wait=wait, on_event=on_event)
        outcomes = answered(sheets, books.ledger, run, stopped)
        if stopped is None or (_has_begun(outcomes) and not outputs.only_whole):
            write_copies(run, kept, outcomes, recorded, service.now(), books)
    return Submission(outcomes, stopped, told)


def _see_whether_to_begin(claim: int | None, service: Service) -> None:
    """Raises why not: where nothing is begun, nothing stays claimed."""
    if claim is not None and (stopped := service.stopping()):
        raise stopped


def _confirmed_removals(
    sheets: Sequence[CheckedSheet], asked: Asked, service: Service, books: Books, confirm: Confirm
) -> int | None:
    """How many offers a purge will remove, now that this is confirmed; None where it is none."""
    if not asked.purges:
        return None
    foreign = open_elsewhere(sheets, books.ledger, service.client, is_working=True)
    check_nothing_open(books.ledger, service.seller, foreign)
    purge = counted(sheets, service.client, circumstances_of(service))
    confirm(purge)
    return purge.removed


def _send(
    run: int,
    sheets: Iterable[CheckedSheet],
    asked: Asked,
    service: Service,
    books: Books,
    *,
    wait: bool,
    on_event: "Callable[[Event], None]",
) -> FeedtoolError | None:
    """Delivers a new run; what stopped it before its end.

    Nobody is asked anything where nothing is to be sent and nothing to be fetched.
    """
    if not has_items(sheets) and not books.ledger.irrevocable(run):
        return None
    return _deliver(run, asked, service, books, wait=wait, on_event=on_event)


def resume(
    run: int,
    service: Service,
    books: Books,
    *,
    wait: bool = True,
    only_fetch: bool = False,
    outputs: Outputs | None = None,
    on_event: "Callable[[Event], None]" = lambda _: None,
) -> Submission:
    """Goes on with a run, at whatever point it was left, and writes where it was told to.

    With `only_fetch` nothing is sent: what is committed is brought to its end. `outputs` are the
    same places by their present names, where another machine knows them under others.
    """
    from feedtool.delivery.deadlines import warnings

    recorded = _named(recorded_of(run, books), outputs)
    with alone(service, books, "results" if only_fetch else "resume"):
        if not only_fetch and not recorded.is_whole(books.ledger.files(run)):
            sheets = checked_again(recorded, books)
            account = (service.address, service.seller)
            sift_by(books, sheets, recorded.asked, recorded.sifting, account, run)
            record(books, run, sheets, recorded, service.now())
        packages = books.ledger.read_packages(run)
        if purges := [] if only_fetch else unsent(packages):
            purge = counted(
                checked_again(recorded, books), service.client, circumstances_of(service)
            )
            if purge.removed > (recorded.removals or 0):
                reason = f"{NOT_CONFIRMED}: {purge.text}"
                hold_back(books.ledger, purges, reason, service.now())
        told = warnings(packages, clock_of(service, books), all_routes())
        stopped = _deliver(
            run, recorded.asked, service, books, wait=wait, only_fetch=only_fetch, on_event=on_event
        )
        outcomes = results(run, books, service.now(), stopped, outputs)
        return Submission(outcomes, stopped, told)


def results(
    run: int,
    books: Books,
    now: datetime,
    stopped: FeedtoolError | None = None,
    outputs: Outputs | None = None,
) -> list[Outcome]:
    """Writes the annotated copies of a run again, from its snapshots and the ledger alone.

    Rows that were not taken tell what later runs have answered to them. `outputs`: as `resume`.
    """
    former = recorded_of(run, books)
    recorded = _named(former, outputs)
    kept = kept_inputs(recorded, books)
    outcomes = answered(checked_again(recorded, books), books.ledger, run, stopped)
    bring_up_to_date(outcomes, run, books)
    if stopped is None or not recorded.outputs.only_whole:
        write_copies(run, kept, outcomes, recorded, now, books, former.wanted() if outputs else ())
    return outcomes


def _named(recorded: Recorded, outputs: Outputs | None) -> Recorded:
    return replace(recorded, outputs=outputs) if outputs else recorded


def to_correct(
    run: int,
    books: Books,
    now: datetime,
    *,
    out: Path | None = None,
    may_replace: Callable[[Path], bool] | None = None,
) -> list[Outcome]:
    """Writes a workbook of the rows to correct for each file of a run that has any.

    Args:
        run: The run.
        books: Where it is recorded.
        now: The time.
        out: Where the workbook goes, of the only file that has such rows; by default beside the
            annotated copy.
        may_replace: Whether what stands there may be replaced; by default only what was written
            there and not changed since.

    Returns:
        What is told of its sheets; `failed` is the workbook.

    Raises:
        UsageProblem: It cannot be written, or `out` is one place for several files.
    """
    from feedtool.runs.corrections import has_any, places, write_failed

    recorded = recorded_of(run, books)
    outcomes = answered(checked_again(recorded, books), books.ledger, run, None)
    bring_up_to_date(outcomes, run, books)
    files = [name for name, _ in recorded.inputs if has_any(name, outcomes)]
    if out and len(files) > 1:
        raise UsageProblem(
            f"--out names one workbook, and rows of {len(files)} files are to be corrected",
            "leave it out: each has its own beside its annotated copy",
        )
    targets = dict.fromkeys(files, out) if out else places(recorded.outputs.targets)
    for name in files:
        written = write_failed(
            run, name, outcomes, targets[name], books, now, may_replace=may_replace
        )
        for outcome in outcomes:
            if written and outcome.checked.file == name and outcome.checked.error is None:
                outcome.failed = written.place
    return outcomes


def _deliver(
    run: int,
    asked: Asked,
    service: Service,
    books: Books,
    *,
    wait: bool,
    only_fetch: bool = False,
    on_event: "Callable[[Event], None]",
) -> FeedtoolError | None:
    """Delivers a run; what stopped it before its end."""
    from feedtool.delivery.engine import deliver
    from feedtool.delivery.steps import Settings

    try:
        deliver(
            books.ledger,
            run,
            service.client,
            all_routes(),
            now=service.now,
            sleep=service.sleep,
            on_event=on_event,
            ahead=service.ahead(),
            wait=wait,
            only_fetch=only_fetch,
            pool=service.pool,
            stopping=service.stopping,
            settings=Settings(
                results_limit=service.page,
                batch_pause=timedelta(seconds=asked.dialect.batch_pause),
                quota_pause=timedelta(seconds=asked.dialect.quota_pause),
                before_resending=timedelta(seconds=asked.dialect.resend_pause),
                dialect=asked.dialect,
            ),
        )
    except FeedtoolError as error:
        return error
    return None


def _has_begun(outcomes: Iterable[Outcome]) -> bool:
    return any(package.package_id for one in outcomes for package in one.packages)
