"""The account that a file is sent from, with all that its files need, and the world around it."""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from feedtool.areas.offers.changes.selection import EVERY_ROW, SelectionOptions
from feedtool.check import ReadOptions
from feedtool.feeds.export import Export, Query
from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claims
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.settings import Context
from feedtool.model.spool import temporary_folder
from feedtool.model.text import LanguageChoice
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import ENGLISH_UNLESS_STAMPED
from feedtool.runs.workspace import Session, Workspace
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.decisions import InboxRoute, route_of
from feedtool.watch.folder import Folder, make_folder
from feedtool.watch.messages import DeduplicatedLog, Turn

SellerKey = tuple[str, str]
"""A service's address, whatever its case, and a seller there: whose files go one after the other,
and who has a lock."""


def seller_key(address: str, seller: str) -> SellerKey:
    """The key of a seller's files, as the lock tells sellers apart."""
    return address.rstrip("/").casefold(), seller


class OutboxExport(NamedTuple):
    """An export whose new things go into the outbox."""

    kind: Export
    options: Mapping[str, Any] = {}
    """Its filters, by the names of their parameters."""
    cursor: str | None = None
    """None for the folder's own."""
    is_changed: bool = False
    """True if a thing comes again whenever it has changed."""


def _unfiltered(wanted: OutboxExport) -> Query:
    """All that there is of a kind, as the service is by default."""
    filters = wanted.kind.filters
    values = {entry.name: () if entry.is_list else entry.default for entry in filters}
    return Query("", "", "en", Context(), values=values)


@dataclass(frozen=True, slots=True)
class SellerAccount:
    """An account, with all that its files need. Its seller's lock is held."""

    session: Session
    workspace: Workspace
    read_options: Callable[[str | None], ReadOptions]
    """How files are read, as a kind or as what they are recognised for."""
    on_answered: Callable[[Sequence[SheetResult], Exit], None] = lambda *_: None
    """Called with the results of a run; returns at once."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """Called with a file that is not sent, or not to its end; returns at once."""
    selection: SelectionOptions = EVERY_ROW
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """That of what is written for people."""
    query: Callable[[OutboxExport], Query] = _unfiltered
    """What is asked for by an export."""

    @property
    def claims(self) -> Claims:
        """The claims of the ledger."""
        return self.workspace.ledger.claims

    @property
    def key(self) -> SellerKey:
        """The key of the seller whose files it sends."""
        return seller_key(self.session.address, self.session.seller)


OpenAccount = Callable[[str | None], AbstractContextManager[SellerAccount]]
"""Opens a profile's account, or the command line's, in the thread that uses it."""


@dataclass(frozen=True, slots=True)
class ClaimWorkspace(Workspace):
    """A workspace that puts what a file was judged by beside it, for another machine to go on.

    Snapshots stay on this machine; both see the folder.
    """

    handover: Path
    """Where that is put: hidden, beside the claimed file."""

    def keep_used(self, path: Path) -> str:
        """As `Workspace` keeps it, and beside the file that is being sent."""
        sha256 = Workspace.keep_used(self, path)
        self._hand_over(
            self.handover.with_name(f"{self.handover.stem}.{sha256}{self.handover.suffix}"), path
        )
        return sha256

    def keep_excerpt(self, excerpt: bytes) -> str:
        """As `Workspace` keeps it, and beside the file that is being sent."""
        with temporary_folder() as folder:
            (path := folder / "excerpt").write_bytes(excerpt)
            self._hand_over(self.handover, path)
        return Workspace.keep_excerpt(self, excerpt)

    def _hand_over(self, place: Path, path: Path) -> None:
        make_folder(place.parent)
        with atomic_write(place) as temporary:
            shutil.copyfile(path, temporary)


@dataclass(frozen=True, slots=True)
class Environment:
    """A watched folder, and the world around it: accounts, clocks, and the wish to stop."""

    folder: Folder
    name: str
    """The folder's, in the ledger."""
    ledger: Ledger
    """For the main thread alone."""
    open_account: OpenAccount
    seller_of: Callable[[str | None], SellerKey]
    """The seller of a profile's files, or of those of the command line's account."""
    profiles: Collection[str]
    kinds: Collection[str]
    clock: Callable[[], float]
    """Seconds that only go forward."""
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    """Ends sooner when it is to stop."""
    stopping: Callable[[], FeedtoolError | None]
    log: DeduplicatedLog
    report_bug: Callable[[Exception], str]
    """Writes down what is ready to be pasted; returns where."""
    same_within: timedelta
    """Since when the same content is taken for a mistake."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """As an account's, for a file in no account's folder."""
    on_turn: Callable[[Turn], None] = lambda _: None
    """Called after each look at the folder."""
    settle: float = 2
    """Seconds that a file has to rest."""
    poll: float = 1
    """Seconds between two looks."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """As an account's, for a file in no account's folder."""
    is_once: bool = False
    """True if it ends when all that was there is done."""
    exports: Sequence[OutboxExport] = ()
    every: float = 600
    """Seconds from one beat of the exports to the next."""
    export_profiles: Sequence[str | None] = (None,)
    """Whose they are."""

    def route_of(self, place: PurePosixPath) -> InboxRoute | None:
        """The route of a file of the inbox; None where its folder is nobody's."""
        return route_of(place, self.profiles, self.kinds)
