"""The feature list, in order: the only module that sequences the hops.

validate   check → annotate
submit     keep → check → plan → (show it | write requests) → deliver → annotate
resume     deliver → check what was kept → annotate
results    the same, without sending anything new
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feedtool import plan, verdicts
from feedtool.check import Asked, Input, check
from feedtool.check.result import CheckedSheet
from feedtool.copies import Outputs, digest_of, refuse_places, write
from feedtool.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, FileProblem, UsageProblem
from feedtool.model import Message, PackageSummary, Status, Verdict
from feedtool.recorded import Recorded
from feedtool.report import Outcome
from feedtool.requests import write_requests
from feedtool.service.wire import Sender, UploadBody

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.delivery.events import Event
    from feedtool.ledger import Ledger, Run
    from feedtool.ledger.snapshots import Snapshots

GOOD = frozenset({Status.VALID, Status.INTEGRATED, Status.UNCHANGED, Status.SUPERSEDED})
"""What a row may have become in a run that ends with 0."""

UNWRITTEN = ""
"""In the place of a hash: what a run is to write there is not written yet."""

UNDELIVERED = frozenset({"products"})
"""Kinds of feed that are checked and planned, and cannot be delivered yet."""

NOT_BEGUN = "Not sent: the run stopped before it was begun."


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
    stopping: "Callable[[], FeedtoolError | None]" = lambda: None
    """Why no step is to be begun any more, once that is so."""
    profile: str | None = None
    """The account's name in the configuration, if it was reached by that."""
    is_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Books:
    """What outlives a command."""

    ledger: "Ledger"
    snapshots: "Snapshots"
    folder: Path
    """Where copies go that cannot be written where they belong."""

    def keep(self, one: Input) -> "Kept":
        """A file as it is now; what cannot be read is told where it is read."""
        try:
            sha256 = self.snapshots.keep(one.path)
            return Kept(Input(one.name, self.snapshots.path_of(sha256)), sha256)
        except FileProblem:
            return Kept(one, None)

    def spares(self, run: int, target: Path) -> Iterator[Path]:
        """Other places for a copy: beside it, then with the ledger."""
        yield target.with_name(f"{target.stem}.run-{run}{target.suffix}")
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        yield self.folder / f"{target.stem}.run-{run}{target.suffix}"


class Kept(NamedTuple):
    """An input that stays as it is, whatever becomes of the user's file."""

    file: Input
    sha256: str | None
    """None where it could not be read."""


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
            outcome.verdicts = partial(verdicts.of_check, outcome.checked)
        write(inputs, outcomes, outputs, asked)
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
) -> Submission:
    """Checks files, sends what is valid, waits, and writes the annotated copies.

    What stops the delivery is no reason to keep back what is known of the rows: it is told in
    `Submission.stopped`, beside the outcomes.
    """
    snapshots = [books.keep(one) for one in inputs]
    kept = [one.file for one in snapshots]
    sheets = check(kept, asked)
    _refuse_undelivered(sheets)
    refuse_places(inputs, sheets, outputs, asked)
    if all(sheet.error for sheet in sheets):
        return Submission([Outcome(sheet) for sheet in sheets])
    if is_all_or_nothing and not _all_clean(sheets):
        outcomes = [_planned(sheet, asked, is_sent=False) for sheet in sheets]
        write(kept, outcomes, outputs, asked)
        return Submission(outcomes)
    if requests:
        write_requests(requests, sheets, asked.dialect)
    recorded = Recorded(
        [(one.file.name, one.sha256) for one in snapshots if one.sha256],
        asked,
        outputs,
        service.profile,
        service.is_sandbox,
        [(sheet.file, sheet.sheet) for sheet in sheets if sheet.error is None],
    )
    from feedtool.delivery.deadlines import warnings
    from feedtool.delivery.strangers import strangers

    with books.ledger.hold(service.seller, service.address, command="submit", now=service.now()):
        run = books.ledger.start_run(
            now=service.now(),
            seller=service.seller,
            service=service.address,
            language=service.language,
            options=recorded.as_json(),
        )
        _record(books, run, sheets, recorded, service.now())
        open_ones = books.ledger.irrevocable(run)
        told = [*warnings(open_ones, service.now()), *strangers(books.ledger, service.client)]
        stopped = _deliver(run, asked, service, books, wait=wait, on_event=on_event)
        outcomes = _answered(sheets, books.ledger, run, stopped)
        if stopped is None or _has_begun(outcomes):
            _write_out(run, kept, outcomes, recorded, service.now(), books)
    return Submission(outcomes, stopped, told)


