"""The files to read, and the options of reading."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from feedtool.check.kinds import KindUnclear
from feedtool.check.recipes.join_file import JoinFile
from feedtool.check.recipes.recipe import Recipe
from feedtool.model.call import AskService
from feedtool.model.cells import Block
from feedtool.model.errors import FileProblem
from feedtool.model.settings import (
    AccountSettings,
    Constant,
    Context,
    Locate,
    OpenCatalog,
    no_catalog,
    same_path,
)
from feedtool.model.sheet import CheckedSheet

EVERY_ROW = range(1, 1 << 31)
"""The value of `ReadOptions.as_rows` for skipping no row."""

ALL_SHEETS = "all"
"""The value of `--sheet` for all sheets, unless a sheet has this name."""

Settle = Callable[[str, str | None, KindUnclear], str | None]
"""Chooses between two kinds, from the names of file and sheet; None if it cannot."""

See = Callable[[CheckedSheet, int], Callable[[Block], None]]
"""Returns a function that gets each block of one reading of the n-th sheet of the command.

The header is known then. A sheet may be read again from its beginning; only the last reading
counts. The columns that a recipe adds come after the last possible column of a sheet.
"""


class RecipeBook(Protocol):
    """The recipes of a command, and the files for their joins."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """Return the recipes that apply to any sheet of a file, or those for an unknown sheet.

        Raises UsageProblem for an unusable recipe, so none is read before it is needed.
        """
        ...

    def joined(self, recipe: Recipe, name: str, path: Path) -> Sequence[JoinFile]:
        """Return the newest file of each name in a recipe's join; JoinUnusable without a file."""
        ...

    def note_use(self, recipe: Recipe, path: Path) -> None: ...


class NoRecipes:
    """A book without recipes."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        del path, is_wanted
        return ()

    def joined(self, recipe: Recipe, name: str, path: Path) -> Sequence[JoinFile]:
        """Never called."""
        raise NotImplementedError

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """Never called."""


class Input(Struct, frozen=True):
    """A file to read."""

    name: str
    """The name by the user; `-` for standard input."""
    path: Path
    problem: FileProblem | None = None
    """An error found before the file is read."""
    copy: Path | None = None
    """A copy to read instead, in which some cells were changed."""
    place: Path | None = None
    """The path beside which copies are written, if `path` is a temporary file."""


class ReadOptions(Struct, frozen=True):
    """The options of reading files."""

    dialect: AccountSettings = field(default_factory=AccountSettings)
    channel: str = "PRIMARY"
    """The salesChannelId of rows without one."""
    kind: str | None = None
    """`--as`."""
    sheets: Sequence[str] = ()
    """`--sheet`: names; or `ALL_SHEETS`."""
    as_rows: Collection[int] = ()
    """`--as-row`: the numbers of rows to read even if they look like a total."""
    with_items: bool = True
    """True if items are made of valid rows; else these are only counted."""
    purges: bool = False
    """`--purge-and-replace`."""
    explain_row: int | None = None
    """`--explain-row`."""
    with_values: bool = False
    """True if the values of rows are stored, for writing the rows in another form."""
    recipes: RecipeBook = NoRecipes()
    defaults: Mapping[str, Constant] = field(default_factory=dict)
    """`--default`: values for blank cells and missing columns, by key."""
    settle: Settle = lambda *_: None
    """Called if the headers do not show the kind of feed of a sheet."""
    see: See | None = None
    """Gets the blocks while they are read, for callers that need cells beside the results."""
    catalog: OpenCatalog = no_catalog
    locate: Locate = same_path
    ask: AskService | None = None

    @property
    def context(self) -> Context:
        return Context(self.dialect, self.catalog, locate=self.locate, ask=self.ask)

    def shown(self, blocks: Iterator[Block], checked: CheckedSheet, number: int) -> Iterator[Block]:
        """Yield the blocks of one reading of a sheet; `see` gets each block first."""
        see_block = self.see and self.see(checked, number)
        for block in blocks:
            if see_block:
                see_block(block)
            yield block
