"""The environment of a watched folder: accounts, clocks, exports, and the stop signal."""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from msgspec import Struct

from feedtool.feeds.export import Export
from feedtool.ledger import Ledger
from feedtool.ledger.records import SellerKey
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import LanguageChoice
from feedtool.runs.outputs import ENGLISH_UNLESS_STAMPED
from feedtool.runs.sellers import OpenAccount
from feedtool.runs.workspace import Workspace
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.folder import Folder, InboxRoute, make_folder
from feedtool.watch.reporting import DeduplicatedLog, Turn


class OutboxExport(NamedTuple):
    """An export whose new rows go into the outbox."""

    kind: Export
    options: Mapping[str, Any] = {}
    """Its filters, by their names."""
    cursor: str | None = None
    """The cursor's name; None for the folder's default."""
    is_changed: bool = False
    """True if a changed row is exported again."""


class ClaimWorkspace(Workspace, frozen=True):
    """A workspace that puts copies of the data used to judge a file beside that file.

    Another machine can go on with them: snapshots stay on this machine; both see the folder.
    """

    handover: Path
    """The place of the copies: hidden, beside the claimed file."""

    def keep_used(self, path: Path) -> str:
        """Keep it like `Workspace`, and copy it beside the file that is being sent."""
        sha256 = Workspace.keep_used(self, path)
        self._hand_over(
            self.handover.with_name(f"{self.handover.stem}.{sha256}{self.handover.suffix}"), path
        )
        return sha256

    def keep_excerpt(self, excerpt: bytes) -> str:
        """Keep it like `Workspace`, and copy it beside the file that is being sent."""
        with temporary_folder() as folder:
            (path := folder / "excerpt").write_bytes(excerpt)
            self._hand_over(self.handover, path)
        return Workspace.keep_excerpt(self, excerpt)

    def _hand_over(self, place: Path, path: Path) -> None:
        make_folder(place.parent)
        with atomic_write(place) as temporary:
            shutil.copyfile(path, temporary)


class Environment(Struct, frozen=True, kw_only=True):
    """The environment of sellers' files: their folder, accounts, time, and the stop signal."""

    folder: Folder
    name: str
    """The folder's name in the ledger, which its claims have."""
    open_account: OpenAccount
    route_of: Callable[[PurePosixPath], InboxRoute | None]
    """The route of a file of the inbox; None if its folder is nobody's."""
    now: Callable[[], datetime]
    stopping: Callable[[], FeedtoolError | None]
    log: DeduplicatedLog
    report_bug: Callable[[Exception], str]
    """Writes a bug report that is ready to be pasted; returns its place."""
    same_within: timedelta | None
    """The time in which equal content is taken for a mistake; None: judged elsewhere."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """Like an account's field, for a file in no account's folder."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """Like an account's field, for a file in no account's folder."""
    command: str = "watch"
    """The holder's name in the error of a seller's lock that is taken."""


class WatchEnvironment(Environment, frozen=True, kw_only=True):
    """The environment of a watched folder, with its ledger, pauses and exports."""

    ledger: Ledger
    """For the main thread alone."""
    seller_of: Callable[[str | None], SellerKey]
    """The seller of a profile's files, or of those of the command line's account."""
    clock: Callable[[], float]
    """Seconds that only go forward."""
    sleep: Callable[[float], None]
    """Returns sooner on a stop signal."""
    on_turn: Callable[[Turn], None] = lambda _: None
    """Called after each look at the folder."""
    settle: float = 2
    """Seconds for which a file has to stay unchanged."""
    poll: float = 1
    """Seconds between two looks."""
    is_once: bool = False
    """True if the watcher ends once all files of the start are done."""
    exports: Sequence[OutboxExport] = ()
    every: float = 600
    """Seconds between two rounds of the exports."""
    export_profiles: Collection[str | None] = (None,)
    """The profiles of the exports; None: the command line's account."""
