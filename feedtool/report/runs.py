"""One run, or all of them: how far they are, and what will be lost when."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TextIO

from feedtool.model.nouns import Status
from feedtool.report.as_json import Fields, dumped, write_lines
from feedtool.report.plain import clean, counted
from feedtool.report.tally import statuses_text

SHA_SHOWN = 12
"""Characters of a hash on a line that has more to say."""


class InputState(NamedTuple):
    """A file of a run, for the user."""

    file: str
    """As it was named."""
    sha256: str
    kinds: Sequence[str]
    """The kinds that its sheets were sent as."""


class PackageState(NamedTuple):
    """A package of a run, for the user."""

    file: str
    number: int
    package_id: str | None
    package_type: str
    channel: str
    phase: str
    """Our own step with it."""
    state: str | None
    """The last that the service said."""
    rows: int
    created: datetime | None
    deadline: datetime | None
    """When something of it is lost, by the service's clock."""
    lost: str
    """The thing that is lost."""
    left: timedelta | None
    """The time until then."""
    told: str
    """A sentence of what is lost when, or was."""


class RunState(NamedTuple):
    """A run, for the user."""

    run: int
    started: datetime
    who: str
    """Who began it: `user@host`; empty where the run does not say."""
    seller: str
    service: str
    inputs: Sequence[InputState]
    counts: Mapping[Status, int]
    """Rows by what became of them, those that were not sent as well."""
    packages: Sequence[PackageState]
    warnings: Sequence[str]
    """Sentences of what is lost before long, or was."""
    is_finished: bool
    abandoned: datetime | None = None
    """When it was given up."""


def write_runs(runs: Sequence[RunState], out: TextIO, form: str) -> None:
    """All runs, newest first: a line each, or as JSON (`jsonl`: an object a line)."""
    if form == "text":
        out.writelines(_line(run) + "\n" for run in runs)
    elif form == "jsonl":
        write_lines(map(_fields, runs), out)
    else:
        lines = ",\n  ".join(dumped(_fields(run)) for run in runs)
        out.write(f"[\n  {lines}\n]\n" if runs else "[]\n")


def write_run(run: RunState, out: TextIO, form: str) -> None:
    """One run with its files and packages."""
    if form != "text":
        write_lines([_fields(run)], out)
        return
    out.write(_line(run) + "\n")
    for file in run.inputs:
        parts = (*([", ".join(file.kinds)] if file.kinds else ()), f"SHA-256 {file.sha256}")
        out.write(clean(f"  {file.file}: {', '.join(parts)}") + "\n")
    out.writelines(f"  {_package(package)}\n" for package in run.packages)
    if not run.is_finished:
        out.write(f"go on with: feedtool resume {run.run}\n")


def _line(run: RunState) -> str:
    lost = [(package.deadline, package.told) for package in run.packages if package.deadline]
    end = "finished" if run.is_finished else f"not finished{f'; {min(lost)[1]}' if lost else ''}"
    if run.abandoned:
        end = f"given up {run.abandoned:%Y-%m-%d %H:%M} UTC"
    by = f", by {run.who}" if run.who else ""
    files = ", ".join(f"{file.file} ({file.sha256[:SHA_SHOWN]})" for file in run.inputs)
    return clean(
        f"Run {run.run}, {run.started:%Y-%m-%d %H:%M} UTC{by}, seller {run.seller}, "
        f"{files}: {statuses_text(run.counts) or 'no rows sent'} ({end})"
    )


def _package(package: PackageState) -> str:
    name = package.package_id or "not begun"
    lost = f"; {package.told}" if package.told else ""
    if package.left is not None and package.left > timedelta(0):
        lost += f", in {_in_words(package.left)}"
    where = f"channel {package.channel}, " if package.channel else ""
    return clean(
        f"{package.file}: package {package.number} ({name}), {package.package_type},"
        f" {where}{counted(package.rows, 'row')}:"
        f" {package.state or package.phase}{lost}"
    )


def _in_words(left: timedelta) -> str:
    """`2 days 3 h`, `3 h 12 min`, `12 min`."""
    hours, rest = divmod(int(left.total_seconds()), 3600)
    days, minutes = hours // 24, rest // 60
    if days:
        return f"{counted(days, 'day')} {hours % 24} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _fields(run: RunState) -> Fields:
    return {
        "run": str(run.run),
        "started": run.started.isoformat(),
        "who": run.who or None,
        "seller": run.seller,
        "service": run.service,
        "files": [file.file for file in run.inputs],
        "inputs": [file._asdict() for file in run.inputs],
        "finished": run.is_finished,
        "abandoned": _iso(run.abandoned),
        "rows": sum(run.counts.values()),
        "statuses": dict(run.counts),
        "warnings": list(run.warnings),
        "packages": [_package_fields(package) for package in run.packages],
    }


def _package_fields(package: PackageState) -> Fields:
    left = package.left
    return {
        "file": package.file,
        "packageId": package.package_id,
        "packageType": package.package_type,
        "salesChannelId": package.channel,
        "phase": package.phase,
        "state": package.state,
        "rows": package.rows,
        "created": _iso(package.created),
        "deadline": _iso(package.deadline),
        "lost": package.lost or None,
        "secondsLeft": None if left is None else max(0, int(left.total_seconds())),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
