"""Take files in: into the store, then as parcels; then queue the seller's pass."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.ledger.claims import EarlierClaim
from feedtool.ledger.lock import who
from feedtool.ledger.parcels import Parcel
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.text import tr
from feedtool.runs.workspace import Workspace
from feedtool.watch.messages import AlreadySent
from feedtool.worker.passes import Queue
from feedtool.worker.rests import LONGEST_REST

AGAIN = tr("bring it again with --same-within 0")


class IntakeResult(Struct, frozen=True):
    """The result of taking files in."""

    parcels: list[Parcel] = field(default_factory=list)
    waiting: list[Parcel] = field(default_factory=list)
    """Parcels that waited already, with the same content."""
    problems: list[FeedtoolError] = field(default_factory=list)
    """The problems of the files that were not taken."""


class IntakeOptions(Struct, frozen=True):
    """The time and priority of sending, and the check for repeated content."""

    priority: int = 0
    not_before: datetime | None = None
    since: datetime | None = None
    """The same content, sent since then, is taken for a mistake; None: never."""


class Intake(Struct, frozen=True):
    """Takes files in for one profile, and one kind if `kind` is not None."""

    workspace: Workspace
    queue: Queue
    key: SellerKey
    profile: str
    kind: str | None

    def bring_all(
        self, files: Sequence[Path], options: IntakeOptions, now: datetime
    ) -> IntakeResult:
        """Take files in, in their order; a problem of one stops no other."""
        result = IntakeResult()
        for file in files:
            try:
                taken = self.bring(file, file.name, f"{who()}:{file.absolute()}", options, now)
            except FileProblem as error:
                result.problems.append(error)
                continue
            (result.parcels if taken.is_new else result.waiting).append(taken.parcel)
            if taken.is_new and len(result.parcels) == 1:  # workers begin while others are brought
                self.queue_pass(options, now)
        if len(result.parcels) > 1:
            self.queue_pass(options, now)
        return result

    def bring(
        self,
        file: Path,
        name: str,
        origin: str,
        options: IntakeOptions,
        now: datetime,
        again: str = AGAIN,
    ) -> "TakenFile":
        """Take in a file's present content; the caller queues the pass.

        FileProblem if the file cannot be read, AlreadySent if the same content was sent; `again`
        says how to send it all the same.
        """
        snapshots, parcels = self.workspace.snapshots, self.workspace.ledger.parcels
        sha256 = snapshots.keep(file)
        parcel = parcels.add(
            key=self.key,
            profile=self.profile,
            kind=self.kind,
            name=name,
            sha256=sha256,
            size=snapshots.path_of(sha256).stat().st_size,
            origin=origin,
            now=now,
            priority=options.priority,
            not_before=options.not_before,
            since=options.since,
        )
        if isinstance(parcel, EarlierClaim):
            raise AlreadySent(parcel, again)
        if parcel is None:
            same = parcels.same(self.key, self.profile, self.kind, sha256)
            # If it waits no longer, it was answered just now.
            return (
                TakenFile(same, is_new=False)
                if same
                else self.bring(file, name, origin, options, now, again)
            )
        return TakenFile(parcel, is_new=True)

    def queue_pass(self, options: IntakeOptions, now: datetime) -> None:
        """Queue the seller's pass for the end of its rest."""
        _, rest = self.workspace.ledger.sellers.pass_pause(self.key)
        rest = min(rest, now + timedelta(seconds=LONGEST_REST)) if rest else None
        times = [moment for moment in (options.not_before, rest) if moment and moment > now]
        self.queue.put(self.key, max(times, default=None), options.priority)


class TakenFile(NamedTuple):
    """The result of taking one file in."""

    parcel: Parcel
    is_new: bool
    """False if the same content waits already."""
