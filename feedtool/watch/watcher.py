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
from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.watch.decisions import (
    PATIENCE,
    Entry,
    Sighting,
    is_overdue,
    look,
    pause,
    quiet,
    unfinished,
    waiting,
    waiting_reason,
)
from feedtool.watch.messages import RouteUnknown, Turn
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import Environment, SellerKey, Settings
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
    """The passes over a seller's files, as the main thread knows them."""

    running: Future[Pass] | None = None
    last: Pass = field(default_factory=Pass)
    failures: int = 0
    """One after the other."""
    not_before: float = 0
    """By the watcher's clock."""
    held_since: float | None = None
    """Since when somebody else has the lock."""

    @property
    def is_held(self) -> bool:
        """True if somebody else sends the seller's files."""
        return isinstance(self.last.trouble, Held)


@dataclass(slots=True)
class Due:
    """The work that there is for a seller."""

    profiles: set[str | None] = field(default_factory=set)
    whole: list[ReadyFile] = field(default_factory=list)
    """The oldest first."""


class Watcher:
    """A watched folder, for as long as it is watched."""

    def __init__(
        self, processor: FileProcessor, environment: Environment, settings: Settings
    ) -> None:
        self._processor, self._environment, self._settings = processor, environment, settings
        self._folder, self._log = processor.folder, processor.log
        self._seen: dict[PurePosixPath, Sighting] = {}
        self._open_well: set[Entry] = set()
        """Those that were found to open as they are: they are not opened at every look."""
        self._sellers: defaultdict[SellerKey, WatchedSeller] = defaultdict(WatchedSeller)
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
            return first_of(codes)
        is_interrupted = stopped and stopped.exit is Exit.CTRL_C
        return first_of({*codes, Exit.CTRL_C if is_interrupted else Exit.OK})

    def _pause(self) -> None:
        running = [seller.running for seller in self._sellers.values() if seller.running]
        settle, poll = self._settings.settle, self._settings.poll
        if self._settings.is_once and running:  # until then there is nothing to look for
            wait(running, poll, FIRST_COMPLETED)
        else:
            self._environment.sleep(pause(self._seen, self._environment.clock(), settle, poll))

    def _look(self, threads: Executor) -> bool:
        """One look at the folder and the claims; True if anything is under way after it."""
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
        for key, due in self._due(whole, claims).items():
            seller = self._sellers[key]
            if seller.is_held and self._settings.is_once and not due.whole:
                continue  # whoever is at work on it brings it to its end
            is_waiting |= seller.is_held
            if seller.running is None and seller.not_before <= now:
                seller.running = threads.submit(self._work, due)
        self._environment.on_turn(Turn(len(claims), len(waiting(self._seen)), self._troubles()))
        return is_waiting or any(seller.running for seller in self._sellers.values())

    def _troubles(self) -> list[tuple[str | None, FeedtoolError]]:
        """What keeps sellers from their files; what another process holds is in good hands."""
        return [
            (seller.last.profile, seller.last.trouble)
            for seller in self._sellers.values()
            if seller.last.trouble and not seller.is_held
        ]

    def _due(self, whole: Sequence[ReadyFile], claims: Sequence[Claim]) -> dict[SellerKey, Due]:
        """The work of each seller: files that are whole, and claims that are not ended."""
        work: defaultdict[SellerKey, Due] = defaultdict(Due)
        for file in whole:
            due = work[self._seller_of(file.route.profile)]
            due.whole.append(file)
            due.profiles.add(file.route.profile)
        for claim in claims:
            if route := self._environment.route_of(claim.place):
                work[self._seller_of(route.profile)].profiles.add(route.profile)
            else:
                text = f"{claim.place}: {RouteUnknown(claim.place).message}"
                self._log.once(f"lane {claim.place}", "error", text)
        return work

    def _seller_of(self, profile: str | None) -> SellerKey:
        try:
            return self._environment.seller_of(profile)
        except FeedtoolError:  # its thread meets the same, and tells it
            return "", profile or ""

    def _whole(self) -> list[ReadyFile]:
        """The files that are to be taken now, the oldest first.

        Those in a folder that names neither a profile nor a kind are refused.
        """
        now, settle = self._environment.clock(), self._settings.settle
        self._seen = look(self._seen, self._folder.listing(), now)
        self._open_well &= {sighting.entry for sighting in self._seen.values()}
        self._echo_what_is_open(now)
        whole = []
        for sighting in quiet(self._seen, now, settle):
            entry = sighting.entry
            if not (self._opens(entry) or is_overdue(sighting, now, settle)):
                continue
            if route := self._environment.route_of(entry.place):
                whole.append(ReadyFile(entry, route))
            elif code := self._processor.refuse(entry.place, RouteUnknown(entry.place)):
                self._codes.add(code)
        return whole

    def _opens(self, entry: Entry) -> bool:
        if entry not in self._open_well and self._folder.opens(entry.place):
            self._open_well.add(entry)
        return entry in self._open_well

    def _work(self, due: Due) -> Pass:
        """In the seller's thread."""
        profiles = sorted(due.profiles, key=lambda name: name or "")
        return Work(self._processor, self._environment).do(profiles, due.whole)

    def _collect(self) -> None:
        """Note the results of the threads that have ended."""
        for key, seller in self._sellers.items():
            if seller.running is None or not seller.running.done():
                continue
            seller.last, seller.running = seller.running.result(), None
            self._codes |= set(seller.last.codes)
            is_stuck = not seller.last.codes and not seller.is_held
            seller.failures = seller.failures + 1 if is_stuck else 0
            seller.not_before = self._environment.clock() + self._rest(seller)
            self._echo_trouble(f"seller {key}", seller)

    def _echo_trouble(self, key: str, seller: WatchedSeller) -> None:
        """What keeps a seller from its files, once for as long as it does."""
        now, trouble = self._environment.clock(), seller.last.trouble
        if not seller.is_held:
            seller.held_since = None
        elif seller.held_since is None:
            seller.held_since = now
        if trouble is None:
            self._log.is_over(key)
        elif seller.held_since is None or now - seller.held_since >= LONG_HELD:
            profile = f"profile {seller.last.profile}: " if seller.last.profile else ""
            label = "waiting" if seller.is_held else "error"
            self._log.once(key, label, profile + trouble.message)

    def _rest(self, seller: WatchedSeller) -> float:
        """Seconds before a seller is given its files again."""
        trouble, settings = seller.last.trouble, self._settings
        if seller.is_held:
            return settings.poll
        if not seller.failures:
            return 0
        if settings.is_once and (trouble or seller.failures > MOST_FAILURES):
            return inf
        longest = LONGEST_PAUSE if trouble else settings.settle
        return float(min(longest, settings.poll * 2**seller.failures))

    def _is_done(self, begun: float) -> bool:
        """True if nothing is left that could be whole soon."""
        longest = PATIENCE * self._settings.settle + self._settings.poll
        return not waiting(self._seen) or self._environment.clock() - begun > longest

    # Files that stay where they are.

    def _echo_what_is_open(self, now: float) -> None:
        """Say what keeps a file waiting for long, each reason once.

        A lock file that a crash has left behind would else keep its workbook here unnoticed.
        """
        for sighting in waiting(self._seen):
            key, text = f"open {sighting.entry.place}", self._left(sighting)
            if text is None or not is_overdue(sighting, now, self._settings.settle):
                self._log.is_over(key)
            elif not self._settings.is_once:
                self._log.once(key, "waiting", text)

    def _echo_what_is_left(self, *, has_done: bool) -> None:
        """Once: what was not taken, and that nothing was to be done."""
        inbox = self._folder.inbox
        left = [item for item in waiting(self._seen) if (inbox / item.entry.place).exists()]
        for text in filter(None, map(self._left, left)):
            self._log.echo("waiting", text)
        if not has_done:
            names = [str(place) for place in unfinished(self._seen)]
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            shown = f", but for what is unfinished by its name: {', '.join(names[:MOST_NAMES])}"
            holds = "nothing that is whole" if left else "no file"
            text = f"{inbox} holds {holds}{shown + more if names else ''}"
            self._log.echo("nothing to do", text)

    def _left(self, sighting: Sighting) -> str | None:
        """The file, and why it is not taken; None where its turn has but not come."""
        now, settle = self._environment.clock(), self._settings.settle
        reason = waiting_reason(self._seen, sighting, now, settle)
        place = self._folder.relative(self._folder.inbox / sighting.entry.place)
        return reason and f"{place} stays: {reason}"
