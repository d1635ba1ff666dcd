"""What the ledger tells of runs: how far each is, and what will be lost when. Nothing is sent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from feedtool.delivery.deadlines import deadline
from feedtool.errors import UsageProblem
from feedtool.ledger import Phase
from feedtool.recorded import Recorded
from feedtool.report.runs import PackageState, RunState

if TYPE_CHECKING:
    from feedtool.ledger import Ledger, Package, Run


def run_state(ledger: Ledger, run_id: int) -> RunState:
    """One run. UsageProblem where there is none of that number."""
    run = ledger.run(run_id)
    if run is None:
        raise UsageProblem(f"there is no run {run_id}", "`feedtool runs` lists them")
    return _state(ledger, run)


def every_run(ledger: Ledger) -> list[RunState]:
    """All runs, newest first."""
    return [_state(ledger, run) for run in ledger.runs()]


def _state(ledger: Ledger, run: Run) -> RunState:
    files = ledger.files(run.run_id)
    names = {file.file: file.path for file in files}
    packages = ledger.read_packages(run.run_id)
    counts = Counter(one.status for file in files for one in ledger.verdicts(file.file))
    return RunState(
        run.run_id,
        run.started_at,
        run.seller,
        run.service,
        list(dict.fromkeys(names.values())),
        {status: counts[status] for status in sorted(counts)},
        [_package(package, names[package.file]) for package in packages],
        is_finished=Recorded.from_json(run.options).is_whole(files)
        and all(package.phase is Phase.CLOSED for package in packages),
    )


def _package(package: Package, file: str) -> PackageState:
    next_ = deadline(package)
    return PackageState(
        file,
        package.number,
        package.package_id,
        package.package_type,
        package.channel,
        package.phase,
        package.state,
        package.rows,
        package.created_at,
        next_.at if next_ else None,
        next_.what if next_ else "",
    )
