"""The feature list, in order: the only module that sequences the hops.

validate   check → annotate
submit     check → plan → (show it | write requests) → deliver → annotate
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool import plan, verdicts
from feedtool.check import SUMMARY, Asked, Input, check
from feedtool.check.result import CheckedSheet
from feedtool.errors import EXIT_PRECEDENCE, Exit, FeedtoolError
from feedtool.model import Message, PackageSummary, Status, Verdict
from feedtool.report import Outcome, summary_sheet
from feedtool.requests import write_requests
from feedtool.service.wire import Sender, UploadBody
from feedtool.sheets.annotate import Summary, annotate, refuse_place

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.delivery.events import Event
    from feedtool.ledger import Ledger

GOOD = frozenset({Status.VALID, Status.INTEGRATED, Status.UNCHANGED, Status.SUPERSEDED})
"""What a row may have become in a run that ends with 0."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the annotated copies go."""

    targets: Mapping[str, Path] = field(default_factory=dict)
    """By the input's name; an input that is not here gets no copy."""
    is_in_place: bool = False
    """Whether the copy takes the input's own place."""


@dataclass(frozen=True, slots=True)
class Service:
    """A way to the service, and its time."""

    client: Sender
    seller: str
    address: str
    language: str
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    pool: int = 4
    """Calls under way at a time."""
    page: int | None = None
    """Results a page is asked for; None leaves it to the service."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a `submit` came to."""

    outcomes: list[Outcome]
    stopped: FeedtoolError | None = None
    """What stopped the delivery before its end."""


def validate(inputs: Sequence[Input], asked: Asked, outputs: Outputs) -> list[Outcome]:
    """Reads and checks files, and writes the annotated copies that were asked for."""
    sheets = check(inputs, asked)
    if len(inputs) == 1:  # of several, one place that is taken is no reason to stop
        _refuse_places(inputs, sheets, outputs, asked)
    outcomes = [Outcome(sheet) for sheet in sheets]
    if outputs.targets:
        for outcome in outcomes:
            outcome.verdicts = partial(verdicts.of_check, outcome.checked)
        _annotate(inputs, outcomes, outputs, asked)
    return outcomes


def plan_only(
    inputs: Sequence[Input],
    asked: Asked,
    outputs: Outputs,
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
) -> list[Outcome]:
    """A dry run: everything up to the plan, which it tells; nothing is sent.

    Args:
        inputs: The files.
        asked: How to read them.
        outputs: Where annotated copies go, if any.
        requests: The folder for the exact request bodies.
        is_all_or_nothing: Whether one invalid row keeps all others back.
    """
    sheets = check(inputs, asked)
    sent = [] if is_all_or_nothing and not _all_clean(sheets) else sheets
    outcomes = [_planned(sheet, asked, is_sent=sheet in sent) for sheet in sheets]
    if requests:
        write_requests(requests, sent, asked.dialect)
    _annotate(inputs, outcomes, outputs, asked)
    return outcomes


def submit(
    inputs: Sequence[Input],
    asked: Asked,
    outputs: Outputs,
    service: Service,
    ledger: "Ledger",
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
    wait: bool = True,
    on_event: "Callable[[Event], None]" = lambda _: None,
) -> Submission:
    """Checks files, sends what is valid, waits, and writes the annotated copies.

    What stops the delivery is no reason to keep back what is known of the rows: it is told in
    `Submission.stopped`, beside the outcomes.
    """
    from feedtool.delivery.decide import Settings
    from feedtool.delivery.deliver import deliver

    sheets = check(inputs, asked)
    _refuse_places(inputs, sheets, outputs, asked)
    if is_all_or_nothing and not _all_clean(sheets):
        outcomes = [_planned(sheet, asked, is_sent=False) for sheet in sheets]
        _annotate(inputs, outcomes, outputs, asked)
        return Submission(outcomes)
    if requests:
        write_requests(requests, sheets, asked.dialect)
    run = ledger.start_run(
        now=service.now(),
        seller=service.seller,
        service=service.address,
        language=service.language,
    )
    files = {
        number: _record(ledger, run, sheet, inputs, asked)
        for number, sheet in enumerate(sheets)
        if sheet.error is None
    }
    stopped = None
    try:
        deliver(
            ledger,
            run,
            service.client,
            now=service.now,
            sleep=service.sleep,
            on_event=on_event,
            wait=wait,
            pool=service.pool,
            settings=Settings(
                upload_body=UploadBody(asked.dialect.upload_body), results_limit=service.page
            ),
        )
    except FeedtoolError as error:
        stopped = error
    outcomes = [
        _answered(sheet, ledger, run, files.get(number)) for number, sheet in enumerate(sheets)
    ]
    for outcome in outcomes:
        outcome.stopped = stopped
    if stopped is None or any(package.package_id for one in outcomes for package in one.packages):
        _annotate(inputs, outcomes, outputs, asked)
    return Submission(outcomes, stopped)


