"""The results to be written beside the rows, and the summary that goes with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Note:
    """The result beside a row. An empty text leaves its cell empty."""

    row: int
    """The sheet's own row number, 1-based; in a CSV the record's, as the reader counts them."""
    status: str
    message: str
    code: str
    guilty: tuple[tuple[int, Severity], ...] = ()
    """The cells to colour: 0-based column and how bad it is."""


@dataclass(frozen=True, slots=True)
class SheetNotes:
    """The notes of a sheet."""

    sheet: str
    """The sheet's name; a CSV has none, and any name will do."""
    header_row: int
    """The row of the headings, 1-based: ours are written there, notes only below it."""
    headings: tuple[str, str, str]
    """Of status, message and code. By these an earlier annotation is recognised."""
    notes: Iterable[Note]
    """By ascending row; gone through once. Every row must be in the sheet."""


class Link(NamedTuple):
    """A cell of the summary that leads to a cell of another sheet."""

    text: str
    sheet: str
    ref: str
    """`B5`."""


Table = Sequence[Sequence[str | int | Link]]


@dataclass(frozen=True, slots=True)
class Summary:
    """A sheet that is put last in the workbook, or takes the place of the one of its name."""

    name: str
    table: Table
    """Rows of cells, from A1 on."""
    bold: frozenset[int] = frozenset({0})
    """Which rows of `table` (0-based) are in bold: the title and the headings."""
