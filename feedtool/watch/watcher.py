"""The watcher: looks at the folder again and again, and hands what is whole to its sellers.

Each seller has one thread at a time, which takes the seller's lock and works off the files of all
profiles that are this seller's, in their order; several sellers side by side.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from pathlib import PurePosixPath

from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.model.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, UsageProblem
from feedtool.watch import health
from feedtool.watch.carry import Carrier, LaneUnknown
from feedtool.watch.desk import Whose
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
from feedtool.watch.steps import Lane, lane_of
from feedtool.watch.work import OpenDesk, Pass, Whole, Work

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


@dataclass(frozen=True, slots=True)
class Settings:
    """How the folder is watched; times in seconds."""

    settle: float = 2
    """How long a file has to rest."""
    poll: float = 1
    """Between two looks."""
    is_once: bool = False
    """Whether to end when all that was there is done."""


@dataclass(frozen=True, slots=True)
class Around:
    """The world that a watcher is in."""

    ledger: Ledger
    """For the main thread alone."""
    desk: OpenDesk
    whose: Callable[[str | None], Whose]
    """Whose a profile's files are, or those of the command line's account."""
    profiles: Collection[str]
    kinds: Collection[str]
    clock: Callable[[], float]
    """Seconds that only go forward."""
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    """May end sooner, as when something has happened in the inbox."""
    stopping: Callable[[], FeedtoolError | None]
    on_turn: Callable[[health.Turn], None] = lambda _: None
    """Told of each look at the folder."""


@dataclass(slots=True)
class Seller:
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
    whole: list[Whole] = field(default_factory=list)
    """The oldest first."""


class Watcher:
    """A watched folder, for as long as it is watched."""

    def __init__(self, carrier: Carrier, around: Around, settings: Settings) -> None:
        self._carrier = carrier
        self._news = carrier.news
        self._around = around
        self._settings = settings
        self._seen: dict[PurePosixPath, Sighting] = {}
        self._opened: dict[PurePosixPath, Sighting] = {}
        """Those that were found to open as they are."""
        self._sellers: defaultdict[Whose, Seller] = defaultdict(Seller)
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
            while self._around.stopping() is None:
                is_busy = self._look(threads)
                # From the first look on: it may take longer than a file is to rest.
                begun = self._around.clock() if begun is None else begun
                if self._settings.is_once and not is_busy and self._is_done(begun):
                    break
                self._pause()
        self._collect()
        stopped = self._around.stopping()
        troubles = [one.trouble for one in self._sellers.values() if one.trouble]
        # What somebody else holds is in good hands, and to stop was what was wanted.
        codes = {one.exit for one in troubles if not (isinstance(one, Held) or one is stopped)}
        if self._settings.is_once:
            codes |= self._codes | ({stopped.exit} if stopped else set())
            self._tell_what_is_left(has_done=bool(codes))
        elif stopped and stopped.exit is Exit.CTRL_C:
            codes.add(Exit.CTRL_C)
        usual = Exit.NOTHING if self._settings.is_once else Exit.OK
        return next((code for code in EXIT_PRECEDENCE if code in codes), usual)

    def _pause(self) -> None:
        running = [one.running for one in self._sellers.values() if one.running]
        if self._settings.is_once and running:  # until then there is nothing to look for
            wait(running, self._settings.poll, FIRST_COMPLETED)
        else:
            settle, poll = self._settings.settle, self._settings.poll
            self._around.sleep(pause(self._seen, self._around.clock(), settle, poll))

    def _look(self, threads: Executor) -> bool:
        """One look at the folder and the claims; whether anything is under way after it."""
        self._collect()  # first: whoever is done has nothing in the listing that it has taken
        try:
            whole = self._whole()
            claims = self._around.ledger.claims.under_way(self._carrier.name)
        except FeedtoolError as error:
            if self._settings.is_once:
                raise
            self._news.once("folder", "error", error.message)
            self._around.on_turn(health.Turn(broken=error))
            return False
        self._news.is_over("folder")
        now, is_waiting = self._around.clock(), False
        for whose, due in self._due(whole, claims).items():
            seller = self._sellers[whose]
            is_held = isinstance(seller.trouble, Held)
            if is_held and self._settings.is_once and not due.whole:
                continue  # whoever is at work on it brings it to its end
            is_waiting |= is_held
            if seller.running is None and seller.not_before <= now:
                seller.running = threads.submit(self._work, due)
        self._around.on_turn(self._turn(claims))
        return is_waiting or any(one.running for one in self._sellers.values())

    def _turn(self, claims: Sequence[Claim]) -> health.Turn:
        troubles = {
            one.profile: one.trouble
            for one in self._sellers.values()
            if one.trouble and not isinstance(one.trouble, Held)
        }
        in_work = [health.Work(_place(claim), claim.taken_at, claim.run_id) for claim in claims]
        return health.Turn(in_work, len(waiting(self._seen)), troubles)

    def _due(self, whole: Sequence[Whole], claims: Sequence[Claim]) -> dict[Whose, Due]:
        """What there is to do: files that are whole, and claims that are not ended."""
        work: defaultdict[Whose, Due] = defaultdict(Due)
        for one in whole:
            due = work[self._whose(one.lane.profile)]
            due.whole.append(one)
            due.profiles.add(one.lane.profile)
        for claim in claims:
            if lane := self._lane_of(claim):
                work[self._whose(lane.profile)].profiles.add(lane.profile)
            else:
                place = _place(claim)
                error = _lane_unknown(place)
                self._news.once(f"lane {place}", "error", f"{place}: {error.message}")
        return work

    def _whose(self, profile: str | None) -> Whose:
        try:
            return self._around.whose(profile)
        except FeedtoolError:  # its thread meets the same, and tells it
            return "", profile or ""

    def _whole(self) -> list[Whole]:
        """The files that are to be taken now, the oldest first.

        Those in a folder that names neither a profile nor a kind are refused.
        """
        folder, around, settle = self._carrier.folder, self._around, self._settings.settle
        try:
            listing = folder.listing()
        except OSError as error:
            raise UsageProblem(
                f"{folder.inbox} cannot be read: {error.strerror}",
                "see that it is there, and that feedtool may read it",
            ) from error
        now = around.clock()
        self._seen = look(self._seen, listing, now)
        self._tell_what_is_open(now)
        found = []
        for sighting in quiet(self._seen, now, settle):
            entry = sighting.entry
            if not is_due(sighting, now, settle, opens=self._opens(sighting)):
                continue
            if lane := self._lane(entry.place):
                found.append(Whole(entry, lane))
            elif code := self._carrier.refuse(entry.place, _lane_unknown(entry.place)):
                self._codes.add(code)
        return found

    def _opens(self, sighting: Sighting) -> bool:
        """Whether a file opens; one that did and is unchanged is not opened at every look."""
        place = sighting.entry.place
        if self._opened.get(place) == sighting:
            return True
        if opens := self._carrier.folder.opens(place):
            self._opened = {seen: one for seen, one in self._opened.items() if seen in self._seen}
            self._opened[place] = sighting
        return opens

    def _lane(self, place: PurePosixPath) -> Lane | None:
        return lane_of(place, self._around.profiles, self._around.kinds)

    def _lane_of(self, claim: Claim) -> Lane | None:
        return self._lane(_place(claim))

    def _work(self, due: Due) -> Pass:
        """In the seller's thread."""
        around = self._around
        work = Work(self._carrier, around.desk, self._lane_of, around.now, around.stopping)
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
            seller.not_before = self._around.clock() + self._rest(seller)
            self._tell_of(whose, seller)

    def _tell_of(self, whose: Whose, seller: Seller) -> None:
        """What keeps a seller from its files, once for as long as it does."""
        key, now = f"seller {whose}", self._around.clock()
        trouble, is_held = seller.trouble, isinstance(seller.trouble, Held)
        if not is_held:
            seller.held_since = None
        elif seller.held_since is None:
            seller.held_since = now
        if trouble is None:
            self._news.is_over(key)
        elif seller.held_since is None or now - seller.held_since >= LONG_HELD:
            profile = f"profile {seller.profile}: " if seller.profile else ""
            label = "waiting" if is_held else "error"
            self._news.once(key, label, profile + trouble.message)

    def _rest(self, seller: Seller) -> float:
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
        return not waiting(self._seen) or self._around.clock() - begun > longest

    # What is told of files that stay where they are.

    def _tell_what_is_open(self, now: float) -> None:
        """Tell what keeps a file waiting for long, each reason once.

        A lock file that a crash has left behind would else keep its workbook here unnoticed.
        """
        for sighting in waiting(self._seen):
            key = f"open {sighting.entry.place}"
            reason = why(self._seen, sighting, now, self._settings.settle)
            if now - sighting.since < PATIENCE * self._settings.settle or reason is None:
                self._news.is_over(key)
            elif not self._settings.is_once:
                self._news.once(key, "waiting", self._left(sighting, reason))

    def _tell_what_is_left(self, *, has_done: bool) -> None:
        """Once: what was not taken, and that nothing was to be done."""
        folder, now = self._carrier.folder, self._around.clock()
        left = [one for one in waiting(self._seen) if (folder.inbox / one.entry.place).exists()]
        for sighting in left:
            if reason := why(self._seen, sighting, now, self._settings.settle):
                self._news.tell("waiting", self._left(sighting, reason))
        if not has_done:
            inbox = folder.inbox
            names = [str(place) for place in unfinished(self._seen)]
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            shown = f", but for what is unfinished by its name: {', '.join(names[:MOST_NAMES])}"
            holds = "nothing that is whole" if left else "no file"
            told = f"{inbox} holds {holds}{shown + more if names else ''}"
            self._news.tell("nothing to do", told)

    def _left(self, sighting: Sighting, reason: str) -> str:
        folder = self._carrier.folder
        return f"{folder.relative(folder.inbox / sighting.entry.place)} stays: {reason}"


def _place(claim: Claim) -> PurePosixPath:
    return PurePosixPath(claim.lane) / claim.source


def _lane_unknown(place: PurePosixPath) -> LaneUnknown:
    return LaneUnknown(
        f"“{place.parent}” is no profile and no kind of feed.",
        "Put the file into the inbox itself, or into a subfolder PROFILE, KIND or PROFILE/KIND.",
    )
