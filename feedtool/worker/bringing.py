"""Files are brought: into the store, then as parcels, then the seller's pass is queued."""

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


class Brought(Struct, frozen=True):
    """The result of bringing files."""

    parcels: list[Parcel] = field(default_factory=list)
    waiting: list[Parcel] = field(default_factory=list)
    """Those whose content waits already."""
    problems: list[FeedtoolError] = field(default_factory=list)
    """Why the others were not taken."""


class BringOptions(Struct, frozen=True):
    """When, and before which others, files are sent."""

    priority: int = 0
    not_before: datetime | None = None
    since: datetime | None = None
    """From when on the same content is taken for a mistake; None for never."""


class Bringer(Struct, frozen=True):
    """Brings files for one profile; of one kind, if that is named."""

    workspace: Workspace
    queue: Queue
    key: SellerKey
    profile: str
    kind: str | None

    def bring_all(self, files: Sequence[Path], options: BringOptions, now: datetime) -> Brought:
        """Bring files in their order; what is wrong with one stops no other."""
        brought = Brought()
        for file in files:
            try:
                found = self.bring(file, file.name, f"{who()}:{file.absolute()}", options, now)
            except FileProblem as error:
                brought.problems.append(error)
                continue
            (brought.parcels if found.is_new else brought.waiting).append(found.parcel)
            if found.is_new and len(brought.parcels) == 1:  # workers begin while others are brought
                self.queue_pass(options, now)
        if len(brought.parcels) > 1:
            self.queue_pass(options, now)
        return brought

    def bring(
        self,
        file: Path,
        name: str,
        origin: str,
        options: BringOptions,
        now: datetime,
        again: str = AGAIN,
    ) -> "Bringing":
        """Bring a file as it is now; the pass is yet to be queued.

        FileProblem where it cannot be read, AlreadySent where the same content was sent; `again`
        says how it is sent all the same.
        """
        snapshots, parcels = self.workspace.snapshots, self.workspace.ledger.parcels
        sha256 = snapshots.keep(file)
        found = parcels.add(
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
        if isinstance(found, EarlierClaim):
            raise AlreadySent(found, again)
        if found is None:
            same = parcels.same(self.key, self.profile, self.kind, sha256)
            # It was answered at this very moment.
            return (
                Bringing(same, is_new=False)
                if same
                else self.bring(file, name, origin, options, now, again)
            )
        return Bringing(found, is_new=True)

    def queue_pass(self, options: BringOptions, now: datetime) -> None:
        """Queue the seller's pass, for when its rest is over."""
        _, rest = self.workspace.ledger.sellers.rest(self.key)
        rest = min(rest, now + timedelta(seconds=LONGEST_REST)) if rest else None
        times = [at for at in (options.not_before, rest) if at and at > now]
        self.queue.put(self.key, max(times, default=None), options.priority)


class Bringing(NamedTuple):
    """The result of bringing one file."""

    parcel: Parcel
    is_new: bool
    """False where the same content waits already."""
