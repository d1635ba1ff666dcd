"""The steps of a delivery, and the intents that are written before them. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.feeds.direct import Act
from feedtool.feeds.feed import Travel
from feedtool.ledger import Attempt, Package, Phase, Stage
from feedtool.model.nouns import PendingRow
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr


class Step(StrEnum):
    """A step of a package."""

    CLEAR = "clear"
    """See which of the rows may be in flight; nothing is asked of the service."""
    CLOSE = "close"
    """Count the results; nothing is asked of the service."""
    CREATE = tr("create")
    UPLOAD = tr("upload")
    GET_PACKAGE = tr("look")
    COMMIT = tr("commit")
    GET_RESULTS = tr("fetch")
    """Read a page of results."""
    LOOKUP = tr("seek")
    """Look up rows that no result names."""
    SUBMIT = tr("submit")
    """Stage and commit in one."""
    FIND_REPORT = tr("find")
    """Read a page of reports, to see whether a package was taken whose answer was lost."""
    GET_REPORT = tr("report")
    """Read a page of a package's report."""
    GET_LOG = tr("log")
    """Read a page of a package's log."""
    CHECK = tr("check")
    """Look where a single request stands, before it is sent."""
    CALL = tr("call")
    """Send a single request."""
    CONFIRM = tr("confirm")
    """Look whether a single request took effect whose answer was lost."""
    FOLLOW = tr("follow")
    """Look how far a single request is that was taken."""


GO_ON = tr("Go on with `feedtool resume`: what has been sent is not sent again.")

LOCAL = {Step.CLEAR, Step.CLOSE}
"""Steps that ask nothing of the service."""

SINGLE = {Step.CHECK, Step.CALL, Step.CONFIRM, Step.FOLLOW}
"""Steps of single requests."""

AT_ONCE = {Step.SUBMIT, Step.CALL}
"""Steps that stage and commit in one."""

READ_REPORTS = {Step.FIND_REPORT, Step.GET_REPORT}
"""Steps that read reports of single rows."""


class CallSettings(Struct, frozen=True):
    """The account's settings, by which the areas make their calls."""

    dialect: AccountSettings = field(default_factory=AccountSettings)
    seller: str = ""
    """The account's SellerId."""
    results_limit: int | None = None
    """Results of a page; None leaves that to the service."""


class DeliverySettings(Struct, frozen=True):
    """Limits and pauses of a delivery. None of these is in the specification."""

    calls: CallSettings = CallSettings()
    patience: timedelta = timedelta(hours=1)
    """A package that makes no progress for so long is waited for no more."""
    failures: int = 6
    """So many calls in a row without an answer end the run."""
    creations: int = 3
    """So often a package is created when the one before has vanished uncommitted."""
    readings: int = 3
    """So often the results are read when some of them are missing."""
    filling: timedelta = timedelta(hours=5)
    """A package is filled for so long: to an hour before it would expire."""
    before_seeking: timedelta = timedelta(minutes=1)
    """Between the results and a look-up of the rows that they lack."""
    sought: int = 50
    """So many rows are looked up at a time."""
    batch_pause: timedelta = timedelta(0)
    """Between two packages of which reports tell."""
    quota_pause: timedelta = timedelta(hours=1)
    """No package that reports tell of is sent for so long after a quota was used up."""
    put_offs: int = 24
    """So often a row is sent that is refused for a quota alone."""
    before_resending: timedelta = timedelta(minutes=10)
    """The service may be silent of a package, whose answer was lost, for so long."""
    submissions: int = 2
    """So often a package is submitted whose answer was lost; with 0 nothing is sent again."""
    doubts: int = 3
    """While of so many packages it is not known whether they were taken no other one is sent."""
    forgotten: timedelta = timedelta(days=3)
    """A report of a package may still come for so long after it was submitted."""


class StepIntent(NamedTuple):
    """One step of one package, as it is written down before its call."""

    package: int
    step: Step
    attempt: int
    """Its number among the package's attempts."""
    upload: int = 0
    """Its number; 0 for the other steps."""
    package_id: str | None = None
    """For which of the service's packages it is meant."""
    rows: tuple[PendingRow, ...] = ()
    """The rows that are looked up, or whose reports are asked for."""
    act: Act | None = None


def intend(
    package: Package,
    step: Step,
    upload: int,
    travel: Travel,
    now: datetime,
    skew: timedelta = timedelta(0),
) -> tuple[Package, StepIntent, Attempt]:
    """The records before the call of a step: from then on it may have been sent.

    `skew` is the time that the service's clock is ahead of `now`.
    """
    number = package.attempts + 1
    after = replace(package, attempts=number, since=package.since or now)
    if step is Step.CREATE:
        after = replace(after, phase=Phase.CREATING)
    if step is Step.COMMIT:
        after = replace(after, phase=Phase.COMMITTING, committed_at=package.committed_at or now)
    if step in AT_ONCE:
        after = replace(
            after,
            phase=Phase.SUBMITTING,
            committed_at=package.committed_at or now,
            # Where rows are looked up only an answer tells: they are compared to the second.
            created_at=None if travel.lookup else now + skew,
            creations=package.creations + 1,
        )
    if step in {Step.UPLOAD, *AT_ONCE}:
        after = after.with_stage(upload or 1, Stage.SENDING)
    intent = StepIntent(package.key, step, number, upload, package.package_id)
    return after, intent, Attempt(number, step, now, upload or None)


def resume(package: Package) -> Package:
    """A package as a new process finds it: whatever was under way has had no answer.

    An upload that may have been sent is in doubt, and never sent again in its package.
    """
    if package.phase is Phase.CLOSED:
        return package
    stages = tuple(Stage.DOUBTFUL if stage is Stage.SENDING else stage for stage in package.uploads)
    phases = {Phase.FILLING: Phase.PROBING}
    if not package.creations:  # whatever was seen of it is old by now
        phases[Phase.CHECKED] = Phase.CLEARED
    return replace(
        package,
        uploads=stages,
        phase=phases.get(package.phase, package.phase),
        baseline=package.baseline if package.creations else None,
        blocked_by=frozenset(),
        # The address of a page may be stale, and reading again is harmless.
        link=None,
        pages=0,
        tries=0,
        failures=0,
        since=None,
        due=None,
    )
