"""When something of a package is lost, by the service's clock. Pure.

Specification, part "Limits": an open package is kept 6 hours if it is not completed, results are
kept 3 days after the processing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from feedtool.ledger import Phase

if TYPE_CHECKING:
    from feedtool.ledger import Package

OPEN_FOR = timedelta(hours=6)
RESULTS_FOR = timedelta(days=3)
SOON = timedelta(hours=1)
"""So long before it is lost something is warned of."""

FILLING = {Phase.FILLING, Phase.PROBING, Phase.FILLED, Phase.SETTLED, Phase.COMMITTING}
READING = {Phase.COMMITTED, Phase.INTEGRATED, Phase.READ}


class Deadline(NamedTuple):
    """What is lost, and when."""

    at: datetime
    what: str


def deadline(package: Package) -> Deadline | None:
    """What of a package is lost next; None where nothing can be."""
    if package.phase in FILLING and package.created_at:
        return Deadline(package.created_at + OPEN_FOR, "what was uploaded expires")
    since = package.finished_at or package.committed_at
    if package.phase in READING and since:
        # Where the end of the processing is not known, it cannot have been before the commit.
        return Deadline(since + RESULTS_FOR, "its results are deleted")
    return None


def soon(package: Package, now: datetime) -> str | None:
    """What of a package is lost soon, or was; `now` by the service's clock."""
    next_ = deadline(package)
    if next_ is None or next_.at - now > SOON:
        return None
    when = "since" if next_.at <= now else "at"
    return f"{next_.what} {when} {next_.at:%Y-%m-%d %H:%M} UTC"


def warnings(packages: list[Package], now: datetime) -> list[str]:
    """One for each package of which something is lost soon, or was."""
    told = ((package, soon(package, now)) for package in packages)
    return [f"package {package.package_id}: {what}" for package, what in told if what]
