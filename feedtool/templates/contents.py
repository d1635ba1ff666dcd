"""What a template holds, before it is a workbook: its columns as their reader sees them, its texts.

Each kind of template makes a `Contents`; `workbook` draws any of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from feedtool.templates import Language
from feedtool.templates.entry import Entry


class Need(Enum):
    """Whether a column must be filled."""

    ALWAYS = "always"
    UNLESS = "unless"
    """Unless a column that is folded away is filled."""
    EITHER = "either"
    """It, or another column that can be seen."""
    RECOMMENDED = "recommended"
    """Nobody is refused without it, but its absence is a loss."""
    NEVER = "never"


MARKS = {
    Need.ALWAYS: " *",
    Need.UNLESS: " *",
    Need.EITHER: " (*)",
    Need.RECOMMENDED: " +",
    Need.NEVER: "",
}
"""What stands after a label, since a colour alone is not seen by everybody."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a template, in one language."""

    key: str
    """As in the grey row."""
    letter: str
    """Of its column in the sheet."""
    label: str
    help: str
    example: str
    need: Need
    requirement: str
    """Its need in words."""
    hint: str
    """What is shown where one fills it; its beginning, should it be too long."""
    entry: Entry
    """What its cells take."""
    is_folded: bool = False
    """Away until its group is unfolded: optional, and needed by few."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What its dropdown offers."""
        return self.entry.choices

    @property
    def title(self) -> str:
        """The label with its mark."""
        return self.label + MARKS[self.need]


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a template says."""

    kind: str
    """Of the feed that its rows will be."""
    sheet: str
    """The name of the sheet to fill."""
    language: Language
    title: str
    about: str
    """What each row does."""
    steps: tuple[str, ...]
    """How it is filled."""
    fields: tuple[Field, ...]
    legend: Mapping[Need, str]
    """What the colours of the header mean."""
    first_unfrozen: str
    """The column from which on the sheet scrolls; what identifies a row stays in sight."""
    facts: tuple[tuple[str, str], ...] = ()
    """What it was made for: a heading, and the lines below it."""
    stamps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further stamps by name, each a list."""
    hides_keys: bool = False
    """Whether the row of keys is there for feedtool alone."""
    has_example: bool = False
    """Whether a filled row stands above the header."""
    file: str = ""
    """The workbook's name, where it is not that of its kind."""
    is_stamped: bool = True
    """Whether the workbook says of which kind it is: not where each row has to say it."""
    prompts_cells: bool = False
    """Whether the hint is shown on every cell, and not only on the header."""
