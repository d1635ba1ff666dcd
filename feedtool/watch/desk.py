"""Where a file is sent from: an account, with all that its files need."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from feedtool.areas.offers.changes.selection import EVERY_ROW, Sifting
from feedtool.check import Asked
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report import Outcome
from feedtool.runs.session import Session
from feedtool.runs.workspace import Workspace
from feedtool.sheets.annotate.place import placed
from feedtool.watch.folder import make

Whose = tuple[str, str]
"""A service's address, whatever its case, and a seller there: whose files go one after the other,
and who has a lock."""


def whose(address: str, seller: str) -> Whose:
    """The seller's files, as the lock tells sellers apart."""
    return address.rstrip("/").casefold(), seller


@dataclass(frozen=True, slots=True)
class Desk:
    """An account, with all that its files need. Its seller's lock is held."""

    service: Session
    books: Workspace
    asked_as: Callable[[str | None], Asked]
    """How files are read, as a kind or as what they are recognised for."""
    on_answered: Callable[[Sequence[Outcome], Exit], None] = lambda *_: None
    """Told what came of a run; returns at once."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """Told of a file that is not sent, or not to its end; returns at once."""
    sifting: Sifting = EVERY_ROW
    """Which rows are sent."""

    @property
    def whose(self) -> Whose:
        """Whose files it sends."""
        return whose(self.service.address, self.service.seller)


@dataclass(frozen=True, slots=True)
class Lending(Workspace):
    """Books that lend another machine what it needs to go on with a file.

    Snapshots stay on this machine. The file itself is in the folder, which both see; what its
    products were judged by is put beside it.
    """

    lent: Path
    """Where."""

    def keep_excerpt(self, excerpt: bytes) -> str:
        """As `Books` keeps it, and beside the file that is being sent."""
        make(self.lent.parent)
        with placed(self.lent) as temporary:
            temporary.write_bytes(excerpt)
        return Workspace.keep_excerpt(self, excerpt)
