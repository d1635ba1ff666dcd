"""The contents of a template: its columns and texts, as people see them.

An area whose columns do not say enough makes the `Contents` (`TemplatePage.contents`).
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.model.cells import CellType, Column
from feedtool.model.files import folder_of
from feedtool.model.settings import Context
from feedtool.model.text import LANGUAGES, Language, read_po, single_message

TEXT = "@"
"""The format that keeps the zeros of identifiers, and text that looks like a date."""

LABEL_ROW, KEY_ROW, FIRST_ROW = 1, 2, 3
"""Rows of a sheet without an example row: labels, keys, first data. An example moves them down."""

CELL_TEXT = 32_767
"""The most characters of a cell."""
SHOWN_CHOICES = 32_767
"""The most choices in a dropdown; others can be typed as well."""
WIDEST_CHOICE = 40
"""The most characters in the width of a column with a dropdown; an open one shows all."""

# XML cannot represent these characters, nor half of a surrogate pair.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def length(text: str) -> int:
    """Count characters as Excel does: in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_whole(text: str) -> bool:
    return length(text) <= CELL_TEXT and not UNWRITABLE.search(text)


class Need(Enum):
    ALWAYS = "always"
    UNLESS = "unless"
    """Required unless a folded column is filled."""
    EITHER = "either"
    """This column or another visible one is required."""
    RECOMMENDED = "recommended"
    """A row is valid without it, but worse."""
    NEVER = "never"


MARKS = {
    Need.ALWAYS: "\u00a0*",
    Need.UNLESS: "\u00a0*",
    Need.EITHER: "\u00a0(*)",
    Need.RECOMMENDED: "\u00a0+",
}
"""Marks after labels, for people who do not see the colour; never on a separate line."""


class Limit(Struct, frozen=True):
    """The entries that may be typed."""

    type: Literal["list", "whole", "decimal"]
    """`list`: one of the choices."""
    refusal: str = ""
    """The message about other entries; a list has a default message."""
    operator: Literal["between", "greaterThan", "greaterThanOrEqual"] | None = None
    bounds: tuple[str, ...] = ()
    is_strict: bool = True
    """True if other entries are refused; else the list is a suggestion."""


class CellEntry(Struct, frozen=True):
    """The entries and the format of a column's cells."""

    number_format: str
    width: float
    limit: Limit | None = None
    choices: tuple[str, ...] = ()


def choice_width(texts: Sequence[str]) -> float:
    return 4 + min(WIDEST_CHOICE, max(map(len, texts)))


class Field(Struct, frozen=True):
    """One column of a template, in one language."""

    key: str
    """The key in the grey row."""
    label: str
    help: str
    entry: CellEntry
    example: str = ""
    need: Need = Need.NEVER
    requirement: str = ""
    """Its need in words; empty shows the help."""
    hint: str = ""
    """The text beside a selected cell; empty shows the help."""
    is_folded: bool = False
    """True if it is hidden until its group is unfolded: optional, and rarely needed."""
    group: str = ""
    """The group that gives the colour of its header."""
    is_number: bool = False
    """True if its example is a number."""
    is_in_example: bool = True
    """True if the example row shows its example."""

    @property
    def choices(self) -> tuple[str, ...]:
        return self.entry.choices

    @property
    def title(self) -> str:
        return self.label + MARKS.get(self.need, "")


class Guide(Struct, frozen=True):
    """The sheet that explains a template."""

    title: str
    about: str
    steps: tuple[str, ...]
    """The steps of filling it, before the steps of every template."""
    facts: tuple[tuple[str, str], ...] = ()
    """Facts about the template: headings, and the lines below them."""
    account: str = ""
    """The options of its account, for the commands that it shows."""


class Contents(Struct, frozen=True):
    kind: str
    """The kind of feed of its rows."""
    sheet: str
    language: Language
    guide: Guide
    fields: tuple[Field, ...]
    legend: Mapping[Need, str]
    """The meanings of the header's colours; empty if they have none."""
    first_unfrozen: str
    """The first column that scrolls; the columns before it, which identify a row, stay in sight."""
    stamps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Additional stamps by name, each a list."""
    hides_keys: bool = False
    """True if the row of keys is hidden from people."""
    has_example: bool = False
    """True if there is a filled row above the header."""
    file: str = ""
    """The workbook's name; empty for the name of its kind."""
    is_stamped: bool = True
    """True if the workbook has a stamp of its kind; False if each row has to give it."""
    prompts_cells: bool = False
    """True if every cell shows the hint, and not only the header."""
    begins_with_example: bool = False
    """True if the first row to fill is an example, which is not sent unless it is changed."""
    reference: str = ""
    """The key of the column whose cell marks a row as an example."""

    def __hash__(self) -> int:  # only hashable fields
        return hash((self.kind, self.sheet, self.language, self.file, self.fields))


class Basis(NamedTuple):
    """The language, settings and categories that a template is made for."""

    language: Language
    """The language of labels, dropdowns, messages and explanations."""
    context: Context
    """The modes, conditions, bounds and the catalogue."""
    categories: Sequence[str] = ()
    """The codes of categories, if the columns depend on them."""
    keys: frozenset[str] = frozenset()
    """The keys of columns that existing rows fill, or are to fill."""
    has_example: bool = False
    """True if an empty template shows a filled example row."""
    account: str = ""
    """The options of the account for sending: `--profile shop`."""


def example_reference(language: Language, example: str) -> str:
    """Return the first cell of an example row, which cannot be a real reference."""
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
        """Return a text in all languages; in English where a translation is missing."""
        first, second, third = (texts.get(("", english), (english,))[0] for texts in self._texts)
        return first, second, third

    def aliases(self, key: str, context: str = "aliases") -> tuple[str, ...]:
        """Return the other names of a column, or of another key, in all languages."""
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
        names = (self.of(label), self.of(note), example, self.aliases(key))
        return Column(key, cell_type, *names, is_shared, is_in_example)

    def group(self, english: str, *columns: Column) -> tuple[Column, ...]:
        return tuple(replace(column, group=self.of(english)) for column in columns)
