"""When something of a package is lost, by the service's clock. Pure.

Specification, part "Limits": an open package is kept 6 hours if it is not completed, results are
kept 3 days after the processing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from feedtool.ledger import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from feedtool.ledger import Package

OPEN_FOR = timedelta(hours=6)
RESULTS_FOR = timedelta(days=3)

FILLING = {Phase.FILLING, Phase.PROBING, Phase.FILLED, Phase.SETTLED, Phase.COMMITTING}
READING = {Phase.COMMITTED, Phase.INTEGRATED, Phase.READ}


class Deadline(NamedTuple):
    """What is lost, and when."""

    at: datetime
    what: str
    was: str
    """The same, once it is over."""
    soon: timedelta
    """So long before it is warned of."""

    def is_over(self, now: datetime) -> bool:
        """Whether it has passed; `now` by the service's clock."""
        return self.at <= now

    def is_near(self, now: datetime) -> bool:
        """Whether it is to be warned of."""
        return self.at - now <= self.soon

    def told(self, now: datetime) -> str:
        """What is lost at which time, or was."""
        when = f"{self.at:%Y-%m-%d %H:%M} UTC"
        return f"{self.was} ({when})" if self.is_over(now) else f"{self.what} at {when}"


def deadline(package: Package) -> Deadline | None:
    """What of a package is lost next; None where nothing can be."""
    if package.phase in FILLING and package.created_at:
        return Deadline(
            package.created_at + OPEN_FOR,
            "what was uploaded expires",
            "what was uploaded has expired",
            timedelta(hours=1),
        )
    since = package.finished_at or package.committed_at
    is_read = package.phase in READING or (package.is_zip and package.phase is Phase.SUBMITTED)
    if is_read and since:
        # Where the end of the processing is not known, it cannot have been before the commit.
        return Deadline(
            since + RESULTS_FOR,
            "its results are deleted",
            "its results have been deleted",
            timedelta(days=1),  # a daily job comes once more in time
        )
    return None


def soon(package: Package, now: datetime) -> str | None:
    """What of a package is lost soon, or was; `now` by the service's clock."""
    next_ = deadline(package)
    return next_.told(now) if next_ and next_.is_near(now) else None


def in_real_time(package: Package, ahead: timedelta) -> Package:
    """The package with its times moved back by what the clock that they are by is ahead."""
    if not ahead:
        return package
    times = ("created_at", "committed_at", "finished_at")
    moved = {name: at - ahead for name in times if (at := getattr(package, name))}
    return replace(package, **moved)


def warnings(packages: Iterable[Package], now: datetime) -> list[str]:
    """One for each package of which something is lost soon, or was."""
    told = ((package, soon(package, now)) for package in packages)
    return [f"package {package.package_id}: {what}" for package, what in told if what]
