"""A seller's files, one after the other: what one thread does, with the seller's lock held.

While we hold the seller's lock nobody else is at work on its files. So whatever of them is claimed
was left by somebody who is gone, or was put off (`carry.Parked`), and comes before what is new.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.watch.carry import Carrier, Parked, bug_in
from feedtool.watch.desk import Desk
from feedtool.watch.settling import Entry
from feedtool.watch.steps import Lane

OpenDesk = Callable[[str | None], AbstractContextManager[Desk]]
"""Opens a profile's account, or the command line's, in the thread that uses it."""


class Whole(NamedTuple):
    """A file of the inbox that is to be taken."""

    entry: Entry
    """As it was when it was found to be whole."""
    lane: Lane


@dataclass(slots=True)
class Pass:
    """What one pass over a seller's files came to."""

    codes: list[Exit] = field(default_factory=list)
    """Of each file that is at its end."""
    trouble: FeedtoolError | None = None
    """Why it did not get to the end of its files."""
    profile: str | None = None
    """Whose trouble it is."""

    def note(self, code: Exit | None) -> None:
        """What a file came to; None where it is not at its end."""
        if code is not None:
            self.codes.append(code)

    def stop(self, trouble: FeedtoolError, profile: str | None) -> None:
        """What keeps a profile's files from their end."""
        self.trouble, self.profile = trouble, profile


class Work:
    """One pass over a seller's files: first those that were left, then those that are whole."""

    def __init__(
        self,
        carrier: Carrier,
        open_desk: OpenDesk,
        lane_of: Callable[[Claim], Lane | None],
        now: Callable[[], datetime],
        stopping: Callable[[], FeedtoolError | None],
    ) -> None:
        self._carrier = carrier
        self._open_desk = open_desk
        self._lane_of = lane_of
        self._now = now
        self._stopping = stopping
        self._stack = ExitStack()
        self._desks: dict[str | None, Desk | None] = {}
        """None for an account that cannot be opened."""
        self._profile: str | None = None
        """Whose file is next."""
        self._passed = Pass()

    def do(self, profiles: Collection[str | None], whole: Sequence[Whole]) -> Pass:
        """Bring all of it to its end: the claims of these profiles, then these files in order."""
        passed = self._passed
        try:
            with self._stack:
                self._work_off(profiles, whole)
        except FeedtoolError as error:
            passed.stop(error, self._profile)
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            passed.stop(bug_in(error, self._carrier.report_bug), self._profile)
        return passed

    def _work_off(self, profiles: Collection[str | None], whole: Sequence[Whole]) -> None:
        carrier = self._carrier
        try:
            for profile in profiles:
                if desk := self._desk(profile):
                    for claim, lane in self._left_of(profile, desk):
                        self._passed.note(carrier.carry(claim, lane, desk))
            for entry, lane in whole:
                if self._stopping():
                    break
                desk = self._desk(lane.profile)
                if desk and carrier.folder.is_as_it_was(entry):
                    self._passed.note(carrier.take(entry.place, lane, desk))
        except Parked as parked:
            self._passed.stop(parked.reason, self._profile)
            for profile, desk in self._desks.items():
                if desk:
                    carrier.park([claim for claim, _ in self._left_of(profile, desk)], desk)

    def _desk(self, profile: str | None) -> Desk | None:
        """A profile's account; None where it cannot be opened, which stops no other profile."""
        self._profile = profile
        if profile not in self._desks:
            try:
                self._desks[profile] = self._opened(profile)
            except Held:
                raise
            except FeedtoolError as error:
                self._desks[profile] = None
                self._passed.stop(error, profile)
        return self._desks[profile]

    def _opened(self, profile: str | None) -> Desk:
        """An account, from here on with its seller's lock; all share the books of the first."""
        desk = self._stack.enter_context(self._open_desk(profile))
        first = next((one for one in self._desks.values() if one), None)
        books, service = first.books if first else desk.books, desk.service
        if first is None or first.whose != desk.whose:
            lock = books.ledger.hold(
                service.seller,
                service.address,
                command="watch",
                now=self._now(),
                is_awaited=True,
            )
            self._stack.enter_context(lock)
        return replace(desk, service=replace(service, holds_lock=True), books=books)

    def _left_of(self, profile: str | None, desk: Desk) -> list[tuple[Claim, Lane]]:
        """A profile's claims that are not ended: while we have the lock, they are ours."""
        carrier, found = self._carrier, []
        for claim in desk.books.ledger.claims.under_way(carrier.name):
            lane = self._lane_of(claim)
            if lane is None or lane.profile != profile:
                continue
            if claim.scope == carrier.scope_of(lane, desk):
                found.append((claim, lane))
            else:
                carrier.tell_of_another_account(claim)
        return found
