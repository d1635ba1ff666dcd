"""The memory of an area: the accepted rows with which the rows of a command are compared."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from feedtool.feeds.selection import EarlierFile, SelectionOptions
from feedtool.model.call import Sender
from feedtool.model.cells import Value
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import MessageText

if TYPE_CHECKING:  # takes longer to import than a small file to check
    from sqlalchemy import Engine

Accepted = Any
"""The accepted rows of a seller, which only their area reads."""


class Live(Protocol):
    """The rows that the service has now, in the place of accepted ones."""

    def created_since(
        self, channel: str, references: Sequence[str], since: datetime, /
    ) -> frozenset[str]: ...


OpenAccepted = Callable[[], Accepted | None]
"""Returns the accepted rows; None without a seller."""
Uploads = Iterable[Sequence[Item]]
"""The rows of a plan, by upload."""
Earlier = Callable[[CheckedSheet], EarlierFile | None]
"""Returns the predecessor of a sheet's file."""
Select = Callable[
    [Sequence[CheckedSheet], Accepted | None, SelectionOptions, AccountSettings, Earlier], None
]


class Effects(Protocol):
    """The effects of a plan on a channel, whose name is empty for rows without one."""

    def as_json(self) -> dict[str, Any]: ...
    def describe(self, channel: str) -> Iterator[MessageText]: ...


class ChangeColumn(NamedTuple):
    """A column of the rows of `Changes`."""

    key: str
    label: MessageText
    width: int
    number_format: str = "General"
    is_optional: bool = False
    """True if it appears only if a row fills it."""


class Changes(NamedTuple):
    """The change that each row of a plan makes; the default knows none."""

    columns: tuple[ChangeColumn, ...] = ()
    words: Mapping[str, MessageText] = MappingProxyType({})
    """The user's words for the values of the column `change`."""
    rows: Callable[
        [Uploads, OpenAccepted, Mapping[tuple[int, str], str]], Iterator[dict[str, Any]]
    ] = lambda *_: iter(())
    """Yields values by column, and `size`, by which rows are sorted; `heldBy` is filled from the
    codes of guards by row and channel."""


class UndoOptions(NamedTuple):
    with_stock: bool = False
    created_since: Callable[[str, Sequence[str], datetime], frozenset[str]] | None = None
    """Returns the references of a channel that were created since a moment, to delete them; None
    deletes nothing."""


class UndoRow(NamedTuple):
    """A reference that a run has changed, with the row that undoes it or the reason against it."""

    row: int
    """The row of the run's file."""
    reference: str
    channel: str
    values: Mapping[str, Value]
    """The cells of the row; with a reason only the cells that identify it."""
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        return {"row": self.row, **self.values, "reason": self.reason}


class Undo(NamedTuple):
    """The rows that undo a run; the default undoes nothing."""

    kind: str = ""
    """The kind of their sheet."""
    rows: Callable[["Engine", Any, Accepted, AccountSettings, UndoOptions], Iterator[UndoRow]] = (
        lambda *_: iter(())
    )
    """Yields a row for each reference that a run of the ledger, a `Run`, may have changed.
    UsageProblem if the run cannot be undone."""


class Memory(NamedTuple):
    """The functions of an area that remembers accepted rows; the default remembers nothing."""

    project: Callable[["Engine", str, str], object] = lambda *_: None
    """Brings the remembered rows of a service and seller up to date with the ledger."""
    accepted: Callable[["Engine", str, str, int], Accepted] = lambda *_: None
    """Opens them after `project`; the number is the last run that was killed before its rows were
    recorded, or 0."""
    live: Callable[[Sender, Any, AccountSettings], Live | None] = lambda *_: None
    """Opens what the service has now instead, through a client and a `FetchContext`."""
    withdraw: Callable[[Sequence[CheckedSheet], Accepted], None] = lambda *_: None
    """Sends rows that end the sale of skipped rows."""
    select: Select = lambda *_: None
    """Withholds unchanged rows, and rows that guards hold."""
    effects: Callable[[Uploads, OpenAccepted], Mapping[str, Effects]] = lambda *_: {}
    """Returns the effects of a plan by channel."""
    changes: Changes = Changes()
    undo: Undo = Undo()
