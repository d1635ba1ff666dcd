"""The watcher: look at the folder again and again, and start work on whole files by seller.

Each seller has one thread at a time, which takes the seller's lock and sends the files of all of
the seller's profiles, in their order; several sellers work side by side.
"""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import timedelta
from math import inf
from pathlib import PurePosixPath

from msgspec import Struct

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import Exit, FeedtoolError, first_of
from feedtool.model.text import joined, tr
from feedtool.places import Entry
from feedtool.places.folder import seems_complete
from feedtool.places.incoming import (
    FileObservation,
    are_taken,
    is_overdue,
    observe,
    pause,
    settled,
    unfinished,
    waiting,
    waiting_reason,
)
from feedtool.watch.folder import InboxRoute
from feedtool.watch.outbox import Outbox
from feedtool.watch.processor import FileProcessor, Work
from feedtool.watch.reporting import RouteUnknown, Turn, with_profile
from feedtool.watch.session import WatchEnvironment

SIDE_BY_SIDE = 8
LONG_HELD = 10.0
"""Seconds until a held lock of a seller is reported: another watcher usually has it for less."""
LONGEST_PAUSE = 60.0
"""Seconds before a seller whose service cannot be reached is tried again."""
MOST_FAILURES = 3
"""Passes in a row without effect, after which a watcher with `is_once` gives up."""
MOST_NAMES = 5
"""Most names of files in one line."""


class WatchedSeller(Struct):
    """The passes over a seller's files, as the main thread knows them."""

    running: Future[Work] | None = None
    trouble: FeedtoolError | None = None
    """The error that ended the last pass early."""
    profile: str | None = None
    """The profile of the trouble."""
    failures: int = 0
    """Passes without effect in a row."""
    not_before: float = 0
    """The earliest next pass, by the watcher's clock."""
    held_since: float | None = None
    """The time, by the watcher's clock, since which another process has the lock."""

    @property
    def is_held(self) -> bool:
        return isinstance(self.trouble, Held)


