"""Deadlines of packages by the service's clock, and giving up runs.

Specification, part "Limits": an open package is kept 6 hours if it is not completed, results are
kept 3 days after the processing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from feedtool.feeds.feed import Routes
from feedtool.ledger import Ledger, Package, Phase, Stage
from feedtool.ledger.lock import hold
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, tr

OPEN_FOR = timedelta(hours=6)
RESULTS_FOR = timedelta(days=3)

FILLING = {Phase.FILLING, Phase.PROBING, Phase.FILLED, Phase.SETTLED, Phase.COMMITTING}
READING = {Phase.COMMITTED, Phase.INTEGRATED, Phase.READ}


class Deadline(NamedTuple):
    """A coming or past loss, and its time."""

    at: datetime
    what: str
    was: str
    """The text of the loss once it has happened."""
    soon: timedelta
    """The time before the loss in which warnings are given."""

    def is_near(self, clock: "ServiceClock") -> bool:
        return self.at - clock.service <= self.soon

    def describe(self, clock: "ServiceClock") -> MessageText:
        time = f"{clock.shown(self.at):%Y-%m-%d %H:%M} UTC"
        if self.at <= clock.earliest:
            return tr("{loss} ({time})", loss=self.was, time=time)
        return tr("{loss} at {time}", loss=self.what, time=time)


class ServiceClock(NamedTuple):
    """The time at the service, as known here.

    The lead of its clock may be days old, and this machine's clock may have been corrected since.
    So a deadline that has passed by only one of the two clocks gives a warning, but is not called
    lost.
    """

    local: datetime
    skew: timedelta = timedelta(0)
    """The lead of the service's clock over the local one."""
    ahead: timedelta = timedelta(0)
    """The lead of both over real time, which leaps in the embedded sandbox."""

    @property
    def service(self) -> datetime:
        return self.local + self.skew

    @property
    def earliest(self) -> datetime:
        return min(self.local, self.service)

    def shown(self, moment: datetime) -> datetime:
        """Convert a time of the ledger to real time, for people."""
        return moment - self.ahead


def deadline(package: Package, clock: ServiceClock, routes: Routes) -> Deadline | None:
    """The next loss of a package, by the service's clock; None if nothing can be lost."""
    if package.phase in FILLING and package.created_at:
        return Deadline(
            package.created_at + OPEN_FOR,
            tr("what was uploaded expires"),
            tr("what was uploaded has expired"),
            timedelta(hours=1),
        )
    # The commit was noted by the local clock.
    since = package.finished_at or (package.committed_at and package.committed_at + clock.skew)
    has_log = package.phase is Phase.SUBMITTED and routes[package.package_type].travel.has_log
    if since and (package.phase in READING or has_log):
        # The processing cannot have ended before the commit.
        return Deadline(
            since + RESULTS_FOR,
            tr("its results are deleted"),
            tr("its results have been deleted"),
            timedelta(days=1),  # a daily job runs once more in time
        )
    return None


def soon(package: Package, clock: ServiceClock, routes: Routes) -> MessageText | None:
    loss = deadline(package, clock, routes)
    return loss.describe(clock) if loss and loss.is_near(clock) else None


def warnings(packages: Iterable[Package], clock: ServiceClock, routes: Routes) -> list[str]:
    """A warning for each package with a near or past loss."""
    lost = ((package, soon(package, clock, routes)) for package in packages)
    return [
        tr("package {id}: {loss}", id=package.package_id, loss=loss)
        for package, loss in lost
        if loss
    ]


def warnings_of_others(
    ledger: Ledger, run_id: int, clock: ServiceClock, routes: Routes
) -> Iterator[str]:
    """Warnings of other open runs of the seller at the service."""
    present = ledger.run(run_id)
    for other in ledger.unfinished(present.seller) if present else ():
        run = ledger.run(other)
        if present and run and other != run_id and run.service == present.service:
            for warning in warnings(ledger.read_packages(other), clock, routes):
                yield tr(
                    "run {other}: {warning}; go on with it: feedtool resume {other}",
                    other=other,
                    warning=warning,
                )


FINAL = {Phase.INTEGRATED, Phase.READ, Phase.LOOKING, Phase.CLOSED}
"""The service is done with the package; its answer may not be read completely yet."""

NEVER_SENT = tr("Not sent: the run was given up.")
NEVER_COMMITTED = tr("Not in force: the run was given up before its package was committed.")
NOT_READ = tr("The run was given up before the service's answer was fetched.")


def abandon(
    ledger: Ledger, run_id: int, now: datetime, clock: ServiceClock, routes: Routes
) -> list[str]:
    """Give a run up; the lines name packages in doubt.

    Raises UsageProblem if a package may still be applied, or another process is at work.
    """
    run = ledger.run(run_id)
    if run is None:
        raise ValueError(f"the ledger has no run {run_id}")
    with hold(ledger.engine, run.seller, run.service, command="runs", now=now):
        packages = [
            package for package in ledger.read_packages(run_id) if package.phase is not Phase.CLOSED
        ]
        for package in packages:
            if open_until := may_be_applied(package, clock):
                raise UsageProblem(
                    tr(
                        "run {run} cannot be given up yet: {why}",
                        run=run_id,
                        why=_why(package),
                    ),
                    tr(
                        "go on with it: feedtool resume {run}; or give it up after {until} UTC",
                        run=run_id,
                        until=f"{clock.shown(open_until):%Y-%m-%d %H:%M}",
                    ),
                )
        personal = [
            package.key for package in packages if routes[package.package_type].requests.is_personal
        ]
        rows = ledger.abandon(
            run_id, now, {package.key: end_of(package) for package in packages}, personal
        )
        ledger.counts.note(run_id, now)
    return [
        tr(
            "{package}: rows without a result: {rows:,}; whether they are in force is not "
            "known, `feedtool export` shows it",
            package=_named(package),
            rows=rows[package.key],
        )
        for package in packages
        if rows[package.key] and package.committed_at is not None
    ]


def may_be_applied(package: Package, clock: ServiceClock) -> datetime | None:
    """The time until which something of a package may still be applied; None if nothing can be.

    A committed, or sent, package counts as over when the service no longer keeps its results:
    3 days. An upload without an answer counts as long as its package is open: 6 hours.
    """
    if package.phase in FINAL:
        return None
    until = None
    if package.committed_at is not None:
        until = package.committed_at + clock.skew + RESULTS_FOR  # it was noted by the local clock
    elif package.created_at and (package.staged(Stage.DOUBTFUL) or package.staged(Stage.SENDING)):
        until = package.created_at + OPEN_FOR
    return until if until and clock.service < until else None


def end_of(package: Package) -> tuple[Status, str]:
    """The status of a package's rows without a result, and its reason."""
    if package.committed_at is not None:
        return Status.UNKNOWN, NOT_READ
    return Status.HELD, NEVER_SENT if package.package_id is None else NEVER_COMMITTED


def _named(package: Package) -> str:
    kind = ", ".join(filter(None, (package.package_type, package.channel)))
    return tr("package {id} ({kind})", id=package.package_id or package.number, kind=kind)


def _why(package: Package) -> str:
    if package.committed_at is None:
        return tr(
            "{package} is open, and the answer to an upload was lost", package=_named(package)
        )
    if package.package_id is None:
        return tr(
            "the answer to {package} was lost, and it may have been taken", package=_named(package)
        )
    return tr(
        "{package} is committed, and the service has not given its results yet",
        package=_named(package),
    )
