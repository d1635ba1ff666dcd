"""When something of a package is lost, by the service's clock. Pure.

Specification, part "Limits": an open package is kept 6 hours if it is not completed, results are
kept 3 days after the processing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from feedtool.feeds.delivery import Routes
from feedtool.ledger import Ledger, Package, Phase

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

    def is_near(self, clock: "Clock") -> bool:
        """True if it is to be warned of."""
        return self.at - clock.service <= self.soon

    def describe(self, clock: "Clock") -> str:
        """The loss with its time, over or to come."""
        when = f"{clock.shown(self.at):%Y-%m-%d %H:%M} UTC"
        return f"{self.was} ({when})" if self.at <= clock.earliest else f"{self.what} at {when}"


class Clock(NamedTuple):
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


def deadline(package: Package, clock: Clock, routes: Routes) -> Deadline | None:
    """The next loss of a package, by the service's clock; None where nothing can be lost."""
    if package.phase in FILLING and package.created_at:
        return Deadline(
            package.created_at + OPEN_FOR,
            "what was uploaded expires",
            "what was uploaded has expired",
            timedelta(hours=1),
        )
    # The commit was noted by our clock.
    since = package.finished_at or (package.committed_at and package.committed_at + clock.skew)
    has_log = package.phase is Phase.SUBMITTED and routes[package.package_type].has_log
    if since and (package.phase in READING or has_log):
        # Where the end of the processing is not known, it cannot have been before the commit.
        return Deadline(
            since + RESULTS_FOR,
            "its results are deleted",
            "its results have been deleted",
            timedelta(days=1),  # a daily job comes once more in time
        )
    return None


def soon(package: Package, clock: Clock, routes: Routes) -> str | None:
    """The text of a loss that is near, or over."""
    next_ = deadline(package, clock, routes)
    return next_.describe(clock) if next_ and next_.is_near(clock) else None


def warnings(packages: Iterable[Package], clock: Clock, routes: Routes) -> list[str]:
    """A warning for each package of which something is lost soon, or was."""
    lost = ((package, soon(package, clock, routes)) for package in packages)
    return [f"package {package.package_id}: {what}" for package, what in lost if what]


def warnings_of_others(ledger: Ledger, run_id: int, clock: Clock, routes: Routes) -> Iterator[str]:
    """The same for other open runs of the seller at the service."""
    this = ledger.run(run_id)
    if this is None:
        return
    for other in ledger.unfinished(this.seller):
        run = ledger.run(other)
        if run is None or other == run_id or run.service != this.service:
            continue
        for warning in warnings(ledger.read_packages(other), clock, routes):
            yield f"run {other}: {warning}; go on with it: feedtool resume {other}"
