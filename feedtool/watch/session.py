"""The world around a watched folder: accounts, clocks, exports, and the wish to stop."""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from msgspec import Struct

from feedtool.feeds.export import Export
from feedtool.ledger import Ledger
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import FeedtoolError
from feedtool.model.spool import temporary_folder
from feedtool.model.text import LanguageChoice
from feedtool.runs.outputs import ENGLISH_UNLESS_STAMPED
from feedtool.runs.seller_account import OpenAccount
from feedtool.runs.workspace import Workspace
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.decisions import InboxRoute
from feedtool.watch.folder import Folder, make_folder
from feedtool.watch.messages import DeduplicatedLog, Turn


class OutboxExport(NamedTuple):
    """An export whose new things go into the outbox."""

    kind: Export
    options: Mapping[str, Any] = {}
    """Its filters, by their names."""
    cursor: str | None = None
    """None for the folder's own."""
    is_changed: bool = False
    """True if a thing comes again whenever it has changed."""


class ClaimWorkspace(Workspace, frozen=True):
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


class Environment(Struct, frozen=True, kw_only=True):
    """The world around the files of sellers: their folder, accounts, time, and the wish to stop."""

    folder: Folder
    name: str
    """The folder's, in the ledger: that of its claims."""
    open_account: OpenAccount
    route_of: Callable[[PurePosixPath], InboxRoute | None]
    """The route of a file of the inbox; None where its folder is nobody's."""
    now: Callable[[], datetime]
    stopping: Callable[[], FeedtoolError | None]
    log: DeduplicatedLog
    report_bug: Callable[[Exception], str]
    """Writes down what is ready to be pasted; returns where."""
    same_within: timedelta | None
    """Since when the same content is taken for a mistake; None where others have judged that."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """As an account's, for a file in no account's folder."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """As an account's, for a file in no account's folder."""
    command: str = "watch"
    """Its name, for who finds a seller's lock taken."""


class WatchEnvironment(Environment, frozen=True, kw_only=True):
    """The same for a folder that is watched, with the watcher's own time."""

    ledger: Ledger
    """For the main thread alone."""
    seller_of: Callable[[str | None], SellerKey]
    """The seller of a profile's files, or of those of the command line's account."""
    clock: Callable[[], float]
    """Seconds that only go forward."""
    sleep: Callable[[float], None]
    """Ends sooner when it is to stop."""
    on_turn: Callable[[Turn], None] = lambda _: None
    """Called after each look at the folder."""
    settle: float = 2
    """Seconds that a file has to rest."""
    poll: float = 1
    """Seconds between two looks."""
    is_once: bool = False
    """True if it ends when all that was there is done."""
    exports: Sequence[OutboxExport] = ()
    every: float = 600
    """Seconds from one beat of the exports to the next."""
    export_profiles: Collection[str | None] = (None,)
    """Whose they are."""
