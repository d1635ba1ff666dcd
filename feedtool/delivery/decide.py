"""Which steps come next, from the ledger's records of the packages and the time. Pure.

Specification, part "Offer package" (states) and "Offers (JSON packages)" (the routes). A package
goes, when nothing goes wrong,

    planned → cleared → creating → filling → filled → settled → committing → committed
            → integrated → read → closed

and `NEXT` says which step is taken in each phase. A batch of products (part "Catalog endpoints")
is staged and committed by one POST, and goes

    planned → cleared → submitting → submitted → closed

by the table `BATCH`; so does a legacy zip (part "Legacy offer routes") by the table `ZIP`, which
has a log to read. What an answer then makes of it is `learn`, `batches` and `zips`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from feedtool.areas.offers.wire.packages import UploadBody
from feedtool.ledger import Attempt, Phase, Stage
from feedtool.model.settings import Dialect

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from feedtool.ledger import Awaited, Package, Sought


class Do(StrEnum):
    """What a step does."""

    CLEAR = "clear"
    """See which of the rows may be in flight; nothing is asked of the service."""
    CREATE = "create"
    UPLOAD = "upload"
    LOOK = "look"
    """GET the package."""
    COMMIT = "commit"
    """PATCH Ready."""
    FETCH = "fetch"
    """GET a page of results."""
    CLOSE = "close"
    """Count the results; nothing is asked of the service."""
    SEEK = "seek"
    """GET the offers of rows that no result names."""
    SUBMIT = "submit"
    """POST a batch of products."""
    FIND = "find"
    """GET a page of reports, to see whether a batch was taken whose answer was lost."""
    REPORT = "report"
    """GET a page of a batch's report."""
    SEND = "send"
    """POST a legacy zip."""
    LOG = "log"
    """GET a page of a legacy zip's log."""


ALONE = {Do.SUBMIT, Do.SEND}
"""Steps that stage and commit in one."""

LOCAL = {Do.CLEAR, Do.CLOSE}
"""Steps that ask nothing of the service."""


NEXT: dict[Phase, Do | None] = {
    Phase.PLANNED: Do.CLEAR,
    Phase.CLEARED: Do.CREATE,
    Phase.CREATING: Do.CREATE,
    Phase.FILLING: Do.UPLOAD,
    Phase.PROBING: Do.LOOK,
    Phase.FILLED: Do.LOOK,
    Phase.SETTLED: Do.COMMIT,
    Phase.COMMITTING: Do.LOOK,
    Phase.COMMITTED: Do.LOOK,
    Phase.INTEGRATED: Do.FETCH,
    Phase.READ: Do.CLOSE,
    Phase.LOOKING: Do.SEEK,
    Phase.CLOSED: None,
}
"""The step that each phase waits for."""

BATCH: dict[Phase, Do | None] = {
    Phase.PLANNED: Do.CLEAR,
    Phase.CLEARED: Do.SUBMIT,
    Phase.SUBMITTING: Do.FIND,
    Phase.SUBMITTED: Do.REPORT,
    Phase.CLOSED: None,
}
"""The same of a batch of products. One whose POST is under way is busy: what is found SUBMITTING
has had no answer, or none that says what became of it."""

ZIP: dict[Phase, Do | None] = {
    Phase.PLANNED: Do.CLEAR,
    Phase.CLEARED: Do.SEND,
    Phase.SUBMITTING: Do.SEEK,
    Phase.SUBMITTED: Do.LOG,
    Phase.INTEGRATED: Do.LOG,
    Phase.READ: Do.CLOSE,
    Phase.LOOKING: Do.SEEK,
    Phase.CLOSED: None,
}
"""The same of a legacy zip, of which nothing is listed: where the answer to it is lost, the offers
tell what became of its rows."""

BEING_FILLED = {Phase.CLEARED, Phase.CREATING, Phase.FILLING, Phase.PROBING}
"""Until every upload has had its answer."""

AFTER_COMMIT = {
    *(Phase.COMMITTED, Phase.INTEGRATED, Phase.READ, Phase.LOOKING),
    *(Phase.SUBMITTED, Phase.CLOSED),
}
"""The service goes on by itself."""

IN_DOUBT = {Phase.CLEARED, Phase.SUBMITTING}
"""Of a batch that was sent it is not known here whether it was taken."""

