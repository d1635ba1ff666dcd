"""The watcher: looks at the folder again and again, and hands what is whole to its accounts.

Each account, a profile or the one of the command line, has one thread at a time, which takes the
seller's lock and works off the account's files in their order; several accounts side by side.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from pathlib import PurePosixPath

from feedtool.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, UsageProblem
from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.watch.carry import Carrier, Desk, LaneUnknown, Parked, bug_in
from feedtool.watch.health import Turn, Work
from feedtool.watch.settling import TRIES, Sighting, is_due, look, quiet, waiting
from feedtool.watch.steps import Lane, lane_of

SIDE_BY_SIDE = 8
"""Accounts at a time."""
LONGEST_PAUSE = 60.0
"""Seconds before an account whose service cannot be reached is tried again."""


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
    desk: Callable[[str | None], AbstractContextManager[Desk]]
    """Opens a profile's account, or the command line's, in the thread that uses it."""
    profiles: Collection[str]
    kinds: Collection[str]
    clock: Callable[[], float]
    """Seconds that only go forward."""
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    stopping: Callable[[], FeedtoolError | None]
    on_turn: Callable[[Turn], None] = lambda _: None
    """Told of each look at the folder."""


@dataclass(slots=True)
class Pass:
    """What an account's thread came to."""

    codes: list[Exit] = field(default_factory=list)
    """Of each file that is at its end."""
    trouble: FeedtoolError | None = None
    """Why it did not get to the end of its files."""


@dataclass(slots=True)
class Account:
    """What the main thread knows of a profile."""

    running: Future[Pass] | None = None
    trouble: FeedtoolError | None = None
    """What it met last, if its files are not through."""
    failures: int = 0
    """One after the other."""
    not_before: float = 0
    """By the watcher's clock."""


Whole = dict[str | None, list[tuple[PurePosixPath, Lane]]]
"""Each profile's files that are whole, the oldest first."""


