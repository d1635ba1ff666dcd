"""The files to read, and the options of reading."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from feedtool.check.kinds import KindUnclear
from feedtool.model.call import AskService
from feedtool.model.cells import Block
from feedtool.model.errors import FileProblem
from feedtool.model.settings import (
    AccountSettings,
    Context,
    Locate,
    OpenCatalog,
    no_catalog,
    same_path,
)
from feedtool.model.sheet import CheckedSheet

if TYPE_CHECKING:
    from feedtool.check.recipes.join_file import JoinFile
    from feedtool.check.recipes.recipe import Recipe
    from feedtool.model.settings import Constant

EVERY_ROW = range(1, 1 << 31)
"""As `Asked.as_rows`: no row is skipped."""

ALL_SHEETS = "all"
"""In the place of a sheet's name, where none is called so."""

Settle = Callable[[str, str | None, KindUnclear], str | None]
"""The kind of a sheet, by its file's name and its own, that may be of two; None: nobody knows."""

See = Callable[[CheckedSheet, int], Callable[[Block], None]]
"""Gives what is shown each block of one reading of a sheet, the so many-th of the command.

Its header is known by then. A sheet may be read again, from its beginning, and only the last
reading counts. Of a recipe's sheet the columns that it adds stand behind all that a sheet can have.
"""


class RecipeBook(Protocol):
    """The recipes of a command, and the files that they join."""

    def recipes(self, path: Path, *, is_wanted: bool) -> "Sequence[Recipe]":
        """The recipes that count for any sheet of a file, or those for a sheet that nobody knows.

        UsageProblem for one of them that cannot be used, so none is read before it is needed.
        """
        ...

    def joined(self, recipe: "Recipe", name: str, path: Path) -> "Sequence[JoinFile]":
        """The newest file of each name in a recipe's join; JoinUnusable where there is none."""
        ...

    def note_use(self, recipe: "Recipe", path: Path) -> None:
        """Is told that a file is read by a recipe."""
        ...


class NoRecipes:
    """No recipe at all."""

    def recipes(self, path: Path, *, is_wanted: bool) -> "Sequence[Recipe]":
        """None."""
        del path, is_wanted
        return ()

    def joined(self, recipe: "Recipe", name: str, path: Path) -> "Sequence[JoinFile]":
        """Is never asked."""
        raise NotImplementedError

    def note_use(self, recipe: "Recipe", path: Path) -> None:
        """Is never told."""


class Input(Struct, frozen=True):
    """A file to read."""

    name: str
    """As the user gave it; `-` for standard input."""
    path: Path
    problem: FileProblem | None = None
    """The error, where that was found before it is read."""
    copy: Path | None = None
    """The file that is read in its place, which is the same but for some cells."""
    place: Path | None = None
    """Where it would lie, if its path is that of a temporary file: its copies go beside it."""


class ReadOptions(Struct, frozen=True):
    """The options of reading files."""

    dialect: AccountSettings = field(default_factory=AccountSettings)
    channel: str = "PRIMARY"
    """The salesChannelId of rows that name none."""
    kind: str | None = None
    """`--as`."""
    sheets: Sequence[str] = ()
    """`--sheet`: names; or `ALL_SHEETS`."""
    as_rows: Collection[int] = ()
    """`--as-row`: the numbers of rows that are taken even if they look like a total."""
    with_items: bool = True
    """True if the valid rows will be sent, or only counted."""
    purges: bool = False
    """`--purge-and-replace`."""
    explain_row: int | None = None
    """`--explain-row`."""
    with_values: bool = False
    """True if what the rows hold is kept, too, as it is needed to write them otherwise."""
    recipes: RecipeBook = NoRecipes()
    defaults: "Mapping[str, Constant]" = field(default_factory=dict)
    """`--default`: values of cells that are blank, or whose column is absent, by key."""
    settle: Settle = lambda *_: None
    """Asked where the headers leave open what kind of feed a sheet is."""
    see: See | None = None
    """Is shown the cells, too, as they are read: for whoever needs them beside the results."""
    catalog: OpenCatalog = no_catalog
    locate: Locate = same_path
    ask: AskService | None = None

    @property
    def context(self) -> Context:
        """The settings and the catalogue that sheets are judged by."""
        return Context(self.dialect, self.catalog, locate=self.locate, ask=self.ask)

    def shown(self, blocks: Iterator[Block], checked: CheckedSheet, number: int) -> Iterator[Block]:
        """The blocks of one reading of a sheet, each of which is shown to `see` first."""
        return blocks if self.see is None else _shown(blocks, self.see(checked, number))


def _shown(blocks: Iterator[Block], see_block: Callable[[Block], None]) -> Iterator[Block]:
    for block in blocks:
        see_block(block)
        yield block
