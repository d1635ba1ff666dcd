"""Send a seller's files one after the other, in one thread, with the seller's lock held.

While this process holds the seller's lock no other works on its files. So each claim on them was
left by a process that is gone, or was put off (`Deferred`), and comes before new files.
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
        """Whole files, as the inbox listed them; the oldest first."""
        self.codes: list[Exit] = []
        """The exit code of each file that is at its end."""
        self.trouble: FeedtoolError | None = None
        """The error that ended the pass early; None if it reached its end."""
        self.profile: str | None = None
        """The profile of the trouble."""
        self._next: str | None = None
        self._accounts: dict[str | None, SellerAccount | None] = {}
        """None for an account that cannot be opened."""

    def do(self) -> "Work":
        """Bring all files to their end, in the seller's thread."""
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
        """True if no further file may be begun."""
        return self._environment.stopping() is not None

    def _is_ready(self, entry: Entry, account: SellerAccount) -> bool:
        """True if a file is still unchanged in the inbox."""
        del account
        return self._environment.folder.is_unchanged(entry)

    def _account(self, profile: str | None, stack: ExitStack) -> SellerAccount | None:
        """A profile's account; None if it cannot be opened, which stops no other profile."""
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
        """Open an account with its seller's lock; all share the workspace of the first."""
        account = stack.enter_context(self._environment.open_account(profile))
        first = next(filter(None, self._accounts.values()), None)
        workspace, session = (first or account).workspace, account.session
        if first is None or first.key != account.key:
            stack.enter_context(self._hold(workspace, session))
        return replace(account, session=replace(session, holds_lock=True), workspace=workspace)

    def _hold(self, workspace: Workspace, session: Session) -> AbstractContextManager[None]:
        """The lock of the files' seller."""
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
        """A profile's claims that are not ended; the holder of the lock owns them."""
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
