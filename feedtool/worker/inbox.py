"""A place that is watched for workers: the files that arrive there become parcels.

Its inbox has a folder for each profile, and in that for each kind, as a watched folder has. Whoever
watches it needs to reach the place, the ledger and the store; workers need not see the place.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath

from msgspec import Struct

from feedtool.ledger.records import SellerKey
from feedtool.model.errors import Exit, FeedtoolError, FileProblem, first_of
from feedtool.model.text import Translator, joined, tr
from feedtool.places import Entry, Place
from feedtool.places.arrivals import INBOX, Keep, refuse, take_arrivals
from feedtool.places.sightings import PATIENCE, Seen, pause, waiting
from feedtool.watch.messages import AGAIN, DeduplicatedLog, Turn, reason_lines
from feedtool.worker.bringing import Bringer, BringOptions


class InboxEnvironment(Struct, frozen=True, kw_only=True):
    """The world around a place that is watched for workers."""

    place: Place
    bringer_of: Callable[[PurePosixPath], Bringer]
    """Who brings a file of the inbox; FileProblem where its folder is nobody's."""
    now: Callable[[], datetime]
    clock: Callable[[], float]
    """Seconds that only go forward."""
    sleep: Callable[[float], None]
    """Ends sooner when it is to stop."""
    stopping: Callable[[], FeedtoolError | None]
    log: DeduplicatedLog
    say: Translator
    """For the reasons of files that are refused."""
    on_turn: Callable[[Turn], None] = lambda _: None
    """Called after each look."""
    same_within: timedelta | None = None
    """Since when the same content is taken for a mistake; None for never."""
    settle: float = 2
    """Seconds that a file has to rest."""
    poll: float = 1
    """Seconds between two looks."""
    is_once: bool = False
    """True if it ends when all that was there is brought."""


class InboxWatcher:
    """Looks at a place again and again, and brings what is whole."""

    def __init__(self, environment: InboxEnvironment) -> None:
        self._environment, self._log = environment, environment.log
        self._seen: Seen = {}
        self._bringers: dict[SellerKey, Bringer] = {}
        """By whom files were brought in this look, whose passes are to be queued."""
        self._troubles: dict[str, tuple[str | None, FeedtoolError]] = {}
        self._codes: set[Exit] = set()

    def run(self) -> Exit:
        """Watch until something stops it, or, once, until all that was there is brought.

        Once, the code is what came of all files together. Else 0, or what keeps files from being
        brought at the end.
        """
        environment = self._environment
        begun = environment.clock()
        while environment.stopping() is None:
            self._look()
            if environment.is_once and self._is_done(begun):
                break
            now, settle = environment.clock(), environment.settle
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
            bringer = self._environment.bringer_of(path)
        except FileProblem:
            raise
        except FeedtoolError as error:  # the account is at fault, and the file can wait
            folder = path.parent.as_posix()
            self._note(f"folder {folder}", folder, error)
            return None
        self._log.is_over(f"folder {path.parent.as_posix()}")
        return partial(self._keep, entry, bringer)

    def _keep(self, entry: Entry, bringer: Bringer, local: Path) -> None:
        environment, name = self._environment, entry.path.name
        now, within = environment.now(), environment.same_within
        options = BringOptions(since=now - within if within else None)
        origin = f"{environment.place.url}/{entry.name}"
        brought = bringer.bring(local, name, origin, options, now, AGAIN)
        self._bringers[bringer.key] = bringer
        self._codes.add(Exit.OK)
        text = tr("{name}: parcel {parcel}", name=entry.name, parcel=brought.parcel.parcel)
        self._log.echo("brought" if brought.is_new else "waits already", text)

    def _refuse(self, entry: Entry, error: FileProblem) -> None:
        environment, reason = self._environment, self._environment.say(reason_lines(error))
        name = refuse(environment.place, entry, reason, environment.now().date())
        self._seen = {path: seen for path, seen in self._seen.items() if path != entry.path}
        self._codes.add(error.exit)
        text = tr("{name}: {why} → {place}", name=entry.name, why=error.message, place=name)
        self._log.echo("refused", text)

    def _queue_passes(self) -> None:
        """Queue the passes of those whose files were brought; what is lost is queued by workers."""
        bringers, self._bringers = self._bringers, {}
        try:
            for bringer in bringers.values():
                bringer.queue_pass(BringOptions(), self._environment.now())
        except FeedtoolError as error:
            self._note("queue", None, error)

    def _note(self, key: str, folder: str | None, error: FeedtoolError) -> None:
        self._troubles[key] = folder, error
        place = f"inbox/{folder}" if folder else ""
        self._log.once(key, "error", joined(filter(None, (place, error.message)), ": "))

    def _is_done(self, begun: float) -> bool:
        """True if nothing is left that could be whole soon."""
        environment = self._environment
        longest = PATIENCE * environment.settle + environment.poll
        return not waiting(self._seen) or environment.clock() - begun > longest
