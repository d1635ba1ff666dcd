"""What the ledger tells of runs: how far each is, and what will be lost when. Nothing is sent."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from feedtool.delivery.deadlines import deadline, in_real_time, warnings
from feedtool.errors import UsageProblem
from feedtool.ledger import Phase
from feedtool.model import Status
from feedtool.recorded import Recorded
from feedtool.report.runs import InputState, PackageState, RunState

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from feedtool.ledger import File, Ledger, Package, Run

    Clock = Callable[[str], datetime]
    """The time at the service of an address."""
    Ahead = Callable[[str], timedelta]
    """What the times in the ledger are ahead of real time: where the embedded sandbox's leapt."""


def by_nothing(_service: str) -> timedelta:
    """No clock is ahead of real time."""
    return timedelta(0)


def run_state(ledger: Ledger, run_id: int, clock: Clock, ahead: Ahead = by_nothing) -> RunState:
    """One run. UsageProblem where there is none of that number."""
    run = ledger.run(run_id)
    if run is None:
        raise UsageProblem(f"there is no run {run_id}", "`feedtool runs` lists them")
    return _state(ledger, run, clock, ahead)


def every_run(
    ledger: Ledger,
    clock: Clock,
    last: int | None = None,
    only: int | None = None,
    ahead: Ahead = by_nothing,
) -> list[RunState]:
    """All runs, or the last ones, or a single one, newest first."""
    runs = (run for run in ledger.runs() if only in {None, run.run_id})
    return [_state(ledger, run, clock, ahead) for run in islice(runs, last)]


def _state(ledger: Ledger, run: Run, clock: Clock, ahead: Ahead) -> RunState:
    files = ledger.files(run.run_id)
    names = {file.file: file.path for file in files}
    packages = ledger.read_packages(run.run_id)
    recorded = Recorded.from_json(run.options)
    counts = ledger.statuses(run.run_id)
    counts[Status.INVALID] += recorded.invalid
    is_finished = recorded.is_whole(files) and all(one.phase is Phase.CLOSED for one in packages)
    if any(package.created_at for package in packages):
        packages = [in_real_time(package, ahead(run.service)) for package in packages]
    now = clock(run.service) if any(map(deadline, packages)) else run.started_at
    return RunState(
        run.run_id,
        run.started_at,
        recorded.who,
        run.seller,
        run.service,
        _inputs(recorded, files),
        {status: counts[status] for status in sorted(counts) if counts[status]},
        [_package(package, names[package.file], run, now) for package in packages],
        warnings(packages, now),
        is_finished=is_finished,
        abandoned=recorded.abandoned,
    )


def _inputs(recorded: Recorded, files: list[File]) -> list[InputState]:
    """The files, and as what their sheets were sent."""
    kinds: dict[str, list[str]] = {}
    for file in files:
        kinds.setdefault(file.path, []).append(file.kind)
    known = dict(recorded.inputs) or {file.path: file.sha256 for file in files}
    return [InputState(name, sha256, kinds.get(name, ())) for name, sha256 in known.items()]


def _package(package: Package, file: str, run: Run, now: datetime) -> PackageState:
    next_ = deadline(package)
    created = package.created_at
    if created and created < run.started_at:  # time has leapt since, and nobody noted how far
        created = run.started_at
    return PackageState(
        file,
        package.number,
        package.package_id,
        package.package_type,
        package.channel,
        package.phase,
        package.state,
        package.rows,
        created,
        next_.at if next_ else None,
        next_.what if next_ else "",
        next_.at - now if next_ else None,
        next_.told(now) if next_ else "",
    )