def _refuse_undelivered(sheets: Iterable[CheckedSheet]) -> None:
    """Nothing is sent of files that hold what cannot be."""
    for sheet in sheets:
        if sheet.kind in UNDELIVERED:
            raise UsageProblem(
                f"{sheet.file}, sheet {sheet.sheet}: {sheet.kind} cannot be sent yet"
                if sheet.sheet
                else f"{sheet.file}: {sheet.kind} cannot be sent yet",
                "nothing was sent; `validate` checks them, and `submit --dry-run --requests DIR` "
                "writes what would be sent",
            )


def resume(
    run: int,
    service: Service,
    books: Books,
    *,
    wait: bool = True,
    only_fetch: bool = False,
    on_event: "Callable[[Event], None]" = lambda _: None,
) -> Submission:
    """Goes on with a run, at whatever point it was left, and writes where it was told to.

    With `only_fetch` nothing is sent: what is committed is brought to its end.
    """
    from feedtool.delivery.deadlines import warnings

    recorded = recorded_of(run, books)
    command = "results" if only_fetch else "resume"
    with books.ledger.hold(service.seller, service.address, command=command, now=service.now()):
        if not only_fetch and not recorded.is_whole(books.ledger.files(run)):
            sheets = check(_kept(recorded, books), recorded.asked)
            _record(books, run, sheets, recorded, service.now())
        told = warnings(books.ledger.read_packages(run), service.now())
        stopped = _deliver(
            run, recorded.asked, service, books, wait=wait, only_fetch=only_fetch, on_event=on_event
        )
        return Submission(results(run, books, service.now(), stopped), stopped, told)


def results(
    run: int, books: Books, now: datetime, stopped: FeedtoolError | None = None
) -> list[Outcome]:
    """Writes the annotated copies of a run again, from its snapshots and the ledger alone."""
    recorded = recorded_of(run, books)
    kept = _kept(recorded, books)
    outcomes = _answered(check(kept, recorded.asked), books.ledger, run, stopped)
    _write_out(run, kept, outcomes, recorded, now, books)
    return outcomes


def recorded_of(run: int, books: Books) -> Recorded:
    """What the command of a run was told. UsageProblem where there is no such run."""
    found = books.ledger.run(run)
    if found is None:
        raise UsageProblem(f"there is no run {run}", "`feedtool runs` lists them")
    return Recorded.from_json(found.options)


def unfinished(books: Books) -> list[int]:
    """The runs to go on with, oldest first.

    Those with a package that is not closed, those that were killed before all of their rows were
    in the ledger, and those that were killed before their answers were written.
    """
    open_ones = set(books.ledger.unfinished())
    runs = reversed(books.ledger.runs())
    return [run.run_id for run in runs if run.run_id in open_ones or _is_left(run, books)]


def has_to_ask(run: int, books: Books) -> bool:
    """Whether anything of a run is still to be sent to the service, or to be fetched from it."""
    is_whole = recorded_of(run, books).is_whole(books.ledger.files(run))
    return not is_whole or run in books.ledger.unfinished()


def _is_left(run: "Run", books: Books) -> bool:
    recorded = Recorded.from_json(run.options)
    if not recorded.is_whole(books.ledger.files(run.run_id)):
        return True
    return any(
        books.ledger.output(str(target.absolute())) == UNWRITTEN
        and not any(
            books.ledger.output(str(spare.absolute())) for spare in books.spares(run.run_id, target)
        )
        for target in recorded.wanted()
    )


