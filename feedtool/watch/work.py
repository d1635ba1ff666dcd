"""A seller's files, one after the other: what one thread does, with the seller's lock held.

While we hold the seller's lock nobody else is at work on its files. So whatever of them is claimed
was left by somebody who is gone, or was put off (`Deferred`), and comes before what is new.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held, hold
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.watch.decisions import Entry, InboxRoute
from feedtool.watch.messages import Bug, Deferred
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import Environment, SellerAccount


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


@dataclass
class Work:
    """One pass over a seller's files: first those that were left, then those that are whole."""

    processor: FileProcessor
    environment: Environment

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self._accounts: dict[str | None, SellerAccount | None] = {}
        """None for an account that cannot be opened."""
        self._profile: str | None = None
        """Whose file is next."""
        self._pass = Pass()

    def do(self, profiles: Collection[str | None], whole: Sequence[ReadyFile]) -> Pass:
        """Bring all of it to its end: the claims of these profiles, then these files in order."""
        try:
            with self._stack:
                self._work_off(profiles, whole)
        except FeedtoolError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            self._stop(Bug(error, self.processor.report_bug))
        return self._pass

    def _stop(self, trouble: FeedtoolError) -> None:
        self._pass.trouble, self._pass.profile = trouble, self._profile

    def _work_off(self, profiles: Collection[str | None], whole: Sequence[ReadyFile]) -> None:
        try:
            for code in self._codes(profiles, whole):
                self._pass.codes += () if code is None else (code,)
        except Deferred as deferred:
            self._stop(deferred.reason)
            for profile, account in self._accounts.items():
                if account:
                    left = [claim for claim, _ in self._left_of(profile, account)]
                    self.processor.defer(left, account)

    def _codes(
        self, profiles: Collection[str | None], whole: Sequence[ReadyFile]
    ) -> Iterator[Exit | None]:
        for profile in profiles:
            if account := self._account(profile):
                for claim, route in self._left_of(profile, account):
                    yield self.processor.process(claim, route, account)
        for entry, route in whole:
            if self.environment.stopping():
                break
            account = self._account(route.profile)
            if account and self.processor.folder.is_as_it_was(entry):
                yield self.processor.take(entry.place, route, account)

    def _account(self, profile: str | None) -> SellerAccount | None:
        """A profile's account; None where it cannot be opened, which stops no other profile."""
        self._profile = profile
        if profile not in self._accounts:
            try:
                self._accounts[profile] = self._opened(profile)
            except Held:
                raise
            except FeedtoolError as error:
                self._accounts[profile] = None
                self._stop(error)
        return self._accounts[profile]

    def _opened(self, profile: str | None) -> SellerAccount:
        """An account with its seller's lock; all share the workspace of the first."""
        account = self._stack.enter_context(self.environment.open_account(profile))
        first = next(filter(None, self._accounts.values()), None)
        workspace, session = (first or account).workspace, account.session
        if first is None or first.key != account.key:
            lock = hold(
                workspace.ledger.engine,
                session.seller,
                session.address,
                command="watch",
                now=self.environment.now(),
                is_awaited=True,
            )
            self._stack.enter_context(lock)
        return replace(account, session=replace(session, holds_lock=True), workspace=workspace)

    def _left_of(
        self, profile: str | None, account: SellerAccount
    ) -> list[tuple[Claim, InboxRoute]]:
        """A profile's claims that are not ended: while we have the lock, they are ours."""
        left = []
        for claim in account.claims.under_way(self.processor.name):
            route = self.environment.route_of(claim.place)
            if route is None or route.profile != profile:
                continue
            if claim.scope == self.processor.scope_of(route, account):
                left.append((claim, route))
            else:
                self.processor.echo_other_account(claim)
        return left
