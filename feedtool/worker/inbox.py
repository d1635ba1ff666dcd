"""Watch a place for workers: the files that arrive there become parcels.

Its inbox has a folder for each profile, and in that for each kind, like a watched folder. The
watcher has to reach the place, the ledger and the store; workers need not see the place.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.ledger.claims import EarlierClaim
from feedtool.ledger.lock import who
from feedtool.ledger.parcels import Parcel
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import Exit, FeedtoolError, FileProblem, first_of
from feedtool.model.text import Translator, joined, tr
from feedtool.places import Entry, Place
from feedtool.places.incoming import (
    INBOX,
    Keep,
    Seen,
    are_taken,
    pause,
    refuse,
    take_arrivals,
    waiting,
)
from feedtool.runs.workspace import Workspace
from feedtool.watch.reporting import AGAIN, AlreadySent, DeduplicatedLog, Turn, reason_lines
from feedtool.worker.passes import LONGEST_REST, Queue

# Take files in.


BRING_AGAIN = tr("bring it again with --same-within 0")


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
        again: str = BRING_AGAIN,
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


class InboxEnvironment(Struct, frozen=True, kw_only=True):
    """The place, clocks, log and settings of an inbox watcher."""

    place: Place
    intake_of: Callable[[PurePosixPath], Intake]
    """Returns the intake for a file of the inbox; FileProblem if its folder is nobody's."""
    now: Callable[[], datetime]
    clock: Callable[[], float]
    """Seconds that only go forward."""
    sleep: Callable[[float], None]
    """Returns sooner on a stop signal."""
    stopping: Callable[[], FeedtoolError | None]
    log: DeduplicatedLog
    say: Translator
    """Translates the reasons of refused files."""
    on_turn: Callable[[Turn], None] = lambda _: None
    """Called after each look."""
    same_within: timedelta | None = None
    """The time in which the same content is taken for a mistake; None: never."""
    settle: float = 2
    """Seconds for which a file has to stay unchanged."""
    poll: float = 1
    """Seconds between two looks."""
    is_once: bool = False
    """True if the watcher ends once all files of the start are brought."""


class InboxWatcher:
    """Looks at a place again and again, and takes in the files that are whole."""

    def __init__(self, environment: InboxEnvironment) -> None:
        self._environment, self._log = environment, environment.log
        self._seen: Seen = {}
        self._intakes: dict[SellerKey, Intake] = {}
        """The intakes that took files in this look; their passes are still to be queued."""
        self._troubles: dict[str, tuple[str | None, FeedtoolError]] = {}
        self._codes: set[Exit] = set()

    def run(self) -> Exit:
        """Watch until a stop, or with `is_once` until all files of the start are brought.

        With `is_once`, the code covers all files together. Else it is 0, or that of the troubles
        at the end.
        """
        environment = self._environment
        begun = environment.clock()
        while environment.stopping() is None:
            self._look()
            now, settle = environment.clock(), environment.settle
            if environment.is_once and are_taken(self._seen, now - begun, settle, environment.poll):
                break
            environment.sleep(pause(self._seen, now, settle, environment.poll))
        stopped = environment.stopping()
        codes = {error.exit for _, error in self._troubles.values() if error is not stopped}
        if environment.is_once:
            code = first_of({*codes, *self._codes, *({stopped.exit} if stopped else ())})
            if code is Exit.NOTHING:
                text = tr("{place} holds no file that is whole", place=environment.place.url)
                self._log.echo("nothing to do", text)
            return code
        is_interrupted = stopped and stopped.exit is Exit.CTRL_C
        return first_of({*codes, Exit.CTRL_C if is_interrupted else Exit.OK})

    def _look(self) -> None:
        environment = self._environment
        self._troubles = {}
        try:
            arrivals = take_arrivals(
                environment.place,
                self._seen,
                environment.clock(),
                environment.settle,
                self._receiver,
                environment.now().date(),
            )
            self._seen = arrivals.seen
            for entry, error in arrivals.refused:
                self._refuse(entry, error)
        except FeedtoolError as error:
            if environment.is_once:
                raise
            self._note("place", None, error)
        finally:
            self._queue_passes()
        for key in ("place", "queue"):
            if key not in self._troubles:
                self._log.is_over(key)
        troubles = [*self._troubles.values()]
        environment.on_turn(Turn(waiting=len(waiting(self._seen)), troubles=troubles))

    def _receiver(self, entry: Entry) -> Keep | None:
        path = entry.path.relative_to(INBOX)
        try:
            intake = self._environment.intake_of(path)
        except FileProblem:
            raise
        except FeedtoolError as error:  # the account is at fault, and the file can wait
            folder = path.parent.as_posix()
            self._note(f"folder {folder}", folder, error)
            return None
        self._log.is_over(f"folder {path.parent.as_posix()}")
        return partial(self._keep, entry, intake)

    def _keep(self, entry: Entry, intake: Intake, local: Path) -> None:
        environment, name = self._environment, entry.path.name
        now, within = environment.now(), environment.same_within
        options = IntakeOptions(since=now - within if within else None)
        origin = f"{environment.place.url}/{entry.name}"
        taken = intake.bring(local, name, origin, options, now, AGAIN)
        self._intakes[intake.key] = intake
        self._codes.add(Exit.OK)
        text = tr("{name}: parcel {parcel}", name=entry.name, parcel=taken.parcel.parcel)
        self._log.echo("brought" if taken.is_new else "waits already", text)

    def _refuse(self, entry: Entry, error: FileProblem) -> None:
        environment, reason = self._environment, self._environment.say(reason_lines(error))
        name = refuse(environment.place, entry, reason, environment.now().date())
        self._seen = {path: seen for path, seen in self._seen.items() if path != entry.path}
        self._codes.add(error.exit)
        text = tr("{name}: {why} → {place}", name=entry.name, why=error.message, place=name)
        self._log.echo("refused", text)

    def _queue_passes(self) -> None:
        """Queue the passes of the intakes that took files; workers queue those that get lost."""
        intakes, self._intakes = self._intakes, {}
        try:
            for intake in intakes.values():
                intake.queue_pass(IntakeOptions(), self._environment.now())
        except FeedtoolError as error:
            self._note("queue", None, error)

    def _note(self, key: str, folder: str | None, error: FeedtoolError) -> None:
        self._troubles[key] = folder, error
        place = f"inbox/{folder}" if folder else ""
        self._log.once(key, "error", joined(filter(None, (place, error.message)), ": "))
