"""What a page shows of a run, out of the ledger: whoever works on it, and whenever one looks."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from feedtool.ledger.records import Stage
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.report.statuses import state_word
from feedtool.runs.history import PackageState, RunState

OPEN = frozenset({Status.PENDING})
"""Rows of these statuses have no answer yet."""


UNSENT = frozenset({Stage.PLANNED, Stage.SENDING})
"""Uploads at these stages are still to be sent, or are being sent."""


class PackageLine(NamedTuple):
    """One package of a run."""

    name: MessageText
    state: str
    rows: MessageText
    loss: str
    """A sentence of what is lost when; empty where nothing is."""


class RunProgress(NamedTuple):
    """One run."""

    counts: Mapping[Status, int]
    answered: int
    rows: int
    sent: int
    """Uploads that are not to be sent any more."""
    uploads: int
    """All that are planned."""
    is_written: bool
    """False while the rows are being written down: nothing says yet how many they are."""
    packages: list[PackageLine]
    warnings: list[str]
    is_finished: bool
    is_given_up: bool


def progress_of(state: RunState) -> RunProgress:
    """How far a run is: rows that have their answer, packages with the service's last word."""
    rows = sum(state.counts.values())
    waiting = sum(state.counts.get(status, 0) for status in OPEN)
    uploads = [stage for entry in state.packages for stage in entry.package.uploads]
    return RunProgress(
        state.counts,
        rows - waiting,
        rows,
        sum(stage not in UNSENT for stage in uploads),
        len(uploads),
        state.is_written,
        [_line(package) for package in state.packages],
        list(_warnings(state)),
        state.is_finished,
        state.options.abandoned is not None,
    )


def _warnings(state: RunState) -> Iterator[str]:
    yield from state.warnings if not state.is_finished else ()


def _line(state: PackageState) -> PackageLine:
    package = state.package
    channel = (tr("channel {channel}", channel=package.channel),) if package.channel else ()
    return PackageLine(
        joined((tr("Package {number}", number=package.number), package.package_type, *channel)),
        state_word(package.state or package.phase),
        plural("{count:,} row", "{count:,} rows", package.rows),
        state.describe_loss,
    )