class Watcher:
    """Watches a folder until a stop."""

    def __init__(self, environment: WatchEnvironment) -> None:
        self._environment, self._log = environment, environment.log
        self._seen: dict[PurePosixPath, FileObservation] = {}
        self._readable: set[Entry] = set()
        """Files that opened in an earlier look, and are not opened again."""
        self._sellers: defaultdict[SellerKey, WatchedSeller] = defaultdict(WatchedSeller)
        self._codes: set[Exit] = set()
        self._outbox = Outbox(environment)

    def run(self) -> Exit:
        """Watch until a stop, or with `is_once` until all files of the start are done.

        With `is_once`, the code covers all files together. Else it is 0, or that of the sellers'
        troubles at the end: single files do not count.
        """
        environment, begun = self._environment, None
        with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="seller") as threads:
            while environment.stopping() is None:
                is_busy = self._look(threads)
                # Counted from the end of the first look, which may take longer than `settle`.
                begun = environment.clock() if begun is None else begun
                seconds = environment.clock() - begun
                if (
                    environment.is_once
                    and not is_busy
                    and are_taken(self._seen, seconds, environment.settle, environment.poll)
                ):
                    break
                self._pause()
        self._collect()
        stopped = environment.stopping()
        # The stop was requested, and is no trouble.
        codes = {trouble.exit for _, trouble in self._troubles() if trouble is not stopped}
        if environment.is_once:
            codes |= self._codes | self._outbox.codes | ({stopped.exit} if stopped else set())
            self._echo_left(has_done=bool(codes))
            return first_of(codes)
        is_interrupted = stopped and stopped.exit is Exit.CTRL_C
        return first_of({*codes, Exit.CTRL_C if is_interrupted else Exit.OK})

    def _pause(self) -> None:
        environment = self._environment
        running = [seller.running for seller in self._sellers.values() if seller.running]
        if environment.is_once and running:  # nothing new can be found before one ends
            wait(running, environment.poll, FIRST_COMPLETED)
        else:
            now, settle = environment.clock(), environment.settle
            environment.sleep(pause(self._seen, now, settle, environment.poll))

    def _look(self, threads: Executor) -> bool:
        """Look at the folder and the claims once; True if anything is under way after it."""
        environment = self._environment
        self._collect()  # first, so that the listing has no file that ended work has taken
        try:
            whole = self._whole()
            claims = environment.ledger.claims.under_way(environment.name)
        except FeedtoolError as error:
            if environment.is_once:
                raise
            self._log.once("folder", "error", error.message)
            environment.on_turn(Turn(troubles=[(None, error)]))
            return False
        self._log.is_over("folder")
        now, is_waiting = environment.clock(), self._outbox.turn(threads)
        for key, work in self._due(whole, claims).items():
            seller = self._sellers[key]
            if seller.is_held and environment.is_once and not work.whole:
                continue  # the process that works on it brings it to its end
            is_waiting |= seller.is_held
            if seller.running is None and seller.not_before <= now:
                seller.running = threads.submit(work.do)
        environment.on_turn(Turn(len(claims), len(waiting(self._seen)), self._troubles()))
        return is_waiting or any(seller.running for seller in self._sellers.values())

    def _troubles(self) -> list[tuple[str | None, FeedtoolError]]:
        """The troubles of exports and sellers, without locks of other processes."""
        return self._outbox.troubles + [
            (seller.profile, seller.trouble)
            for seller in self._sellers.values()
            if seller.trouble and not seller.is_held
        ]

    def _due(
        self, whole: Sequence[tuple[Entry, InboxRoute]], claims: Sequence[Claim]
    ) -> dict[SellerKey, Work]:
        """The work of each seller: files that are whole, and claims that are not ended."""
        due = defaultdict[SellerKey, Work](lambda: Work(self._environment))
        for entry, route in whole:
            work = due[self._seller_of(route.profile)]
            work.whole.append((entry, route))
            work.profiles.add(route.profile)
        for claim in claims:
            if claim_route := self._environment.route_of(claim.place):
                due[self._seller_of(claim_route.profile)].profiles.add(claim_route.profile)
            else:
                text = joined((claim.place, RouteUnknown(claim.place).message), ": ")
                self._log.once(f"lane {claim.place}", "error", text)
        return due

    def _seller_of(self, profile: str | None) -> SellerKey:
        try:
            return self._environment.seller_of(profile)
        except FeedtoolError:  # its thread meets the same error, and reports it
            return "", profile or ""

    def _whole(self) -> list[tuple[Entry, InboxRoute]]:
        """The files to take now, the oldest first; refuse those in a folder of nobody."""
        environment = self._environment
        now, settle, folder = environment.clock(), environment.settle, environment.folder
        self._seen = observe(self._seen, folder.listing(), now)
        self._readable &= {sighting.entry for sighting in self._seen.values()}
        self._echo_blocked(now)
        whole = []
        for sighting in settled(self._seen, now, settle):
            entry = sighting.entry
            if entry not in self._readable and seems_complete(folder.inbox / entry.path):
                self._readable.add(entry)
            if entry not in self._readable and not is_overdue(sighting, now, settle):
                continue
            if route := environment.route_of(entry.path):
                whole.append((entry, route))
            else:
                error = RouteUnknown(entry.path)
                code = FileProcessor(environment).refuse(entry.path, error)
                self._codes |= {code} if code else set()
        return whole

    def _collect(self) -> None:
        self._outbox.collect()
        for key, seller in self._sellers.items():
            if seller.running is None or not seller.running.done():
                continue
            work, seller.running = seller.running.result(), None
            seller.trouble, seller.profile = work.trouble, work.profile
            self._codes.update(work.codes)
            is_stuck = not work.codes and not seller.is_held
            seller.failures = seller.failures + 1 if is_stuck else 0
            rest = self._rest(seller)
            seller.not_before = self._environment.clock() + rest
            self._echo_trouble(f"seller {key}", seller)
            self._note(key, seller, rest)

    def _echo_trouble(self, key: str, seller: WatchedSeller) -> None:
        """Log a seller's trouble, once as long as it lasts."""
        now, trouble = self._environment.clock(), seller.trouble
        if not seller.is_held:
            seller.held_since = None
        elif seller.held_since is None:
            seller.held_since = now
        if trouble is None:
            self._log.is_over(key)
        elif seller.held_since is None or now - seller.held_since >= LONG_HELD:
            label = "waiting" if seller.is_held else "error"
            self._log.once(key, label, with_profile(seller.profile, trouble))

    def _note(self, key: SellerKey, seller: WatchedSeller, rest: float) -> None:
        """Note a pass's end in the ledger, unless it was not begun, or stopped."""
        environment, trouble = self._environment, seller.trouble
        is_known, is_stopped = bool(key[0]), trouble and trouble is environment.stopping()
        if seller.is_held or is_stopped or not is_known:
            return
        now = environment.now()
        not_before = now + timedelta(seconds=rest) if 0 < rest < inf else None
        with suppress(FeedtoolError):  # if the ledger is away, the next look reports it
            environment.ledger.sellers.passed(key, seller.profile, None, trouble, not_before, now)

    def _rest(self, seller: WatchedSeller) -> float:
        """Seconds until a seller's next pass may begin."""
        trouble, settings = seller.trouble, self._environment
        if seller.is_held:
            return settings.poll
        if not seller.failures:
            return 0
        if settings.is_once and (trouble or seller.failures > MOST_FAILURES):
            return inf
        longest = LONGEST_PAUSE if trouble else settings.settle
        return float(min(longest, settings.poll * 2**seller.failures))

    # Files that stay where they are.

    def _echo_blocked(self, now: float) -> None:
        """Log the reasons of files that wait for long, each once.

        Else a lock file that a crash has left behind would hold back its workbook unnoticed.
        """
        for sighting in waiting(self._seen):
            key, text = f"open {sighting.entry.path}", self._left(sighting)
            if text is None or not is_overdue(sighting, now, self._environment.settle):
                self._log.is_over(key)
            elif not self._environment.is_once:
                self._log.once(key, "waiting", text)

    def _echo_left(self, *, has_done: bool) -> None:
        """With `is_once`: log the files that were not taken, or that there was nothing to do."""
        inbox = self._environment.folder.inbox
        left = [item for item in waiting(self._seen) if (inbox / item.entry.path).exists()]
        for text in filter(None, map(self._left, left)):
            self._log.echo("waiting", text)
        if not has_done:
            names = [str(place) for place in unfinished(self._seen)]
            text = tr("{inbox} holds no file", inbox=inbox)
            if left:
                text = tr("{inbox} holds nothing that is whole", inbox=inbox)
            if names:
                shown, others = joined(names[:MOST_NAMES]), len(names) - MOST_NAMES
                if others > 0:
                    shown = tr("{rows} and {left:,} more", rows=shown, left=others)
                text = tr(
                    "{text}, except unfinished files by their names: {names}",
                    text=text,
                    names=shown,
                )
            self._log.echo("nothing to do", text)

    def _left(self, sighting: FileObservation) -> str | None:
        """A file and the reason why it stays; None if it is only too early to take it."""
        now, settle = self._environment.clock(), self._environment.settle
        reason = waiting_reason(self._seen, sighting, now, settle)
        return reason and tr("inbox/{path} stays: {why}", path=sighting.entry.path, why=reason)
