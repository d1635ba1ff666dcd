"""Runs as the ledger shows them: the progress of each, and the deadlines. Nothing is sent."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple, TextIO

from feedtool.areas.registry import load
from feedtool.delivery.deadlines import ServiceClock, deadline, warnings
from feedtool.feeds.selection import ReleasedGuard
from feedtool.ledger import Ledger, Package, Phase, Run
from feedtool.ledger.records import FORGOTTEN
from feedtool.ledger.run_lists import RunRows
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_entries, write_lines
from feedtool.report.plain import clean
from feedtool.report.statuses import state_word, statuses_text
from feedtool.runs.run_record import RunOptions

# Find the run of a number, or the reason why it is missing.


LISTED = tr("`feedtool runs` lists them")


def known_run(ledger: Ledger, run_id: int) -> Run:
    """Return a run of the ledger, forgotten or not; UsageProblem for an unknown number."""
    run = ledger.run(run_id)
    if run is None:
        raise UsageProblem(tr("there is no run {run}", run=run_id), LISTED)
    return run


def kept_run(ledger: Ledger, run_id: int) -> Run:
    """Return a run that is complete; UsageProblem as `known_run`, and if it was forgotten."""
    run = known_run(ledger, run_id)
    if FORGOTTEN in run.options:
        raise forgotten_problem(run)
    return run


def forgotten_problem(run: Run) -> UsageProblem:
    return UsageProblem(
        tr(
            "run {run} was forgotten on {day}: its rows and answers are not kept any more",
            run=run.run_id,
            day=f"{datetime.fromisoformat(run.options[FORGOTTEN]):%Y-%m-%d}",
        ),
        tr(
            "its answers are in the annotated copy that was written then; `feedtool export` shows"
            " what is in force"
        ),
    )


SHA_SHOWN = 12
"""The number of characters of a hash on a line with other facts."""

ClockOf = Callable[[str], ServiceClock]
"""Returns the clock of the service at an address."""
OnUnreadable = Callable[[str], None]
"""Gets the reason why a run cannot be shown."""

UNREADABLE = (UsageProblem, ValueError, LookupError, TypeError, ArithmeticError)
PAGE = 100
"""The number of runs that are read at a time."""


class InputState(NamedTuple):
    """A file of a run, by the name it was sent with, and the kinds of its sheets."""

    file: str
    sha256: str
    kinds: Sequence[str]


class PackageState(NamedTuple):
    """A package of a run, with the deadline of its loss. Times are real."""

    file: str
    package: Package
    created: datetime | None
    deadline: datetime | None
    lost: str
    left: timedelta | None
    """The time until the deadline, by the service's clock."""
    describe_loss: str
    """A sentence about what is lost, or was, and when."""


class RunState(NamedTuple):
    """The present state of a run."""

    run: Run
    options: RunOptions
    inputs: Sequence[InputState]
    counts: Mapping[Status, int]
    """The number of rows by status, including those that were not sent."""
    packages: Sequence[PackageState]
    warnings: Sequence[str]
    """Sentences about imminent and past losses."""
    is_finished: bool
    is_written: bool
    """True if all rows are recorded: until then `counts` has only some of them."""


def run_state(ledger: Ledger, run_id: int, clock_of: ClockOf) -> RunState:
    """Return one run; UsageProblem as `known_run`, and if only its number is left."""
    run = known_run(ledger, run_id)
    rows = RunRows(run, ledger.files(run_id), ledger.read_packages(run_id))
    if FORGOTTEN in run.options:
        noted = ledger.counts.noted([run_id])
        if run_id not in noted:
            raise forgotten_problem(run)
        return _state(rows, noted[run_id].statuses, clock_of)
    counts = ledger.statuses(run_id)
    counts[Status.INVALID] += RunOptions.from_json(run.options).invalid
    return _state(rows, counts, clock_of)


