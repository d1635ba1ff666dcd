"""When something of a package is lost, by the service's clock, and when a run can be given up.

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
    """A loss and its time."""

    at: datetime
    what: str
    was: str
    """The same, once it is over."""
    soon: timedelta
    """So long before it is warned of."""

    def is_near(self, clock: "ServiceClock") -> bool:
        """True if it is to be warned of."""
        return self.at - clock.service <= self.soon

    def describe(self, clock: "ServiceClock") -> MessageText:
        """The loss with its time, over or to come."""
        time = f"{clock.shown(self.at):%Y-%m-%d %H:%M} UTC"
        if self.at <= clock.earliest:
            return tr("{loss} ({time})", loss=self.was, time=time)
        return tr("{loss} at {time}", loss=self.what, time=time)


class ServiceClock(NamedTuple):
    """The time at the service, as far as it is known here.

    How far ahead its clock is may be known from days ago, and ours may have been set right since.
    So what has passed by one of the two clocks alone is warned of, and not said to be lost.
    """

    ours: datetime
    skew: timedelta = timedelta(0)
    """The time that the service's clock is ahead of ours."""
    ahead: timedelta = timedelta(0)
    """The time that both are ahead of real time, which leaps in the embedded sandbox."""

    @property
    def service(self) -> datetime:
        """The time by the service's clock."""
        return self.ours + self.skew

    @property
    def earliest(self) -> datetime:
        """The one of the two clocks that is behind."""
        return min(self.ours, self.service)

    def shown(self, at: datetime) -> datetime:
        """A time of the ledger's in real time, which people read."""
        return at - self.ahead


def deadline(package: Package, clock: ServiceClock, routes: Routes) -> Deadline | None:
    """The next loss of a package, by the service's clock; None where nothing can be lost."""
    if package.phase in FILLING and package.created_at:
        return Deadline(
            package.created_at + OPEN_FOR,
            tr("what was uploaded expires"),
            tr("what was uploaded has expired"),
            timedelta(hours=1),
        )
    # The commit was noted by our clock.
    since = package.finished_at or (package.committed_at and package.committed_at + clock.skew)
    has_log = package.phase is Phase.SUBMITTED and routes[package.package_type].travel.has_log
    if since and (package.phase in READING or has_log):
        # Where the end of the processing is not known, it cannot have been before the commit.
        return Deadline(
            since + RESULTS_FOR,
            tr("its results are deleted"),
            tr("its results have been deleted"),
            timedelta(days=1),  # a daily job comes once more in time
        )
    return None


def soon(package: Package, clock: ServiceClock, routes: Routes) -> MessageText | None:
    """The text of a loss that is near, or over."""
    loss = deadline(package, clock, routes)
    return loss.describe(clock) if loss and loss.is_near(clock) else None


def warnings(packages: Iterable[Package], clock: ServiceClock, routes: Routes) -> list[str]:
    """A warning for each package of which something is lost soon, or was."""
    lost = ((package, soon(package, clock, routes)) for package in packages)
    return [
        tr("package {id}: {loss}", id=package.package_id, loss=loss)
        for package, loss in lost
        if loss
    ]


def warnings_of_others(
    ledger: Ledger, run_id: int, clock: ServiceClock, routes: Routes
) -> Iterator[str]:
    """The same for other open runs of the seller at the service."""
    this = ledger.run(run_id)
    for other in ledger.unfinished(this.seller) if this else ():
        run = ledger.run(other)
        if this and run and other != run_id and run.service == this.service:
            for warning in warnings(ledger.read_packages(other), clock, routes):
                yield tr(
                    "run {other}: {warning}; go on with it: feedtool resume {other}",
                    other=other,
                    warning=warning,
                )


FINAL = {Phase.INTEGRATED, Phase.READ, Phase.LOOKING, Phase.CLOSED}
"""The service is done with the package; perhaps not all of its answer is read here."""

NEVER_SENT = tr("Not sent: the run was given up.")
NEVER_COMMITTED = tr("Not in force: the run was given up before its package was committed.")
NOT_READ = tr("The run was given up before the service's answer was fetched.")


def abandon(
    ledger: Ledger, run_id: int, now: datetime, clock: ServiceClock, routes: Routes
) -> list[str]:
    """Give a run up; the lines say what is in doubt.

    Raises UsageProblem if something of it may still be applied, or another process is at work.
    """
    run = ledger.run(run_id)
    if run is None:
        raise ValueError(f"the ledger has no run {run}")
    with hold(ledger.engine, run.seller, run.service, command="runs", now=now):
        packages = [p for p in ledger.read_packages(run_id) if p.phase is not Phase.CLOSED]
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
        personal = [p.key for p in packages if routes[p.package_type].requests.is_personal]
        rows = ledger.abandon(run_id, now, {p.key: end_of(p) for p in packages}, personal)
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
    """The time until which something of a package may still be applied; None where nothing can be.

    What was committed, or sent, is taken for over when the service no longer keeps its results:
    3 days. An upload without an answer counts for as long as its package is open: 6 hours.
    """
    if package.phase in FINAL:
        return None
    until = None
    if package.committed_at is not None:
        until = package.committed_at + clock.skew + RESULTS_FOR  # it was noted by our clock
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
        "{package} is committed, and the service has not said what came of it",
        package=_named(package),
    )
