"""The files to read, and the options of reading."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from feedtool.check.kinds import KindUnclear
from feedtool.model.errors import FileProblem
from feedtool.model.settings import AccountSettings, Context, OpenCatalog, no_catalog

EVERY_ROW = range(1, 1 << 31)
"""As `Asked.as_rows`: no row is skipped."""

Settle = Callable[[str, str | None, KindUnclear], str | None]
"""The kind of a sheet, by its file's name and its own, that may be of two; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read."""

    name: str
    """As the user gave it; `-` for standard input."""
    path: Path
    problem: FileProblem | None = None
    """The error, where that was found before it is read."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of reading files."""

    dialect: AccountSettings = field(default_factory=AccountSettings)
    channel: str = "PRIMARY"
    """The salesChannelId of rows that name none."""
    kind: str | None = None
    """`--as`."""
    sheet: str | None = None
    """`--sheet`."""
    as_rows: Collection[int] = ()
    """`--as-row`: the numbers of rows that are taken even if they look like a total."""
    with_items: bool = True
    """True if the valid rows will be sent, or only counted."""
    purges: bool = False
    """`--purge-and-replace`."""
    with_values: bool = False
    """True if what the rows hold is kept, too, as it is needed to write them otherwise."""
    settle: Settle = lambda *_: None
    """Asked where the headers leave open what kind of feed a sheet is."""
    catalog: OpenCatalog = field(default=no_catalog, compare=False, repr=False)

    @property
    def context(self) -> Context:
        """The settings and the catalogue that sheets are judged by."""
        return Context(self.dialect, self.catalog)