def _state(rows: RunRows, counts: Mapping[Status, int], clock_of: ClockOf) -> RunState:
    run, files, packages = rows
    options = RunOptions.from_json(run.options)
    if options.forgotten:  # some packages are kept to compare later ones with
        packages = []
    names = {file.file: file.path for file in files}
    kinds: dict[str, list[str]] = {}
    for file in files:
        kinds.setdefault(file.path, []).append(file.kind)
    inputs = dict(options.snapshots.inputs) or {file.path: file.sha256 for file in files}
    is_open = [package.phase is not Phase.CLOSED for package in packages]
    needs_clock = any(is_open) or any(package.created_at for package in packages)
    clock = clock_of(run.service) if needs_clock else ServiceClock(run.started_at)
    return RunState(
        run,
        options,
        [InputState(name, sha256, kinds.get(name, [])) for name, sha256 in inputs.items()],
        {status: count for status, count in sorted(counts.items()) if count},
        [_package_state(package, names[package.file], run, clock) for package in packages],
        warnings(packages, clock, load().routes),
        is_finished=options.is_whole(files) and not any(is_open),
        is_written=options.is_whole(files),
    )


def every_run(
    ledger: Ledger,
    clock_of: ClockOf,
    last: int | None = None,
    on_unreadable: OnUnreadable = lambda _: None,
    *,
    before: int | None = None,
) -> Iterator[RunState]:
    """Yield all runs, or the last ones, or the last `before` another; the newest first.

    They are read a page at a time, on demand; `on_unreadable` as in `run_states`.
    """
    left = last
    while numbers := ledger.pages.numbers(PAGE if left is None else min(PAGE, left), before=before):
        yield from run_states(ledger, numbers, clock_of, on_unreadable)
        before, left = numbers[-1], None if left is None else left - len(numbers)


def run_states(
    ledger: Ledger,
    run_ids: Sequence[int],
    clock_of: ClockOf,
    on_unreadable: OnUnreadable = lambda _: None,
) -> list[RunState]:
    """Return some runs in their order, in a fixed number of queries.

    A run that cannot be read from the ledger hides no other: `on_unreadable` gets the reason.
    """
    with suppress(*UNREADABLE):
        rows, counts = ledger.pages.rows(run_ids), ledger.counts.of(run_ids)
        return [_state(rows[run], counts[run].statuses, clock_of) for run in run_ids]
    states = []
    for run_id in run_ids:
        try:
            states.append(run_state(ledger, run_id, clock_of))
        except UNREADABLE as error:
            on_unreadable(tr("run {run} cannot be shown: {error}", run=run_id, error=error))
    return states


def _package_state(package: Package, file: str, run: Run, clock: ServiceClock) -> PackageState:
    created = package.created_at and clock.shown(package.created_at)
    if created and created < run.started_at:  # time has leapt since, and nobody noted how far
        created = run.started_at
    loss = deadline(package, clock, load().routes)
    if loss is None:
        return PackageState(file, package, created, None, "", None, "")
    shown_at, left = clock.shown(loss.at), loss.at - clock.service
    return PackageState(file, package, created, shown_at, loss.what, left, loss.describe(clock))


def write_runs(
    states: Iterable[RunState], out: TextIO, form: str, say: Translator, *, is_verbose: bool = False
) -> None:
    """Write all runs, newest first: a line each, or as JSON (`jsonl`: an object a line).

    With `is_verbose` also the user, and the digests of the files, which JSON always has.
    """
    if form == "text":
        out.writelines(clean(say(_line(state, is_verbose=is_verbose))) + "\n" for state in states)
    else:
        write_entries(map(_fields, states), out, form)


def write_run(
    state: RunState, out: TextIO, form: str, say: Translator, *, is_verbose: bool = False
) -> None:
    """Write one run with its files and packages, each in the detail of `write_runs`."""
    if form != "text":
        write_lines([_fields(state)], out)
        return
    out.write(clean(say(_line(state, is_verbose=is_verbose))) + "\n")
    for file in state.inputs:
        parts = [*file.kinds, *([f"SHA-256 {file.sha256}"] if is_verbose else [])]
        line = joined(filter(None, (file.file, ", ".join(parts))), ": ")
        out.write(f"  {clean(say(line))}\n")
    out.writelines(f"  {clean(say(_released_line(guard)))}\n" for guard in state.options.released)
    out.writelines(f"  {clean(say(_package_line(package)))}\n" for package in state.packages)


