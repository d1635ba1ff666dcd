"""The contents of a template: its columns as their reader sees them, its texts.

An area that has more to say than its columns do makes the `Contents` itself
(`TemplatePage.contents`).
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.model.header import CellType, Column
from feedtool.model.own_files import folder_of
from feedtool.model.settings import Context
from feedtool.model.text import LANGUAGES, Language, read_po, single_message

TEXT = "@"
"""The format that keeps the zeros of identifiers, and what looks like a date."""

LABEL_ROW, KEY_ROW, FIRST_ROW = 1, 2, 3
"""Of a sheet without an example: its labels, its keys, its rows; with one they are a row lower."""

CELL_TEXT = 32_767
"""Characters of a cell."""
SHOWN_CHOICES = 32_767
"""That a dropdown shows; further ones can be typed all the same."""
WIDEST_CHOICE = 40
"""Characters of a column with a dropdown; longer choices show when it is open."""

# XML has no way to write these, and half a character is none.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def length(text: str) -> int:
    """Characters as Excel counts them: in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_whole(text: str) -> bool:
    """True if a cell holds this text, and shows it as it is."""
    return length(text) <= CELL_TEXT and not UNWRITABLE.search(text)


class Need(Enum):
    """The need to fill a column."""

    ALWAYS = "always"
    UNLESS = "unless"
    """Unless a column that is folded away is filled."""
    EITHER = "either"
    """It, or another column that can be seen."""
    RECOMMENDED = "recommended"
    """Nobody is refused without it, but its absence is a loss."""
    NEVER = "never"


MARKS = {
    Need.ALWAYS: "\u00a0*",
    Need.UNLESS: "\u00a0*",
    Need.EITHER: "\u00a0(*)",
    Need.RECOMMENDED: "\u00a0+",
}
"""Behind labels, since a colour alone is not seen by everybody; on the line of the last word."""


class Limit(Struct, frozen=True):
    """The entries that may be typed; others are refused."""

    type: Literal["list", "whole", "decimal"]
    """`list`: one of the choices."""
    refusal: str = ""
    """The message about other entries; a list has a usual one."""
    operator: Literal["between", "greaterThan", "greaterThanOrEqual"] | None = None
    bounds: tuple[str, ...] = ()
    is_strict: bool = True
    """True if others are refused; else the list is but offered."""


class CellEntry(Struct, frozen=True):
    """The entries and the format of a column's cells."""

    number_format: str
    width: float
    limit: Limit | None = None
    choices: tuple[str, ...] = ()


def choice_width(texts: Sequence[str]) -> float:
    """The width of a column with a dropdown, whose button takes some room."""
    return 4 + min(WIDEST_CHOICE, max(map(len, texts)))


class Field(Struct, frozen=True):
    """One column of a template, in one language."""

    key: str
    """As in the grey row."""
    label: str
    help: str
    entry: CellEntry
    example: str = ""
    need: Need = Need.NEVER
    requirement: str = ""
    """Its need in words; the help, where there are none."""
    hint: str = ""
    """The text shown beside a chosen cell; the help, where there is no other."""
    is_folded: bool = False
    """Away until its group is unfolded: optional, and needed by few."""
    group: str = ""
    """The group whose colour its header wears."""
    is_number: bool = False
    """True if its example is a number."""
    is_in_example: bool = True
    """True if the row that begins the sheet as an example shows it."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices of its dropdown."""
        return self.entry.choices

    @property
    def title(self) -> str:
        """The label with its mark."""
        return self.label + MARKS.get(self.need, "")


class Guide(Struct, frozen=True):
    """The sheet that explains a template."""

    title: str
    about: str
    steps: tuple[str, ...]
    """The steps of filling it, before those of every template."""
    facts: tuple[tuple[str, str], ...] = ()
    """The facts that the template was made for: a heading, and the lines below it."""
    account: str = ""
    """The options of the account that it was made for, with which commands are shown."""


class Contents(Struct, frozen=True):
    """All that a template says."""

    kind: str
    """Of the feed that its rows will be."""
    sheet: str
    language: Language
    guide: Guide
    fields: tuple[Field, ...]
    legend: Mapping[Need, str]
    """The meanings of the header's colours; empty where they mean nothing."""
    first_unfrozen: str
    """The column from which on the sheet scrolls; what identifies a row stays in sight."""
    stamps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further stamps by name, each a list."""
    hides_keys: bool = False
    """True if the row of keys is there for feedtool alone."""
    has_example: bool = False
    """True if a filled row stands above the header."""
    file: str = ""
    """The workbook's name, where it is not that of its kind."""
    is_stamped: bool = True
    """True if the workbook says of which kind it is: not where each row has to say it."""
    prompts_cells: bool = False
    """True if the hint is shown on every cell, and not only on the header."""
    begins_with_example: bool = False
    """True if the first row to fill is an example, which is not sent as long as it stays one."""
    reference: str = ""
    """The key of the column whose cell says that a row is an example."""

    def __hash__(self) -> int:  # of the fields that have a hash
        return hash((self.kind, self.sheet, self.language, self.file, self.fields))


class Basis(NamedTuple):
    """The language, settings and categories that a template is made for."""

    language: Language
    """Of its labels, dropdowns, messages and explanations."""
    context: Context
    """Which modes and conditions there are, bounds, and the catalogue."""
    categories: Sequence[str] = ()
    """The codes, where the columns depend on them."""
    keys: frozenset[str] = frozenset()
    """The columns that rows fill which are there already."""
    has_example: bool = False
    """True if a filled row is shown: in a template that is empty."""
    account: str = ""
    """The options of the account that will send it: `--profile shop`."""


def example_reference(language: Language, example: str) -> str:
    """The first cell of an example row, which no offer is called."""
    return single_message(language, "Example: {example}").format(example=example)


# The names of columns.

Texts = tuple[str, str, str]
"""A text in `LANGUAGES`."""


class Words:
    """The catalogues of a package, one for each language."""

    def __init__(self, package: str) -> None:
        folder = folder_of(package) / "locale"
        self._texts = [
            read_po((folder / language / "columns.po").read_text("utf-8")) for language in LANGUAGES
        ]

    def of(self, english: str) -> Texts:
        """A text in all languages; where a translation lacks, in English."""
        first, second, third = (texts.get(("", english), (english,))[0] for texts in self._texts)
        return first, second, third

    def aliases(self, key: str, context: str = "aliases") -> tuple[str, ...]:
        """Other names of a column, or of what else has a key, of all languages."""
        names = (texts.get((context, key), ("",))[0] for texts in self._texts)
        return tuple(name for text in names for name in text.splitlines())

    def column(
        self,
        key: str,
        cell_type: CellType,
        label: str,
        note: str,
        example: str = "",
        *,
        is_shared: bool = False,
        is_in_example: bool = True,
    ) -> Column:
        """A column, by its label in English and what belongs in it."""
        names = (self.of(label), self.of(note), example, self.aliases(key))
        return Column(key, cell_type, *names, is_shared, is_in_example)

    def group(self, english: str, *columns: Column) -> tuple[Column, ...]:
        """The columns of a group, by its name in English."""
        return tuple(replace(column, group=self.of(english)) for column in columns)
