"""The watcher: looks at the folder again and again, and hands what is whole to its sellers.

Each seller has one thread at a time, which takes the seller's lock and works off the files of all
profiles that are this seller's, in their order; several sellers side by side.
"""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import inf
from pathlib import PurePosixPath

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.model.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, UsageProblem
from feedtool.watch.health import Turn
from feedtool.watch.messages import RouteUnknown
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import Environment, Settings, Whose
from feedtool.watch.settling import (
    PATIENCE,
    Sighting,
    is_due,
    look,
    pause,
    quiet,
    unfinished,
    waiting,
    why,
)
from feedtool.watch.steps import InboxRoute, route_of
from feedtool.watch.work import Pass, ReadyFile, Work

SIDE_BY_SIDE = 8
"""Sellers at a time."""
LONG_HELD = 10.0
"""Seconds after which it is told that a seller's lock is held: another watcher has it for less."""
LONGEST_PAUSE = 60.0
"""Seconds before a seller whose service cannot be reached is tried again."""
MOST_FAILURES = 3
"""Passes in a row that came to nothing, after which a watcher that looks only once gives up."""
MOST_NAMES = 5
"""Names of files that are told in one line."""


@dataclass(slots=True)
class WatchedSeller:
    """What the main thread knows of a seller."""

    running: Future[Pass] | None = None
    trouble: FeedtoolError | None = None
    """What it met last, if its files are not through."""
    profile: str | None = None
    """Where that was."""
    failures: int = 0
    """One after the other."""
    not_before: float = 0
    """By the watcher's clock."""
    held_since: float | None = None
    """Since when somebody else has the lock."""


@dataclass(slots=True)
class Due:
    """What is to be done for a seller."""

    profiles: set[str | None] = field(default_factory=set)
    whole: list[ReadyFile] = field(default_factory=list)
    """The oldest first."""