def _released_line(guard: ReleasedGuard) -> MessageText:
    if not guard.reason:
        return tr("{code} released by {who}, without a reason", code=guard.code, who=guard.who)
    values = {"code": guard.code, "who": guard.who, "reason": guard.reason}
    return tr("{code} released by {who}: {reason}", **values)


def _line(state: RunState, *, is_verbose: bool) -> MessageText:
    run, options = state.run, state.options
    lost = [(entry.deadline, entry.describe_loss) for entry in state.packages if entry.deadline]
    end = tr("finished") if state.is_finished else tr("not finished")
    if lost and not state.is_finished:
        end = joined((end, min(lost)[1]), "; ")
    if options.abandoned:
        end = tr("given up {at} UTC", at=f"{options.abandoned:%Y-%m-%d %H:%M}")
    if options.forgotten:
        end = tr("forgotten {at} UTC", at=f"{options.forgotten:%Y-%m-%d %H:%M}")
    files = [
        f"{file.file} ({file.sha256[:SHA_SHOWN]})" if is_verbose else file.file
        for file in state.inputs
    ]
    facts = (
        tr("Run {run}", run=run.run_id),
        f"{run.started_at:%Y-%m-%d %H:%M} UTC",
        *([tr("by {who}", who=options.who)] if is_verbose and options.who else []),
        tr("seller {seller}", seller=run.seller),
        *files,
    )
    load()  # the words of its statuses
    counts = statuses_text(state.counts) or tr("no rows sent")
    return tr("{run}: {counts} ({end})", run=joined(facts), counts=counts, end=end)


def _package_line(state: PackageState) -> MessageText:
    package = state.package
    facts = (
        tr(
            "package {number} ({id})",
            number=package.number,
            id=package.package_id or tr("not begun"),
        ),
        package.package_type,
        *([tr("channel {channel}", channel=package.channel)] if package.channel else []),
        plural("{count:,} row", "{count:,} rows", package.rows),
    )
    line = joined((state.file, joined(facts), state_word(package.state or package.phase)), ": ")
    if not state.describe_loss:
        return line
    if state.left is None or state.left <= timedelta(0):
        return joined((line, state.describe_loss), "; ")
    return tr(
        "{line}; {loss}, in {time}", line=line, loss=state.describe_loss, time=_in_words(state.left)
    )


def _in_words(left: timedelta) -> MessageText:
    """Return `2 days 3 h`, `3 h 12 min` or `12 min`."""
    hours, rest = divmod(int(left.total_seconds()), 3600)
    days, minutes = hours // 24, rest // 60
    if days:
        return plural("{count} day {hours} h", "{count} days {hours} h", days, hours=hours % 24)
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("{minutes} min", minutes=minutes)


def _fields(state: RunState) -> Fields:
    run = state.run
    return {
        "run": str(run.run_id),
        "started": run.started_at.isoformat(),
        "who": state.options.who or None,
        "seller": run.seller,
        "service": run.service,
        "files": [file.file for file in state.inputs],
        "inputs": [file._asdict() for file in state.inputs],
        "finished": state.is_finished,
        "abandoned": iso(state.options.abandoned),
        "forgotten": iso(state.options.forgotten),
        "released": [
            {"code": guard.code, "who": guard.who or None, "reason": guard.reason or None}
            for guard in state.options.released
        ],
        "rows": sum(state.counts.values()),
        "statuses": dict(state.counts),
        "warnings": list(state.warnings),
        "packages": [_package_fields(package) for package in state.packages],
    }


def _package_fields(state: PackageState) -> Fields:
    package, left = state.package, state.left
    return {
        "file": state.file,
        "packageId": package.package_id,
        "packageType": package.package_type,
        "salesChannelId": package.channel,
        "phase": package.phase,
        "state": package.state,
        "rows": package.rows,
        "created": iso(state.created),
        "deadline": iso(state.deadline),
        "lost": state.lost or None,
        "secondsLeft": None if left is None else max(0, int(left.total_seconds())),
    }


def iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
