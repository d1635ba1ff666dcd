"""A seller's files, one after the other: what one thread does, with the seller's lock held.

While we hold the seller's lock nobody else is at work on its files. So whatever of them is claimed
was left by somebody who is gone, or was put off (`Deferred`), and comes before what is new.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.watch.messages import Bug, Deferred
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import OpenSession, SellerSession
from feedtool.watch.settling import Entry
from feedtool.watch.steps import InboxRoute


class ReadyFile(NamedTuple):
    """A file of the inbox that is to be taken."""

    entry: Entry
    """As it was when it was found to be whole."""
    route: InboxRoute


@dataclass(slots=True)
class Pass:
    """The result of one pass over a seller's files."""

    codes: list[Exit] = field(default_factory=list)
    """Of each file that is at its end."""
    trouble: FeedtoolError | None = None
    """Why it did not get to the end of its files."""
    profile: str | None = None
    """Whose trouble it is."""


class Work:
    """One pass over a seller's files: first those that were left, then those that are whole."""

    def __init__(
        self,
        processor: FileProcessor,
        open_session: OpenSession,
        route_of: Callable[[Claim], InboxRoute | None],
        now: Callable[[], datetime],
        stopping: Callable[[], FeedtoolError | None],
    ) -> None:
        self._processor = processor
        self._open_session = open_session
        self._route_of = route_of
        self._now = now
        self._stopping = stopping
        self._stack = ExitStack()
        self._sessions: dict[str | None, SellerSession | None] = {}
        """None for an account that cannot be opened."""
        self._profile: str | None = None
        """Whose file is next."""
        self._passed = Pass()

    def do(self, profiles: Collection[str | None], whole: Sequence[ReadyFile]) -> Pass:
        """Bring all of it to its end: the claims of these profiles, then these files in order."""
        try:
            with self._stack:
                self._work_off(profiles, whole)
        except FeedtoolError as error:
            self._stop(error, self._profile)
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            self._stop(Bug(error, self._processor.report_bug), self._profile)
        return self._passed

    def _note(self, code: Exit | None) -> None:
        self._passed.codes += () if code is None else (code,)

    def _stop(self, trouble: FeedtoolError, profile: str | None) -> None:
        self._passed.trouble, self._passed.profile = trouble, profile

    def _work_off(self, profiles: Collection[str | None], whole: Sequence[ReadyFile]) -> None:
        processor = self._processor
        try:
            for profile in profiles:
                if session := self._session(profile):
                    for claim, route in self._left_of(profile, session):
                        self._note(processor.process(claim, route, session))
            for entry, route in whole:
                if self._stopping():
                    break
                session = self._session(route.profile)
                if session and processor.folder.is_as_it_was(entry):
                    self._note(processor.take(entry.place, route, session))
        except Deferred as deferred:
            self._stop(deferred.reason, self._profile)
            for profile, session in self._sessions.items():
                if session:
                    processor.defer(
                        [claim for claim, _ in self._left_of(profile, session)], session
                    )

    def _session(self, profile: str | None) -> SellerSession | None:
        """A profile's account; None where it cannot be opened, which stops no other profile."""
        self._profile = profile
        if profile not in self._sessions:
            try:
                self._sessions[profile] = self._opened(profile)
            except Held:
                raise
            except FeedtoolError as error:
                self._sessions[profile] = None
                self._stop(error, profile)
        return self._sessions[profile]

    def _opened(self, profile: str | None) -> SellerSession:
        """An account, from here on with its seller's lock; all share the books of the first."""
        session = self._stack.enter_context(self._open_session(profile))
        first = next((session for session in self._sessions.values() if session), None)
        books, service = first.books if first else session.books, session.service
        if first is None or first.whose != session.whose:
            lock = books.ledger.hold(
                service.seller,
                service.address,
                command="watch",
                now=self._now(),
                is_awaited=True,
            )
            self._stack.enter_context(lock)
        return replace(session, service=replace(service, holds_lock=True), books=books)

    def _left_of(
        self, profile: str | None, session: SellerSession
    ) -> list[tuple[Claim, InboxRoute]]:
        """A profile's claims that are not ended: while we have the lock, they are ours."""
        processor, found = self._processor, []
        for claim in session.books.ledger.claims.under_way(processor.name):
            route = self._route_of(claim)
            if route is None or route.profile != profile:
                continue
            if claim.scope == processor.scope_of(route, session):
                found.append((claim, route))
            else:
                processor.echo_other_account(claim)
        return found