class Watcher:
    """A watched folder, for as long as it is watched."""

    def __init__(
        self, processor: FileProcessor, environment: Environment, settings: Settings
    ) -> None:
        self._processor = processor
        self._log = processor.log
        self._environment = environment
        self._settings = settings
        self._seen: dict[PurePosixPath, Sighting] = {}
        self._opened: dict[PurePosixPath, Sighting] = {}
        """Those that were found to open as they are."""
        self._sellers: defaultdict[Whose, WatchedSeller] = defaultdict(WatchedSeller)
        self._codes: set[Exit] = set()

    def run(self) -> Exit:
        """Watch until something stops it, or, once, until all that was there is done.

        Returns:
            Once, what came of all files together. Else 0, or what keeps a seller from its files
            at the end: a watcher's life is not judged by each file.

        Raises:
            FeedtoolError: Once, the folder or the ledger cannot be read.
        """
        begun: float | None = None
        with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="seller") as threads:
            while self._environment.stopping() is None:
                is_busy = self._look(threads)
                # From the first look on: it may take longer than a file is to rest.
                begun = self._environment.clock() if begun is None else begun
                if self._settings.is_once and not is_busy and self._is_done(begun):
                    break
                self._pause()
        self._collect()
        stopped = self._environment.stopping()
        # To stop was what was wanted.
        codes = {trouble.exit for _, trouble in self._troubles() if trouble is not stopped}
        if self._settings.is_once:
            codes |= self._codes | ({stopped.exit} if stopped else set())
            self._echo_what_is_left(has_done=bool(codes))
        elif stopped and stopped.exit is Exit.CTRL_C:
            codes.add(Exit.CTRL_C)
        usual = Exit.NOTHING if self._settings.is_once else Exit.OK
        return next((code for code in EXIT_PRECEDENCE if code in codes), usual)

    def _pause(self) -> None:
        running = [seller.running for seller in self._sellers.values() if seller.running]
        if self._settings.is_once and running:  # until then there is nothing to look for
            wait(running, self._settings.poll, FIRST_COMPLETED)
        else:
            settle, poll = self._settings.settle, self._settings.poll
            self._environment.sleep(pause(self._seen, self._environment.clock(), settle, poll))

    def _look(self, threads: Executor) -> bool:
        """One look at the folder and the claims; whether anything is under way after it."""
        self._collect()  # first: whoever is done has nothing in the listing that it has taken
        try:
            whole = self._whole()
            claims = self._environment.ledger.claims.under_way(self._processor.name)
        except FeedtoolError as error:
            if self._settings.is_once:
                raise
            self._log.once("folder", "error", error.message)
            self._environment.on_turn(Turn(troubles=[(None, error)]))
            return False
        self._log.is_over("folder")
        now, is_waiting = self._environment.clock(), False
        for whose, due in self._due(whole, claims).items():
            seller = self._sellers[whose]
            is_held = isinstance(seller.trouble, Held)
            if is_held and self._settings.is_once and not due.whole:
                continue  # whoever is at work on it brings it to its end
            is_waiting |= is_held
            if seller.running is None and seller.not_before <= now:
                seller.running = threads.submit(self._work, due)
        self._environment.on_turn(Turn(len(claims), len(waiting(self._seen)), self._troubles()))
        return is_waiting or any(seller.running for seller in self._sellers.values())

    def _troubles(self) -> list[tuple[str | None, FeedtoolError]]:
        """What keeps sellers from their files; what another process holds is in good hands."""
        return [
            (seller.profile, seller.trouble)
            for seller in self._sellers.values()
            if seller.trouble and not isinstance(seller.trouble, Held)
        ]

    def _due(self, whole: Sequence[ReadyFile], claims: Sequence[Claim]) -> dict[Whose, Due]:
        """What there is to do: files that are whole, and claims that are not ended."""
        work: defaultdict[Whose, Due] = defaultdict(Due)
        for file in whole:
            due = work[self._whose(file.route.profile)]
            due.whole.append(file)
            due.profiles.add(file.route.profile)
        for claim in claims:
            if route := self._route_of(claim):
                work[self._whose(route.profile)].profiles.add(route.profile)
            else:
                place = _place(claim)
                error = RouteUnknown(place)
                self._log.once(f"lane {place}", "error", f"{place}: {error.message}")
        return work

    def _whose(self, profile: str | None) -> Whose:
        try:
            return self._environment.whose(profile)
        except FeedtoolError:  # its thread meets the same, and tells it
            return "", profile or ""

    def _whole(self) -> list[ReadyFile]:
        """The files that are to be taken now, the oldest first.

        Those in a folder that names neither a profile nor a kind are refused.
        """
        folder, environment, settle = (
            self._processor.folder,
            self._environment,
            self._settings.settle,
        )
        try:
            listing = folder.listing()
        except OSError as error:
            raise UsageProblem(
                f"{folder.inbox} cannot be read: {error.strerror}",
                "see that it is there, and that feedtool may read it",
            ) from error
        now = environment.clock()
        self._seen = look(self._seen, listing, now)
        self._echo_what_is_open(now)
        found = []
        for sighting in quiet(self._seen, now, settle):
            entry = sighting.entry
            if not is_due(sighting, now, settle, opens=self._opens(sighting)):
                continue
            if route := self._route(entry.place):
                found.append(ReadyFile(entry, route))
            elif code := self._processor.refuse(entry.place, RouteUnknown(entry.place)):
                self._codes.add(code)
        return found

    def _opens(self, sighting: Sighting) -> bool:
        """Whether a file opens; one that did and is unchanged is not opened at every look."""
        place = sighting.entry.place
        if self._opened.get(place) == sighting:
            return True
        if opens := self._processor.folder.opens(place):
            self._opened = {
                known: sighting for known, sighting in self._opened.items() if known in self._seen
            }
            self._opened[place] = sighting
        return opens

    def _route(self, place: PurePosixPath) -> InboxRoute | None:
        return route_of(place, self._environment.profiles, self._environment.kinds)

    def _route_of(self, claim: Claim) -> InboxRoute | None:
        return self._route(_place(claim))

    def _work(self, due: Due) -> Pass:
        """In the seller's thread."""
        environment = self._environment
        work = Work(
            self._processor,
            environment.session,
            self._route_of,
            environment.now,
            environment.stopping,
        )
        return work.do(sorted(due.profiles, key=lambda name: name or ""), due.whole)

    def _collect(self) -> None:
        """Note what the threads that have ended came to."""
        for whose, seller in self._sellers.items():
            if seller.running is None or not seller.running.done():
                continue
            passed = seller.running.result()
            seller.running = None
            self._codes |= set(passed.codes)
            seller.trouble, seller.profile = passed.trouble, passed.profile
            is_stuck = not passed.codes and not isinstance(passed.trouble, Held)
            seller.failures = seller.failures + 1 if is_stuck else 0
            seller.not_before = self._environment.clock() + self._rest(seller)
            self._echo_trouble(whose, seller)

    def _echo_trouble(self, whose: Whose, seller: WatchedSeller) -> None:
        """What keeps a seller from its files, once for as long as it does."""
        key, now = f"seller {whose}", self._environment.clock()
        trouble, is_held = seller.trouble, isinstance(seller.trouble, Held)
        if not is_held:
            seller.held_since = None
        elif seller.held_since is None:
            seller.held_since = now
        if trouble is None:
            self._log.is_over(key)
        elif seller.held_since is None or now - seller.held_since >= LONG_HELD:
            profile = f"profile {seller.profile}: " if seller.profile else ""
            label = "waiting" if is_held else "error"
            self._log.once(key, label, profile + trouble.message)

    def _rest(self, seller: WatchedSeller) -> float:
        """Seconds before a seller is given its files again."""
        if isinstance(seller.trouble, Held):
            return self._settings.poll
        if not seller.failures:
            return 0
        if self._settings.is_once and (seller.trouble or seller.failures > MOST_FAILURES):
            return inf
        longest = LONGEST_PAUSE if seller.trouble else self._settings.settle
        return float(min(longest, self._settings.poll * 2**seller.failures))

    def _is_done(self, begun: float) -> bool:
        """Is nothing left that could be whole soon?"""
        longest = PATIENCE * self._settings.settle + self._settings.poll
        return not waiting(self._seen) or self._environment.clock() - begun > longest

    # What is told of files that stay where they are.

    def _echo_what_is_open(self, now: float) -> None:
        """Tell what keeps a file waiting for long, each reason once.

        A lock file that a crash has left behind would else keep its workbook here unnoticed.
        """
        for sighting in waiting(self._seen):
            key = f"open {sighting.entry.place}"
            reason = why(self._seen, sighting, now, self._settings.settle)
            if now - sighting.since < PATIENCE * self._settings.settle or reason is None:
                self._log.is_over(key)
            elif not self._settings.is_once:
                self._log.once(key, "waiting", self._left(sighting, reason))

    def _echo_what_is_left(self, *, has_done: bool) -> None:
        """Once: what was not taken, and that nothing was to be done."""
        folder, now = self._processor.folder, self._environment.clock()
        left = [
            sighting
            for sighting in waiting(self._seen)
            if (folder.inbox / sighting.entry.place).exists()
        ]
        for sighting in left:
            if reason := why(self._seen, sighting, now, self._settings.settle):
                self._log.echo("waiting", self._left(sighting, reason))
        if not has_done:
            inbox = folder.inbox
            names = [str(place) for place in unfinished(self._seen)]
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            shown = f", but for what is unfinished by its name: {', '.join(names[:MOST_NAMES])}"
            holds = "nothing that is whole" if left else "no file"
            told = f"{inbox} holds {holds}{shown + more if names else ''}"
            self._log.echo("nothing to do", told)

    def _left(self, sighting: Sighting, reason: str) -> str:
        folder = self._processor.folder
        return f"{folder.relative(folder.inbox / sighting.entry.place)} stays: {reason}"


def _place(claim: Claim) -> PurePosixPath:
    return PurePosixPath(claim.lane) / claim.source