def _all_clean(sheets: Iterable[CheckedSheet]) -> bool:
    return all(sheet.is_clean() for sheet in sheets)


def _uploads(sheet: CheckedSheet, asked: Asked) -> Iterator[plan.Planned]:
    return plan.uploads(sheet.valid_items(), asked.dialect.limits)


def _planned(sheet: CheckedSheet, asked: Asked, *, is_sent: bool) -> Outcome:
    """What a dry run tells of a sheet."""
    packages: list[PackageSummary] = plan.summaries(_uploads(sheet, asked)) if is_sent else []
    every_row = verdicts.of_check if is_sent else _held
    return Outcome(sheet, None, True, packages, partial(every_row, sheet))


def _held(sheet: CheckedSheet) -> Iterator[Verdict]:
    """The verdicts when an invalid row, of this file or another, keeps back all the others."""
    reason = Message("", "not sent, since not all rows of all files are valid (--all-or-nothing)")
    for verdict in verdicts.of_check(sheet):
        is_valid = verdict.status is Status.VALID
        yield verdict._replace(status=Status.HELD, messages=(reason,)) if is_valid else verdict


def _record(
    ledger: "Ledger", run: int, sheet: CheckedSheet, inputs: Sequence[Input], asked: Asked
) -> int:
    """Writes a sheet's rows down before any of them is sent; the sheet's key in the ledger."""
    path = next(one.path for one in inputs if one.name == sheet.file)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ledger.add_file(
        run,
        _uploads(sheet, asked),
        path=sheet.file,
        sha256=digest,
        kind=sheet.kind or "",
        sheet=sheet.sheet,
    )


def _answered(sheet: CheckedSheet, ledger: "Ledger", run: int, file: int | None) -> Outcome:
    """What is told of a sheet after its delivery."""
    if file is None:
        return Outcome(sheet, str(run), is_submitted=True)

    def every_row() -> Iterator[Verdict]:
        return verdicts.every_row(sheet, ledger.verdicts(file))

    return Outcome(sheet, str(run), True, ledger.packages(file), every_row)


def _copies(
    inputs: Sequence[Input], outcomes: Sequence[Outcome], outputs: Outputs
) -> Iterator[tuple[Input, Path, list[Outcome]]]:
    """Each file of which a copy is wanted and that could be read, with all its sheets."""
    for one in inputs:
        target = outputs.targets.get(one.name)
        told = [
            outcome
            for outcome in outcomes
            if outcome.checked.file == one.name and outcome.checked.error is None
        ]
        if target is not None and told:
            yield one, target, told


def _refuse_places(
    inputs: Sequence[Input], sheets: Sequence[CheckedSheet], outputs: Outputs, asked: Asked
) -> None:
    """Nothing is sent whose answer could not be written where it was asked for."""
    if outputs.is_in_place:
        return
    summary = Summary(SUMMARY, ())
    for one, target, told in _copies(inputs, [Outcome(sheet) for sheet in sheets], outputs):
        headings = [verdicts.notes(outcome.checked, tuple) for outcome in told]
        dialect = asked.dialect
        refuse_place(one.path, target, headings, summary, dialect.csv_fallback, dialect.reading)


def _annotate(
    inputs: Sequence[Input], outcomes: Sequence[Outcome], outputs: Outputs, asked: Asked
) -> None:
    """Writes the annotated copy of each file; all its sheets in one go.

    A copy that cannot be written keeps back neither the others nor what is told of the rows.
    """
    for one, target, told in _copies(inputs, outcomes, outputs):
        failed = None
        try:
            annotate(
                one.path,
                target,
                [verdicts.notes(outcome.checked, outcome.verdicts or tuple) for outcome in told],
                summary_sheet(told),
                overwrite=outputs.is_in_place,
                csv_fallback=asked.dialect.csv_fallback,
                limits=asked.dialect.reading,
            )
        except FeedtoolError as error:
            failed = error
        for outcome in told:
            outcome.annotated, outcome.copy_failed = None if failed else target, failed


def exit_code(outcomes: Sequence[Outcome], stopped: FeedtoolError | None = None) -> Exit:
    """The exit code of a command: the first of the contract's precedence that occurred."""
    codes = {_exit_of(outcome) for outcome in outcomes}
    codes |= {outcome.copy_failed.exit for outcome in outcomes if outcome.copy_failed}
    if stopped:
        codes.add(stopped.exit)
    return next((code for code in EXIT_PRECEDENCE if code in codes), Exit.NOTHING)


def _exit_of(outcome: Outcome) -> Exit:
    if outcome.checked.error:
        return outcome.checked.error.exit
    counts = outcome.counts()
    statuses = counts.by_status
    if Status.PENDING in statuses:
        return Exit.PENDING
    return Exit.ROWS if counts.invalid or set(statuses) - GOOD else Exit.OK
