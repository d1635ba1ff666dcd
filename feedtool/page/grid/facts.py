"""Records of a grid: sheets, rows and problems."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from feedtool.model.nouns import Problem, Severity, Status
from feedtool.model.text import LANGUAGES, Language, Translator, text_of_kept

CHECK = "check"
"""The view of the check; each run, and each plan, adds another view."""
ALL, PROBLEMS = "all", "problems"
"""The filters for all rows of a view, and for those with an error or a warning."""
NOTE = ""
"""The severity of a note, which is no problem."""


class RowFilter(NamedTuple):
    """A filter of a sheet's rows in a view."""

    sheet: int
    """Its number in the command, from 0 on."""
    view: str = CHECK
    which: str = ALL
    """`ALL`, `PROBLEMS`, a severity, `of_code` or `of_status`."""


def of_code(code: str) -> str:
    return f"code:{code}"


def of_status(status: Status) -> str:
    return f"status:{status}"


class GridColumn(msgspec.Struct, frozen=True):
    """A column that has a header, or a cell that is not blank."""

    index: int
    """0-based, in the sheet."""
    letters: str
    header: str
    key: str
    """The key of the column's field; empty if it has none."""
    width: int
    """Characters of its longest text."""


class SheetError(msgspec.Struct, frozen=True):
    """The reason why a sheet, or a file, could not be read."""

    code: str
    kept_message: str
    kept_hint: str

    @property
    def message(self) -> str:
        return text_of_kept(self.kept_message)

    @property
    def hint(self) -> str:
        return text_of_kept(self.kept_hint)


class GridSheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sheet, or the error of one that could not be read."""

    number: int
    """In the command, from 0 on."""
    file: str
    sheet: str = ""
    """Empty for a CSV."""
    kind: str = ""
    header_row: int = 0
    rows: int = 0
    """The number of rows that are not blank, even if the check skips them."""
    columns: tuple[GridColumn, ...] = ()
    """From left to right."""
    slots: tuple[int, ...] = ()
    """The indexes of the columns, in the order of the cells in packed rows."""
    reference: int | None = None
    """The index of the column with the rows' references."""
    counts: dict[str, int] = {}
    """The rows by validity, and the warnings, by the names of `Counts`."""
    error: SheetError | None = None
    places: dict[str, tuple[int, ...]] = {}
    """The columns of a field's values, or of their sources, by key."""
    names: dict[str, str] = {}
    """The header for people, by key."""
    labels: dict[str, tuple[str, ...]] = {}
    """The labels of each column of the kind in LANGUAGES, by key."""
    language: Language | None = None
    """The language of its template."""

    def translator(self, say: Translator) -> Translator:
        """Return a translator with the sheet's names of fields and choices."""
        index = LANGUAGES.index(say.language)
        language = self.language or (None if say.language == "en" else say.language)
        labels = {key: labels[index] for key, labels in self.labels.items()}
        return say.for_sheet(labels | self.names, language)


class ProblemGroup(msgspec.Struct, frozen=True):
    """All problems of one code."""

    code: str
    severity: Severity
    count: int
    rows: int
    """The number of rows with such a problem; 0 if the whole sheet has it."""
    kept_message: str
    """The first problem's message, by `kept_text`."""

    @property
    def message(self) -> str:
        return text_of_kept(self.kept_message)


class ViewFacts(msgspec.Struct, frozen=True):
    """The facts of a sheet's view."""

    words: tuple[Status, ...]
    """The statuses of rows, by their numbers from 1 on."""
    statuses: dict[Status, int]
    """The number of rows by status."""
    groups: tuple[ProblemGroup, ...]
    """Errors first, then the most frequent."""


class GridRow(NamedTuple):
    """A row of a sheet, and its problems."""

    position: int
    """The position among all rows of the sheet that are not blank, from 0 on."""
    row: int
    """The number in the sheet."""
    is_hidden: bool
    cells: Sequence[str]
    """The cells by the sheet's columns; blank ones at the end may be absent."""
    status: Status | None
    """None if the view has no status for the row."""
    problems: Sequence[Problem]
    notes: Sequence[str]
    """Messages that are no problems."""


class GridPlace(NamedTuple):
    """A row among those of a filter."""

    place: int
    """The place among the filter's rows, from 0 on."""
    at: int
    """See `GridRow.position`."""


class FoundText(NamedTuple):
    """A cell with the text of a search."""

    place: int
    at: int
    column: int
    """The number of the column among those of the sheet, from 0 on."""
