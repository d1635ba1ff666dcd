"""One run, or all of them: how far they are, and what will be lost when."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TextIO

from feedtool.model import Status
from feedtool.report.fields import dumped
from feedtool.report.plain import clean, counted


class PackageState(NamedTuple):
    """A package of a run, for the user."""

    file: str
    number: int
    package_id: str | None
    package_type: str
    channel: str
    phase: str
    """How far we are with it."""
    state: str | None
    """The last that the service said."""
    rows: int
    created: datetime | None
    deadline: datetime | None
    """When something of it is lost, by the service's clock."""
    lost: str
    """What that is."""


class RunState(NamedTuple):
    """A run, for the user."""

    run: int
    started: datetime
    seller: str
    service: str
    files: Sequence[str]
    counts: Mapping[Status, int]
    packages: Sequence[PackageState]
    is_finished: bool


def write_runs(runs: Sequence[RunState], out: TextIO, form: str) -> None:
    """All runs, newest first: a line each, or as JSON (`jsonl`: an object a line)."""
    if form == "text":
        out.writelines(_line(run) + "\n" for run in runs)
        return
    _write_json([_fields(run) for run in runs], out, form)


def write_run(run: RunState, out: TextIO, form: str) -> None:
    """One run with its packages."""
    if form != "text":
        out.write(dumped(_fields(run)) + "\n")
        return
    out.write(_line(run) + "\n")
    out.writelines(f"  {_package(package)}\n" for package in run.packages)
    if not run.is_finished:
        out.write(f"go on with: feedtool resume {run.run}\n")


def _write_json(entries: Sequence[Mapping[str, Any]], out: TextIO, form: str) -> None:
    if form == "jsonl":
        out.writelines(f"{dumped(entry)}\n" for entry in entries)
    else:
        lines = ",\n  ".join(dumped(entry) for entry in entries)
        out.write(f"[\n  {lines}\n]\n" if entries else "[]\n")


def _line(run: RunState) -> str:
    rows = ", ".join(f"{number:,} {status}" for status, number in run.counts.items())
    end = "finished" if run.is_finished else "not finished"
    return clean(
        f"Run {run.run}, {run.started:%Y-%m-%d %H:%M} UTC, seller {run.seller}, "
        f"{', '.join(run.files)}: {rows or 'no rows sent'} ({end})"
    )


def _package(package: PackageState) -> str:
    name = package.package_id or "not begun"
    lost = f"; {package.lost} at {package.deadline:%Y-%m-%d %H:%M} UTC" if package.deadline else ""
    return clean(
        f"{package.file}: package {package.number} ({name}), {package.package_type},"
        f" channel {package.channel}, {counted(package.rows, 'row')}:"
        f" {package.state or package.phase}{lost}"
    )


def _fields(run: RunState) -> dict[str, Any]:
    return {
        "run": str(run.run),
        "started": run.started.isoformat(),
        "seller": run.seller,
        "service": run.service,
        "files": list(run.files),
        "finished": run.is_finished,
        "statuses": dict(run.counts),
        "packages": [
            {
                "file": package.file,
                "packageId": package.package_id,
                "packageType": package.package_type,
                "salesChannelId": package.channel,
                "phase": package.phase,
                "state": package.state,
                "rows": package.rows,
                "created": package.created.isoformat() if package.created else None,
                "deadline": package.deadline.isoformat() if package.deadline else None,
                "lost": package.lost or None,
            }
            for package in run.packages
        ],
    }
