"""Giving a run up that can never go on, but not while anything of it may still be applied."""

from collections.abc import Iterator
from datetime import datetime

from feedtool.delivery.deadlines import OPEN_FOR, RESULTS_FOR, Clock
from feedtool.ledger import Ledger, Package, Phase, Stage
from feedtool.ledger.lock import hold
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status

FINAL = {Phase.INTEGRATED, Phase.READ, Phase.LOOKING}
"""The service is done with the package; not all of its answer is read here."""

NEVER_SENT = "Not sent: the run was given up."
NEVER_COMMITTED = "Not in force: the run was given up before its package was committed."
NOT_READ = "The run was given up before the service's answer was fetched."


def abandon(ledger: Ledger, run_id: int, now: datetime, clock: Clock) -> list[str]:
    """Give a run up; the lines say what is in doubt.

    Raises:
        UsageProblem: Something of it may still be applied, or another process is at work for the
            seller.
    """
    run = ledger.run(run_id)
    if run is None:
        raise ValueError(f"the ledger has no run {run_id}")
    with hold(ledger.engine, run.seller, run.service, command="runs", now=now):
        packages = [p for p in ledger.read_packages(run_id) if p.phase is not Phase.CLOSED]
        for package in packages:
            if open_until := may_be_applied(package, clock):
                raise UsageProblem(
                    f"run {run_id} cannot be given up yet: {_why(package)}",
                    f"go on with it: feedtool resume {run_id}; or give it up after"
                    f" {clock.shown(open_until):%Y-%m-%d %H:%M} UTC",
                )
        rows = ledger.abandon(run_id, now, {p.key: end_of(p) for p in packages})
    return list(_doubts(packages, rows))


def may_be_applied(package: Package, clock: Clock) -> datetime | None:
    """The time until which something of a package may still be applied; None where nothing can be.

    What was committed, or sent, is taken for over when the service no longer keeps its results:
    3 days. An upload without an answer counts for as long as its package is open: 6 hours.
    """
    if package.phase is Phase.CLOSED or package.phase in FINAL:
        return None
    until = None
    if package.committed_at is not None:
        until = package.committed_at + clock.skew + RESULTS_FOR  # it was noted by our clock
    elif package.created_at and _has_doubtful(package):
        until = package.created_at + OPEN_FOR
    return until if until and clock.service < until else None


def end_of(package: Package) -> tuple[Status, str]:
    """The status of a package's rows without a result, and its reason."""
    if package.committed_at is not None:
        return Status.UNKNOWN, NOT_READ
    was_begun = package.package_id is not None
    return Status.HELD, NEVER_COMMITTED if was_begun else NEVER_SENT


def _has_doubtful(package: Package) -> bool:
    return bool(package.staged(Stage.DOUBTFUL) or package.staged(Stage.SENDING))


def _named(package: Package) -> str:
    kind = ", ".join(filter(None, (package.package_type, package.channel)))
    return f"package {package.package_id or package.number} ({kind})"


def _why(package: Package) -> str:
    if package.committed_at is None:
        return f"{_named(package)} is open, and the answer to an upload was lost"
    if package.package_id is None:
        return f"the answer to {_named(package)} was lost, and it may have been taken"
    return f"{_named(package)} is committed, and the service has not said what came of it"


def _doubts(packages: list[Package], rows: dict[int, int]) -> Iterator[str]:
    for package in packages:
        if rows[package.key] and package.committed_at is not None:
            yield (
                f"{_named(package)}: rows without a result: {rows[package.key]:,}; whether they"
                " are in force is not known, `feedtool export` shows it"
            )