def _kept(recorded: Recorded, books: Books) -> list[Input]:
    return [Input(name, books.snapshots.path_of(sha256)) for name, sha256 in recorded.inputs]


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
    from feedtool.delivery.decide import Settings
    from feedtool.delivery.deliver import deliver

    try:
        deliver(
            books.ledger,
            run,
            service.client,
            now=service.now,
            sleep=service.sleep,
            on_event=on_event,
            wait=wait,
            only_fetch=only_fetch,
            pool=service.pool,
            stopping=service.stopping,
            settings=Settings(
                upload_body=UploadBody(asked.dialect.upload_body),
                results_limit=service.page,
                batch_pause=timedelta(seconds=asked.dialect.batch_pause),
            ),
        )
    except FeedtoolError as error:
        return error
    return None


def _has_begun(outcomes: Iterable[Outcome]) -> bool:
    return any(package.package_id for one in outcomes for package in one.packages)


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
    reason = "not sent, since not all rows of all files are valid (--all-or-nothing)"
    return _not_sent(sheet, Status.HELD, reason)


def _not_sent(sheet: CheckedSheet, status: Status, reason: str) -> Iterator[Verdict]:
    for verdict in verdicts.of_check(sheet):
        is_valid = verdict.status is Status.VALID
        messages = (Message("", reason),)
        yield verdict._replace(status=status, messages=messages) if is_valid else verdict


def _record(
    books: Books, run: int, sheets: Iterable[CheckedSheet], recorded: Recorded, now: datetime
) -> None:
    """Writes down what is to be written, and the sheets' rows before any of them is sent.

    What is there already stays: whoever was killed in the midst of it goes on.
    """
    for target in recorded.wanted():
        books.ledger.add_output(run, str(target.absolute()), UNWRITTEN, now)
    there = {(file.path, file.sheet) for file in books.ledger.files(run)}
    for sheet in sheets:
        if sheet.error is None and (sheet.file, sheet.sheet) not in there:
            books.ledger.add_file(
                run,
                _uploads(sheet, recorded.asked),
                path=sheet.file,
                sha256=dict(recorded.inputs)[sheet.file],
                kind=sheet.kind or "",
                sheet=sheet.sheet,
            )


def _answered(
    sheets: Iterable[CheckedSheet], ledger: "Ledger", run: int, stopped: FeedtoolError | None
) -> list[Outcome]:
    """What is told of sheets after their delivery."""
    files = {(file.path, file.sheet): file.file for file in ledger.files(run)}
    outcomes = []
    for sheet in sheets:
        file = files.get((sheet.file, sheet.sheet))
        outcome = Outcome(sheet, str(run), is_submitted=True, stopped=stopped)
        if file is not None:
            outcome.packages = ledger.packages(file)
            outcome.verdicts = partial(_every_row, sheet, ledger, file)
        elif sheet.error is None:
            outcome.verdicts = partial(_not_sent, sheet, Status.PENDING, NOT_BEGUN)
        outcomes.append(outcome)
    return outcomes


def _every_row(sheet: CheckedSheet, ledger: "Ledger", file: int) -> Iterator[Verdict]:
    return verdicts.every_row(sheet, ledger.verdicts(file))


def _write_out(
    run: int,
    kept: Sequence[Input],
    outcomes: Sequence[Outcome],
    recorded: Recorded,
    now: datetime,
    books: Books,
) -> None:
    """Writes the annotated copies of a run, and where they cannot be written, nearby."""
    hashes = {str(recorded.outputs.targets.get(name)): sha for name, sha in recorded.inputs}

    def may_replace(place: Path) -> bool:
        found = digest_of(place)
        known = (hashes.get(str(place)), books.ledger.output(str(place.absolute())))
        return found is None or found in known

    def note(place: Path) -> None:
        books.ledger.add_output(run, str(place.absolute()), digest_of(place) or "", now)

    write(
        kept,
        outcomes,
        recorded.outputs,
        recorded.asked,
        spares=partial(books.spares, run),
        may_replace=may_replace,
        on_written=note,
    )


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
