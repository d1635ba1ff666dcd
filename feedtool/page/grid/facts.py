"""What is known of the sheets of a grid, their rows, and what is wrong with these."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from feedtool.model.nouns import Problem, Severity, Status
from feedtool.model.text import LANGUAGES, Language, Translator, text_of_kept

CHECK = "check"
"""The view of what checking found; each run, and each plan, adds one of its own."""
ALL, PROBLEMS = "all", "problems"
"""The rows of a view: all of them, and those with an error or a warning."""
NOTE = ""
"""In the place of a severity: nothing is wrong, but there is something to say."""


class RowFilter(NamedTuple):
    """Some rows of a sheet, as a view sees them."""

    sheet: int
    """Its number in the command, from 0 on."""
    view: str = CHECK
    which: str = ALL
    """`ALL`, `PROBLEMS`, a severity, `of_code` or `of_status`."""


def of_code(code: str) -> str:
    """The rows with a problem of a code."""
    return f"code:{code}"


def of_status(status: Status) -> str:
    """The rows of a status."""
    return f"status:{status}"


class GridColumn(msgspec.Struct, frozen=True):
    """A column that has a header, or a cell that is not blank."""

    index: int
    """0-based, in the sheet."""
    letters: str
    header: str
    key: str
    """Empty if no field stands there."""
    width: int
    """Characters of its longest text."""


class SheetError(msgspec.Struct, frozen=True):
    """Why a sheet, or a file, could not be read."""

    code: str
    kept_message: str
    kept_hint: str

    @property
    def message(self) -> str:
        """What is wrong."""
        return text_of_kept(self.kept_message)

    @property
    def hint(self) -> str:
        """What to do."""
        return text_of_kept(self.kept_hint)


class GridSheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sheet; of one that could not be read the error."""

    number: int
    """In the command, from 0 on."""
    file: str
    sheet: str = ""
    """Empty of a CSV."""
    kind: str = ""
    header_row: int = 0
    rows: int = 0
    """Those that are not blank, whether the check counts them or not."""
    columns: tuple[GridColumn, ...] = ()
    """From left to right."""
    slots: tuple[int, ...] = ()
    """The indexes of the columns in the order in which rows keep their cells."""
    reference: int | None = None
    """The index of the column that names a row."""
    counts: dict[str, int] = {}
    """The rows by validity, and the warnings, by the names of `Counts`."""
    error: SheetError | None = None
    places: dict[str, tuple[int, ...]] = {}
    """Key → the columns that its values stand in, or come from."""
    names: dict[str, str] = {}
    """Key → the header that people read."""
    labels: dict[str, tuple[str, ...]] = {}
    """Key → the labels of each column that its kind knows, in LANGUAGES."""
    language: Language | None = None
    """Of its template."""

    def translator(self, say: Translator) -> Translator:
        """A translator that calls fields and choices as the sheet does."""
        at, own = LANGUAGES.index(say.language), None if say.language == "en" else say.language
        labels = {key: labels[at] for key, labels in self.labels.items()}
        return say.for_sheet(labels | self.names, self.language or own)


class ProblemGroup(msgspec.Struct, frozen=True):
    """All problems of one code."""

    code: str
    severity: Severity
    count: int
    rows: int
    """Those that have one; none where the sheet as a whole has it."""
    kept_message: str
    """Of the first, as it is kept."""

    @property
    def message(self) -> str:
        """That of the first."""
        return text_of_kept(self.kept_message)


class ViewFacts(msgspec.Struct, frozen=True):
    """What a view says of a sheet."""

    words: tuple[Status, ...]
    """The statuses that rows may have, in the order in which they are numbered, from 1 on."""
    statuses: dict[Status, int]
    """The number of rows by status."""
    groups: tuple[ProblemGroup, ...]
    """Errors first, then the most frequent."""


class GridRow(NamedTuple):
    """A row as the sheet shows it, and what is wrong with it."""

    at: int
    """Its position among all rows of the sheet that are not blank, from 0 on."""
    row: int
    """The sheet's own number."""
    is_hidden: bool
    cells: Sequence[str]
    """By the sheet's columns; blank ones at the end may be absent."""
    status: Status | None
    """None where the view knows none."""
    problems: Sequence[Problem]
    notes: Sequence[str]
    """What there is to say of it, though nothing is wrong."""


class GridPlace(NamedTuple):
    """A row among those of a filter."""

    place: int
    """Its position among them, from 0 on."""
    at: int
    """As `GridRow.at`."""


class FoundText(NamedTuple):
    """A cell with a text that was looked for."""

    place: int
    at: int
    column: int
    """The number of the column among those of the sheet, from 0 on."""