FIRST = {Do.CLEAR, Do.SUBMIT}
"""Steps of a batch that come before the reports of others: these can be asked for at any time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a delivery goes about it. None of these is in the specification."""

    upload_body: UploadBody = UploadBody.ARRAY
    """The shape of an upload: a field of the dialect."""
    results_limit: int | None = None
    """How many results a page is asked for; None leaves that to the service."""
    patience: timedelta = timedelta(hours=1)
    """How long a package may make no progress before we stop waiting for it."""
    failures: int = 6
    """So many calls in a row without an answer end the run."""
    creations: int = 3
    """How often a package is created anew when the one before has vanished uncommitted."""
    readings: int = 3
    """How often the results are read when some of them are missing."""
    filling: timedelta = timedelta(hours=5)
    """How long after its creation a package is filled: an hour before it would expire."""
    before_seeking: timedelta = timedelta(minutes=1)
    """How long after the results were read the offers are asked what became of a row."""
    sought: int = 50
    """How many offers are asked for at a time."""
    batch_pause: timedelta = timedelta(0)
    """Between two batches of products."""
    quota_pause: timedelta = timedelta(hours=1)
    """After a report said that a quota was used up: how long no batch is sent."""
    put_offs: int = 24
    """How often a product is sent that is refused for a quota, and nothing else."""
    before_resending: timedelta = timedelta(minutes=10)
    """How long after a batch or a legacy zip was sent, and its answer lost, the reports or the
    offers may be silent of it."""
    submissions: int = 2
    """How often a batch is sent whose answer was lost."""
    doubts: int = 3
    """While of so many batches it is not known whether they were taken no other one is sent."""
    forgotten: timedelta = timedelta(days=3)
    """How long after a batch was sent a report of it may still come."""
    dialect: Dialect = field(default_factory=Dialect)
    """How legacy zips are written and sent, and which offers are what they ask for."""


class Step(NamedTuple):
    """One thing to do for one package."""

    package: int
    """Its key in the ledger."""
    do: Do
    attempt: int
    """Its number among the package's attempts."""
    upload: int = 0
    """Its number; 0 for the other steps."""
    package_id: str | None = None
    """For which of the service's packages it is meant."""
    sought: tuple[Sought, ...] = ()
    """The rows whose offers are asked for."""
    awaited: tuple[Awaited, ...] = ()
    """The products whose reports are asked for."""


def next_steps(
    packages: Sequence[Package],
    now: datetime,
    *,
    room: int,
    busy: Collection[int] = (),
    wait: bool = True,
    settings: Settings | None = None,
    skew: timedelta = timedelta(0),
) -> list[tuple[Package, Do, int]]:
    """At most `room` steps that may begin now: (package, what, upload).

    `busy` are the keys of packages that have a step other than an upload under way. Without
    `wait` a package is left alone once it is committed. `skew` is what the service's clock is
    ahead of `now`.
    """
    settings = settings or Settings()
    found: list[tuple[Package, Do, int]] = []
    for package in in_turn(packages, now, wait=wait, settings=settings):
        if (due := due_of(package, settings)) is not None and due > now:
            continue
        do = next_of(package)
        if do is None:
            continue
        if do is Do.UPLOAD and _is_late(package, now + skew, settings):
            is_busy = package.key in busy or package.staged(Stage.SENDING)
            found += [] if is_busy else [(package, Do.LOOK, 0)]
        elif do is Do.UPLOAD:
            found += [(package, do, number) for number in _uploads_to_send(package)]
        elif package.key not in busy:
            found.append((package, do, 0))
    found.sort(key=lambda step: not (step[0].is_batch and step[1] in FIRST))
    return found[:room]


def next_of(package: Package) -> Do | None:
    """The step that a package waits for."""
    if package.is_zip:
        return ZIP[package.phase]
    return BATCH[package.phase] if package.is_batch else NEXT[package.phase]


def due_of(package: Package, settings: Settings) -> datetime | None:
    """When a package's next step may come at the earliest.

    A zip whose answer was lost is looked for once it may have been integrated.
    """
    if not (package.is_zip and package.phase is Phase.SUBMITTING and package.committed_at):
        return package.due
    known = package.committed_at + min(settings.before_seeking, settings.before_resending)
    return max(known, package.due) if package.due else known


def _is_late(package: Package, now: datetime, settings: Settings) -> bool:
    """Whether a package is to be completed with what is in it; `now` by the service's clock."""
    return package.created_at is not None and now - package.created_at > settings.filling


def in_turn(
    packages: Sequence[Package], now: datetime, *, wait: bool, settings: Settings
) -> list[Package]:
    """The packages that something is to be done for, now or later.

    One at a time is filled, since an open package lives for 6 hours only; the planned ones wait
    for that, and for the open packages that hold their rows' keys or make their products. Batches
    of products wait while too many are in doubt. Without `wait` those are waited for all the same
    that offers are held back for.
    """
    needed = {key for p in packages if p.phase is Phase.PLANNED for key in p.blocked_by}
    waited_for = [
        p
        for p in packages
        if is_waited_for(p, now, wait=wait or (p.is_batch and p.key in needed), settings=settings)
    ]
    is_open = {p.key for p in packages if p.phase is not Phase.CLOSED}
    filling = [p.key for p in waited_for if p.phase in BEING_FILLED or _is_being_sent(p)]
    is_held = sum(p.phase in IN_DOUBT and is_in_doubt(p) for p in packages) >= settings.doubts
    planned = [
        p.key
        for p in waited_for
        if p.phase is Phase.PLANNED and not p.blocked_by & is_open and not (is_held and p.is_batch)
    ]
    first = set(filling or planned[:1])
    return [p for p in waited_for if p.phase is not Phase.PLANNED or p.key in first]


