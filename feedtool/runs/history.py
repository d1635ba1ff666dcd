"""Runs as the ledger shows them: how far each is, and what will be lost when. Nothing is sent."""

from collections.abc import Callable
from itertools import islice

from feedtool.areas.registry import load
from feedtool.delivery.deadlines import Clock, deadline, warnings
from feedtool.ledger import File, Ledger, Package, Phase, Run
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.report.runs import InputState, PackageState, RunState
from feedtool.runs.run_record import RunOptions

ClockOf = Callable[[str], Clock]
"""The clock of the service of an address."""


def run_state(ledger: Ledger, run_id: int, clock_of: ClockOf) -> RunState:
    """One run. UsageProblem where there is none of that number."""
    run = ledger.run(run_id)
    if run is None:
        raise UsageProblem(f"there is no run {run_id}", "`feedtool runs` lists them")
    return _state(ledger, run, clock_of)


def every_run(
    ledger: Ledger,
    clock_of: ClockOf,
    last: int | None = None,
    on_unreadable: Callable[[str], None] = lambda _: None,
) -> list[RunState]:
    """All runs, or the last ones, newest first.

    A run whose rows in the ledger cannot be read hides no other: `on_unreadable` gets the reason.
    """
    states = []
    for run_id in islice(ledger.run_ids(), last):
        try:
            states.append(run_state(ledger, run_id, clock_of))
        except (UsageProblem, ValueError, LookupError, TypeError, ArithmeticError) as error:
            on_unreadable(f"run {run_id} cannot be shown: {error}")
    return states


def _state(ledger: Ledger, run: Run, clock_of: ClockOf) -> RunState:
    files = ledger.files(run.run_id)
    names = {file.file: file.path for file in files}
    packages = ledger.read_packages(run.run_id)
    recorded = RunOptions.from_json(run.options)
    counts = ledger.statuses(run.run_id)
    counts[Status.INVALID] += recorded.invalid
    is_open = [package.phase is not Phase.CLOSED for package in packages]
    needs_clock = any(is_open) or any(package.created_at for package in packages)
    clock = clock_of(run.service) if needs_clock else Clock(run.started_at)
    return RunState(
        run.run_id,
        run.started_at,
        recorded.who,
        run.seller,
        run.service,
        _inputs(recorded, files),
        {status: counts[status] for status in sorted(counts) if counts[status]},
        [_package(package, names[package.file], run, clock) for package in packages],
        warnings(packages, clock, load().routes),
        is_finished=recorded.is_whole(files) and not any(is_open),
        abandoned=recorded.abandoned,
    )


def _inputs(recorded: RunOptions, files: list[File]) -> list[InputState]:
    """The files, and the kinds that their sheets were sent as."""
    kinds: dict[str, list[str]] = {}
    for file in files:
        kinds.setdefault(file.path, []).append(file.kind)
    known = dict(recorded.inputs) or {file.path: file.sha256 for file in files}
    return [InputState(name, sha256, kinds.get(name, [])) for name, sha256 in known.items()]


def _package(package: Package, file: str, run: Run, clock: Clock) -> PackageState:
    next_ = deadline(package, clock, load().routes)
    created = package.created_at and clock.shown(package.created_at)
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
        clock.shown(next_.at) if next_ else None,
        next_.what if next_ else "",
        next_.at - clock.service if next_ else None,
        next_.describe(clock) if next_ else "",
    )