class Watcher:
    """A watched folder, for as long as it is watched."""

    def __init__(self, carrier: Carrier, around: Around, settings: Settings) -> None:
        self._carrier = carrier
        self._around = around
        self._settings = settings
        self._seen: dict[PurePosixPath, Sighting] = {}
        self._accounts: defaultdict[str | None, Account] = defaultdict(Account)
        self._codes: set[Exit] = set()
        self._told: dict[str, str] = {}

    def run(self) -> Exit:
        """Watch until something stops it, or, once, until all that was there is done.

        Returns:
            Once, what came of all files together. Else 0, or what keeps an account from its files
            at the end: a watcher's life is not judged by each file.

        Raises:
            FeedtoolError: Once, the folder or the ledger cannot be read.
        """
        begun = self._around.clock()
        with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="account") as threads:
            while self._around.stopping() is None:
                has_begun = self._look(threads)
                if self._settings.is_once and not has_begun and self._is_done(begun):
                    break
                self._pause()
        self._collect()
        codes = {one.trouble.exit for one in self._accounts.values() if one.trouble}
        stopped = self._around.stopping()
        if self._settings.is_once:
            codes |= self._codes | ({stopped.exit} if stopped else set())
        elif stopped and stopped.exit is Exit.CTRL_C:
            codes.add(Exit.CTRL_C)
        usual = Exit.NOTHING if self._settings.is_once else Exit.OK
        return next((code for code in EXIT_PRECEDENCE if code in codes), usual)

    def _pause(self) -> None:
        running = [one.running for one in self._accounts.values() if one.running]
        if self._settings.is_once and running:  # until then there is nothing to look for
            wait(running, self._settings.poll, FIRST_COMPLETED)
        else:
            self._around.sleep(self._settings.poll)

    def _look(self, threads: Executor) -> bool:
        """One look at the folder and the claims; whether any account is at work after it."""
        try:
            work = self._whole()
            left = self._left()
        except FeedtoolError as error:
            if self._settings.is_once:
                raise
            self._tell_once("folder", "error", error.message)
            self._around.on_turn(Turn(broken=error))
            return False
        self._told.pop("folder", None)
        self._collect()
        now = self._around.clock()
        for profile in {**work, **left}:
            account = self._accounts[profile]
            is_others = self._settings.is_once and isinstance(account.trouble, Held)
            if account.running is None and account.not_before <= now:
                if is_others and profile not in work:
                    continue  # whoever is at work on it brings it to its end
                account.running = threads.submit(self._work, profile, work.get(profile, []))
        self._around.on_turn(self._turn([claim for claims in left.values() for claim in claims]))
        return any(one.running for one in self._accounts.values())

    def _turn(self, claims: Sequence[Claim]) -> Turn:
        troubles = {
            profile: one.trouble
            for profile, one in self._accounts.items()
            if one.trouble and not isinstance(one.trouble, Held)
        }
        in_work = [Work(_place(claim), claim.taken_at, claim.run_id) for claim in claims]
        return Turn(in_work, len(waiting(self._seen)), troubles)

    def _whole(self) -> Whole:
        """The files that are to be taken now; what is in nobody's folder is refused."""
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
        work: Whole = {}
        for sighting in quiet(self._seen, now, settle):
            place = sighting.entry.place
            if not is_due(sighting, now, settle, opens=folder.opens(place)):
                continue
            lane = self._lane_of(place)
            if lane:
                work.setdefault(lane.profile, []).append((place, lane))
            elif code := self._carrier.refuse(place, _lane_unknown(place)):
                self._codes.add(code)
        return work

    def _left(self) -> dict[str | None, list[Claim]]:
        """The claims that are not ended, by profile."""
        found: dict[str | None, list[Claim]] = {}
        for claim in self._around.ledger.claims.under_way(self._carrier.name):
            if lane := self._lane_of(_place(claim)):
                found.setdefault(lane.profile, []).append(claim)
            else:
                error = _lane_unknown(_place(claim))
                self._tell_once(str(claim.claim), "error", f"{_place(claim)}: {error.message}")
        return found

    def _lane_of(self, place: PurePosixPath) -> Lane | None:
        return lane_of(place, self._around.profiles, self._around.kinds)

    def _collect(self) -> None:
        """Note what the threads that have ended came to."""
        for profile, account in self._accounts.items():
            if account.running is None or not account.running.done():
                continue
            passed = account.running.result()
            account.running = None
            self._codes |= set(passed.codes)
            account.trouble = passed.trouble
            is_stuck = not passed.codes and not isinstance(passed.trouble, Held)
            account.failures = account.failures + 1 if is_stuck else 0
            account.not_before = self._around.clock() + self._rest(account)
            if passed.trouble is None:
                self._told.pop(f"account {profile}", None)
                continue
            label = "waiting" if isinstance(passed.trouble, Held) else "error"
            whose = f"profile {profile}: " if profile else ""
            self._tell_once(f"account {profile}", label, whose + passed.trouble.message)

    def _rest(self, account: Account) -> float:
        """Seconds before an account is given its files again."""
        if isinstance(account.trouble, Held):
            return self._settings.poll
        if not account.failures:
            return 0
        if self._settings.is_once and (account.trouble or account.failures > TRIES):
            return inf
        longest = LONGEST_PAUSE if account.trouble else self._settings.settle
        return float(min(longest, self._settings.poll * 2**account.failures))

    def _is_done(self, begun: float) -> bool:
        """Is nothing left that could be whole soon?"""
        longest = TRIES * self._settings.settle + self._settings.poll
        return not waiting(self._seen) or self._around.clock() - begun > longest

    def _tell_once(self, key: str, label: str, text: str) -> None:
        if self._told.get(key) != text:
            self._told[key] = text
            self._carrier.tell(label, text)

    # In an account's thread.

    def _work(self, profile: str | None, whole: Sequence[tuple[PurePosixPath, Lane]]) -> Pass:
        """Take the seller's lock, and bring what was left and what is whole to its end."""
        passed = Pass()
        try:
            with self._around.desk(profile) as desk, self._locked(desk):
                self._work_off(profile, whole, desk, passed)
        except FeedtoolError as error:
            passed.trouble = error
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            passed.trouble = bug_in(error, self._carrier.report_bug)
        return passed

    def _locked(self, desk: Desk) -> AbstractContextManager[None]:
        service = desk.service
        now = self._around.now()
        return desk.books.ledger.hold(service.seller, service.address, command="watch", now=now)

    def _work_off(
        self,
        profile: str | None,
        whole: Sequence[tuple[PurePosixPath, Lane]],
        desk: Desk,
        passed: Pass,
    ) -> None:
        carrier = self._carrier
        desk = replace(desk, service=replace(desk.service, holds_lock=True))
        try:
            for claim, lane in self._left_of(profile, desk):
                _note(passed, carrier.carry(claim, lane, desk))
            for place, lane in whole:
                if self._around.stopping():
                    break
                _note(passed, carrier.take(place, lane, desk))
        except Parked as parked:
            passed.trouble = parked.reason
            carrier.park([claim for claim, _ in self._left_of(profile, desk)], desk)

    def _left_of(self, profile: str | None, desk: Desk) -> list[tuple[Claim, Lane]]:
        """Whoever has made them is gone, now that we have the lock."""
        found = desk.books.ledger.claims.under_way(self._carrier.name)
        lanes = [(claim, self._lane_of(_place(claim))) for claim in found]
        return [(claim, lane) for claim, lane in lanes if lane and lane.profile == profile]


def _note(passed: Pass, code: Exit | None) -> None:
    if code is not None:
        passed.codes.append(code)


def _place(claim: Claim) -> PurePosixPath:
    return PurePosixPath(claim.lane) / claim.source


def _lane_unknown(place: PurePosixPath) -> LaneUnknown:
    return LaneUnknown(
        f"“{place.parent}” is no profile and no kind of feed.",
        "Put the file into the inbox itself, or into a subfolder PROFILE, KIND or PROFILE/KIND.",
    )
