"""A seller's files, one after the other: what one thread does, with the seller's lock held.

While we hold the seller's lock nobody else is at work on its files. So whatever of them is claimed
was left by somebody who is gone, or was put off (`Deferred`), and comes before what is new.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack

from msgspec.structs import replace

from feedtool.ledger.claims import Claim
from feedtool.ledger.lock import Held, hold
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.places import Entry
from feedtool.runs.seller_account import SellerAccount
from feedtool.runs.workspace import Session, Workspace
from feedtool.watch.decisions import InboxRoute
from feedtool.watch.messages import Bug, Deferred
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import Environment


class Work:
    """One pass over a seller's files: the claims of some profiles, then files that are whole."""

    def __init__(self, environment: Environment, processor: FileProcessor | None = None) -> None:
        self._environment = environment
        self._processor = processor or FileProcessor(environment)
        self.profiles: set[str | None] = set()
        self.whole: list[tuple[Entry, InboxRoute]] = []
        """As they were when they were found to be whole, the oldest first."""
        self.codes: list[Exit] = []
        """Of each file that is at its end."""
        self.trouble: FeedtoolError | None = None
        """Why it did not get to the end of its files."""
        self.profile: str | None = None
        """Whose trouble it is."""
        self._next: str | None = None
        self._accounts: dict[str | None, SellerAccount | None] = {}
        """None for an account that cannot be opened."""

    def do(self) -> "Work":
        """Bring all of it to its end, in the seller's thread."""
        try:
            with ExitStack() as stack:
                try:
                    for code in self._results(stack):
                        self.codes += () if code is None else (code,)
                except Deferred as deferred:
                    self._stop(deferred.reason)
                    for profile, account in self._accounts.items():
                        if account:
                            left = [claim for claim, _ in self._left_of(profile, account)]
                            self._processor.defer(left, account)
        except FeedtoolError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            self._stop(Bug(error, self._environment.report_bug))
        return self

    def _stop(self, trouble: FeedtoolError) -> None:
        self.trouble, self.profile = trouble, self._next

    def _results(self, stack: ExitStack) -> Iterator[Exit | None]:
        for profile in sorted(self.profiles, key=lambda name: name or ""):
            if account := self._account(profile, stack):
                for claim, route in self._left_of(profile, account):
                    yield self._processor.process(claim, route, account)
        for entry, route in self.whole:
            if self._has_to_end():
                break
            account = self._account(route.profile, stack)
            if account and self._is_ready(entry, account):
                yield self._processor.take(entry.path, route, account)

    def _has_to_end(self) -> bool:
        """True if no further file is to be begun."""
        return self._environment.stopping() is not None

    def _is_ready(self, entry: Entry, account: SellerAccount) -> bool:
        """True if a file is still in the inbox as it was found."""
        del account
        return self._environment.folder.is_as_it_was(entry)

    def _account(self, profile: str | None, stack: ExitStack) -> SellerAccount | None:
        """A profile's account; None where it cannot be opened, which stops no other profile."""
        self._next = profile
        if profile not in self._accounts:
            try:
                self._accounts[profile] = self._opened(profile, stack)
            except Held:
                raise
            except FeedtoolError as error:
                self._accounts[profile] = None
                self._stop(error)
        return self._accounts[profile]

    def _opened(self, profile: str | None, stack: ExitStack) -> SellerAccount:
        """An account with its seller's lock; all share the workspace of the first."""
        account = stack.enter_context(self._environment.open_account(profile))
        first = next(filter(None, self._accounts.values()), None)
        workspace, session = (first or account).workspace, account.session
        if first is None or first.key != account.key:
            stack.enter_context(self._hold(workspace, session))
        return replace(account, session=replace(session, holds_lock=True), workspace=workspace)

    def _hold(self, workspace: Workspace, session: Session) -> AbstractContextManager[None]:
        """The lock of those whose files these are."""
        return hold(
            workspace.ledger.engine,
            session.seller,
            session.address,
            command=self._environment.command,
            now=self._environment.now(),
            is_awaited=True,
        )

    def _under_way(self, account: SellerAccount) -> list[Claim]:
        """The claims of the folder that are not ended."""
        return account.claims.under_way(self._environment.name)

    def _left_of(
        self, profile: str | None, account: SellerAccount
    ) -> list[tuple[Claim, InboxRoute]]:
        """A profile's claims that are not ended: while we have the lock, they are ours."""
        left = []
        for claim in self._under_way(account):
            route = self._environment.route_of(claim.place)
            if route is None or route.profile != profile:
                continue
            if claim.scope == self._processor.scope_of(route, account):
                left.append((claim, route))
            else:
                self._processor.echo_other_account(claim)
        return left
