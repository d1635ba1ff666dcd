"""The steps of a delivery, and the intents that are written before them. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.feeds.direct import RequestAttempt
from feedtool.feeds.feed import Travel
from feedtool.ledger import Attempt, Package, Phase, Stage
from feedtool.model.nouns import PendingRow
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr


class Step(StrEnum):
    """A step of a package."""

    CLEAR = "clear"
    """Find the rows that may be in flight; without a call."""
    CLOSE = "close"
    """Count the results; without a call."""
    CREATE = tr("create")
    UPLOAD = tr("upload")
    GET_PACKAGE = tr("look")
    COMMIT = tr("commit")
    GET_RESULTS = tr("fetch")
    """Read a page of results."""
    LOOKUP = tr("seek")
    """Look up rows without a result."""
    SUBMIT = tr("submit")
    """Stage and commit by one call."""
    FIND_REPORT = tr("find")
    """Read a page of reports, to find out if a package with a lost answer was taken."""
    GET_REPORT = tr("report")
    """Read a page of a package's report."""
    GET_LOG = tr("log")
    """Read a page of a package's log."""
    CHECK = tr("check")
    """Read the state of a single request's thing, before it is sent."""
    CALL = tr("call")
    """Send a single request."""
    CONFIRM = tr("confirm")
    """Find out if a single request with a lost answer took effect."""
    FOLLOW = tr("follow")
    """Read the progress of a single request that was taken."""


GO_ON = tr("Go on with `feedtool resume`: what has been sent is not sent again.")

LOCAL = {Step.CLEAR, Step.CLOSE}
"""Steps without a call."""

SINGLE = {Step.CHECK, Step.CALL, Step.CONFIRM, Step.FOLLOW}
"""Steps of single requests."""

AT_ONCE = {Step.SUBMIT, Step.CALL}
"""Steps that stage and commit by one call."""

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
    """The time without progress after which a package is no longer waited for."""
    failures: int = 6
    """Calls in a row without an answer that end the run."""
    creations: int = 3
    """Times that a package is created if the one before has vanished uncommitted."""
    readings: int = 3
    """Readings of the results while some are missing."""
    filling: timedelta = timedelta(hours=5)
    """The time in which a package is filled: it ends an hour before the package would expire."""
    before_lookup: timedelta = timedelta(minutes=1)
    """The pause between the results and a look-up of rows without one."""
    lookup_rows: int = 50
    """Rows in one look-up."""
    batch_pause: timedelta = timedelta(0)
    """The pause between two packages with reports."""
    quota_pause: timedelta = timedelta(hours=1)
    """The time after a used-up quota in which no package with reports is sent."""
    quota_sends: int = 24
    """Times that a row is sent which is refused only for a quota."""
    before_resending: timedelta = timedelta(minutes=10)
    """The time in which the service may not show a package with a lost answer."""
    submissions: int = 2
    """Times that a package with a lost answer is submitted; with 0 nothing is sent again."""
    most_in_doubt: int = 3
    """The number of packages in doubt from which on no further one is sent."""
    report_patience: timedelta = timedelta(days=3)
    """The time after a submission in which a package's report may still appear."""


class StepIntent(NamedTuple):
    """One step of one package, as saved before its call."""

    package: int
    step: Step
    attempt: int
    """The step's number among the package's attempts."""
    upload: int = 0
    """The upload's number; 0 for other steps."""
    package_id: str | None = None
    """The service's id of the package that it is meant for."""
    rows: tuple[PendingRow, ...] = ()
    """The rows that are looked up, or whose reports are read."""
    act: RequestAttempt | None = None


def intend(
    package: Package,
    step: Step,
    upload: int,
    travel: Travel,
    now: datetime,
    skew: timedelta = timedelta(0),
) -> tuple[Package, StepIntent, Attempt]:
    """The records to save before the call of a step: from then on it may have been sent.

    `skew` is the lead of the service's clock over `now`.
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
            # A look-up compares times to the second, which only an answer gives.
            created_at=None if travel.lookup else now + skew,
            creations=package.creations + 1,
        )
    if step in {Step.UPLOAD, *AT_ONCE}:
        after = after.with_stage(upload or 1, Stage.SENDING)
    intent = StepIntent(package.key, step, number, upload, package.package_id)
    return after, intent, Attempt(number, step, now, upload or None)


def resume(package: Package) -> Package:
    """A package in a new process: calls that were under way count as unanswered.

    An upload that may have been sent is in doubt, and never sent again in its package.
    """
    if package.phase is Phase.CLOSED:
        return package
    stages = tuple(Stage.DOUBTFUL if stage is Stage.SENDING else stage for stage in package.uploads)
    phases = {Phase.FILLING: Phase.PROBING}
    if not package.creations:  # its read state is old by now
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