def waits_for_products(package: Package, packages: Mapping[int, Package]) -> bool:
    """Whether offers are held back for an answer to their products."""
    return not package.is_batch and any(
        packages[key].is_batch for key in package.blocked_by if key in packages
    )


def _is_being_sent(package: Package) -> bool:
    """Whether the POST of a batch or of a zip is under way."""
    return package.phase is Phase.SUBMITTING and package.uploads[0] is Stage.SENDING


def is_in_doubt(package: Package) -> bool:
    """Whether a batch was sent, and its answer lost."""
    is_sent = package.phase in IN_DOUBT and package.is_batch
    return is_sent and package.uploads[0] is Stage.DOUBTFUL


def _uploads_to_send(package: Package) -> list[int]:
    """The uploads that have not been sent; one at a time while things go wrong."""
    numbers = [n for n, stage in enumerate(package.uploads, 1) if stage is Stage.PLANNED]
    if package.failures or package.tries:
        return [] if package.staged(Stage.SENDING) else numbers[:1]
    return numbers


def is_waited_for(package: Package, now: datetime, *, wait: bool, settings: Settings) -> bool:
    """Whether anything is still to be done for a package, now or later."""
    if package.phase is Phase.CLOSED or (package.phase in AFTER_COMMIT and not wait):
        return False
    due = due_of(package, settings)
    begins = max(now, due) if due else now
    return begins - (package.since or now) <= settings.patience


def wake_at(
    packages: Sequence[Package], now: datetime, *, wait: bool, settings: Settings
) -> datetime | None:
    """When the next step may begin; None when there is none to wait for."""
    found = in_turn(packages, now, wait=wait, settings=settings)
    due = (due_of(package, settings) or now for package in found)
    return min(due, default=None)


def paced(
    packages: Iterable[Package],
    sent_at: datetime | None,
    settings: Settings,
    rest: datetime | None = None,
) -> Iterator[Package]:
    """The packages; the next batch is not sent before the pause after the one before is over.

    Nor before `rest`, when a quota has room again. To be held so is no lack of progress.
    """
    pause = sent_at + settings.batch_pause if sent_at and settings.batch_pause else None
    earliest = max(filter(None, (pause, rest)), default=None)
    for package in packages:
        if earliest and next_of(package) is Do.SUBMIT:
            (held,) = held_until([package], earliest)
            yield replace(held, since=held.due)
        else:
            yield package


def held_until(packages: Iterable[Package], hold: datetime) -> Iterator[Package]:
    """The packages, none of which is to be touched before `hold`."""
    for package in packages:
        yield package if package.due and package.due >= hold else replace(package, due=hold)


def intended(
    package: Package, do: Do, upload: int, now: datetime, skew: timedelta = timedelta(0)
) -> tuple[Package, Step, Attempt]:
    """What is written before the request of a step: from then on it may have been sent.

    `skew` is what the service's clock is ahead of `now`.
    """
    number = package.attempts + 1
    after = replace(package, attempts=number, since=package.since or now)
    if do is Do.CREATE:
        after = replace(after, phase=Phase.CREATING)
    if do is Do.COMMIT:
        after = replace(after, phase=Phase.COMMITTING, committed_at=package.committed_at or now)
    if do in ALONE:
        after = replace(
            after,
            phase=Phase.SUBMITTING,
            committed_at=package.committed_at or now,
            # Of a zip only an answer tells: offers are compared with it to the second.
            created_at=None if package.is_zip else now + skew,
            creations=package.creations + 1,
        )
    if do in {Do.UPLOAD, *ALONE}:
        after = staged(after, upload or 1, Stage.SENDING)
    step = Step(package.key, do, number, upload, package.package_id)
    return after, step, Attempt(number, do, now, upload or None)


def staged(package: Package, upload: int, stage: Stage) -> Package:
    """The package with one upload at another stage."""
    stages = package.uploads
    return replace(package, uploads=(*stages[: upload - 1], stage, *stages[upload:]))


def resumed(package: Package) -> Package:
    """A package as a new process finds it: whatever was under way has had no answer.

    An upload that may have been sent is in doubt, and never sent again in its package.
    """
    if package.phase is Phase.CLOSED:
        return package
    stages = tuple(Stage.DOUBTFUL if stage is Stage.SENDING else stage for stage in package.uploads)
    phase = Phase.PROBING if package.phase is Phase.FILLING else package.phase
    return replace(
        package,
        uploads=stages,
        phase=phase,
        blocked_by=frozenset(),
        # The address of a page may be stale, and reading again is harmless.
        link=None,
        pages=0,
        tries=0,
        failures=0,
        since=None,
        due=None,
    )
