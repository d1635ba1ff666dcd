"""The results to write beside the rows, as cells and colours, and the summary sheet."""

import re
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from math import ceil
from operator import add
from typing import Literal, NamedTuple

from msgspec import Struct

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes, Outcome, Severity, Style
from feedtool.sheets.atomic_write import Digest
from feedtool.sheets.cell_text import inline, shown
from feedtool.sheets.read.source import CellRange

LINE_LENGTH = 80
"""The least characters that fit in a line of a message, in a column of its usual width."""
HIGHEST = 408
"""The greatest height of a row, in points."""
OUR_FRACTION = b".01"
"""Marks a height by its last digits: programs round the heights that they save to pixels."""
_FORMAT = re.compile(rb"""\ss\s*=\s*["']([0-9]{1,9})["']""")
MOST_COMMENTS = 1000
"""Notes in the cells of a sheet at most: more would slow programs down, and nobody reads them."""
Finish = Literal["full", "plain", "bare"]
"""The extras of a copy beside our texts and the colours of guilty cells: `plain` has no notes in
cells and no filter, `bare` (the user's own file) has no formats of statuses and messages either.
"""


class Note(Struct, frozen=True):
    """The result beside a row. An empty text leaves its cell empty."""

    row: int
    """The number of the row in the sheet, 1-based; in a CSV that of the record in the reader."""
    status: str
    message: str
    """A line for each problem; in cells without line breaks all are in one line."""
    code: str
    guilty: tuple[tuple[int, Severity], ...] = ()
    """The cells to colour: 0-based column, and severity."""
    values: tuple[tuple[int, str | Decimal], ...] = ()
    """New values of cells of the row, by 0-based column, none beyond the last used one.
    An empty text is a blank.

    A cell keeps its formula, and a field of a CSV its text if it cannot hold the new one.
    """
    outcome: Outcome | None = None
    """The colour of the status; None is without a colour."""
    comments: tuple[tuple[int, str], ...] = ()
    """The texts of notes in its cells, by 0-based column; a CSV has none."""

    @property
    def line(self) -> str:
        return self.message.replace("\n", "; ")


class SheetNotes(Struct, frozen=True):
    """The notes of a sheet."""

    sheet: str
    header_row: int
    """The row of the headings, 1-based: our headings are written there, notes only below it."""
    headings: tuple[str, str, str]
    """Our headings of status, message and code; an earlier annotation is recognised by them."""
    notes: Iterable[Note]
    """Notes by ascending row; iterated once. Every row must be in the sheet."""
    last_header_row: int = 0
    """The last row before the data, if keys are below the headings; 0 is the row of headings."""

    @property
    def header_rows(self) -> range:
        """The rows in which an earlier annotation may have its headings."""
        return range(self.header_row, max(self.header_row, self.last_header_row) + 1)


class Link(NamedTuple):
    """A cell of the summary that leads to a cell of another sheet."""

    text: str
    sheet: str
    ref: str
    """A cell, `B5`, or a row, `5`: the status of that row."""
    style: Style = "link"

    def __str__(self) -> str:
        return self.text


class Styled(NamedTuple):
    """A cell of the summary with its own style."""

    value: str | int
    style: Style


class DataBar(NamedTuple):
    """A cell of the summary that shows a number as a bar; `most` fills the cell."""

    number: int
    most: int
    outcome: Outcome


SummaryCell = str | int | Link | Styled | DataBar
Table = Sequence[Sequence[SummaryCell]]


class Summary(Struct, frozen=True):
    """A sheet that becomes the last of the workbook, or replaces the one of its name."""

    name: str
    table: Table
    """Rows of cells, from A1 on."""
    widths: Sequence[int] = ()
    """Widths of the columns, in characters."""


class NoteQueue:
    """The headings and the notes of a sheet, taken in the order of rows."""

    def __init__(self, sheet: SheetNotes) -> None:
        self._notes = chain((Note(sheet.header_row, *sheet.headings),), sheet.notes)
        self._next: Note | None = None
        self._advance(0)

    @property
    def row(self) -> int | None:
        """The row of the next note, or None."""
        return self._next.row if self._next else None

    def take(self, row: int) -> Note | None:
        """Return the note of a row, or None; ValueError if a note was passed over."""
        note = self._next
        if note is None or note.row > row:
            return None
        if note.row < row:
            self.finish()
        self._advance(note.row)
        return note

    def finish(self) -> None:
        """Raise ValueError if there is a note for a row that is not in the sheet."""
        if self._next is not None:
            raise ValueError(f"there is a note for row {self._next.row}, which is not in the sheet")

    def _advance(self, last: int) -> None:
        self._next = next(self._notes, None)
        if self._next is not None and self._next.row <= last:
            raise ValueError(f"the note of row {self._next.row} comes after that of row {last}")


class HighlightedCells:
    """The cells to colour, stored as runs of rows by column, so that they need little memory."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Severity, int], array[int]] = {}

    def add(self, row: int, column: int, severity: Severity) -> None:
        """Add a cell; rows come in ascending order."""
        runs = self._runs.setdefault((severity, column), array("L"))
        if runs and runs[-1] >= row - 1:
            runs[-1] = row
        else:
            runs.extend((row, row))

    def areas(self, severity: Severity) -> Iterator[bytes]:
        """Yield ranges such as `B3:B7`, column by column."""
        for (kind, column), runs in sorted(self._runs.items()):
            if kind != severity:
                continue
            for first, last in zip(runs[::2], runs[1::2], strict=True):
                yield str(CellRange(first, column, last, column)).encode()


class AnswerCells(NamedTuple):
    """The cells of all rows with the same answer, which differ in the row's number alone."""

    cells: Sequence[tuple[int, bytes, bytes]] = ()
    """From left to right: the column, the markup before the row's number, and that after it."""
    pieces: Sequence[bytes] = ()
    """The markup of all cells between the row's numbers."""
    texts: tuple[str, ...] = ()
    """The texts of our columns."""
    height: bytes = b""
    """The row's attribute for a message of several lines."""

    def row(self, number: int) -> list[tuple[int, bytes]]:
        """Return columns and cells, from left to right."""
        return [
            (column, b"%b%d%b" % (before, number, after)) for column, before, after in self.cells
        ]


NO_ANSWER = AnswerCells()
"""The answer of a row without a note."""
_REMEMBERED = 1024
"""Answers that are cached: most rows share a few."""


class NoteCells(NoteQueue):
    """The cells to write in each row, requested by ascending row."""

    def __init__(
        self,
        sheet: SheetNotes,
        columns: Sequence[int],
        styles: FormatIndexes,
        *,
        is_styled: bool = True,
    ) -> None:
        super().__init__(sheet)
        self.header_row = sheet.header_row
        self.columns = columns
        self.guilty = HighlightedCells()
        self.digest = Digest()
        self.values: Sequence[tuple[int, str | Decimal]] = ()
        """The new values of the user's cells in the row that was requested last."""
        self.changed: dict[int, dict[int, str]] = {}
        """The new texts of the user's cells, by row and column."""
        self.comments: dict[tuple[int, int], str] = {}
        """The first notes in cells, by row and column."""
        self.first_bad: int | None = None
        """The first row that is to be corrected."""
        self.heading_style = styles.cells["heading"]
        """The style of the user's headings beside ours, once it is known."""
        self.is_styled = is_styled
        """True if statuses are coloured and messages wrapped."""
        self._answers: dict[Hashable, AnswerCells] = {}
        self._styles, self._line, self._wrapped = styles.cells, styles.line, styles.wrapped
        self._places = sorted(
            (column, part, letters(column).encode()) for part, column in enumerate(columns)
        )
        """Column, index of its text (status, message, code), and its letters; by column."""

    def answer(self, row: int, prefix: bytes) -> AnswerCells:
        """Return the cells of a row, and note its colours, comments and texts."""
        note = self.take(row)
        self.values = note.values if note else ()
        if note is None:
            return NO_ANSWER
        for column, severity in note.guilty:
            self.guilty.add(row, column, severity)
        for column, comment in note.comments:
            if len(self.comments) < MOST_COMMENTS:
                self.comments[row, column] = comment
        if note.outcome == "bad" and self.first_bad is None:
            self.first_bad = row
        # Making the cells takes seven times as long as looking them up.
        key = note.status, note.message, note.code, note.outcome, prefix
        answer = self._answers.get(key)
        if answer is None:
            answer = self._make(note, prefix)
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            if row != self.header_row:
                self._answers[key] = answer
        if answer.cells:
            self.digest.add_row(row, answer.texts)
        return answer

    def height(self, answer: AnswerCells, cells: bytes) -> bytes:
        """Return the height of a row with these cells; b"" if one of them is wrapped, too."""
        if answer.height and self._wrapped:
            formats = map(int, _FORMAT.findall(cells))
            if any(self._wrapped[place : place + 1].strip(b"\0") for place in formats):
                return b""  # the spreadsheet program measures the row
        return answer.height

    def _make(self, note: Note, prefix: bytes) -> AnswerCells:
        message = note.message if self.is_styled else note.line
        texts = note.status, message, note.code
        text = self._styles["text"]
        styles = text, text, text
        if note.row == self.header_row:
            styles = (self.heading_style,) * 3
        elif self.is_styled:
            status = self._styles[note.outcome or "text"]
            styles = status, self._styles["message"], self._styles["code"]
        cells = [
            (
                column,
                b'<%bc r="%b' % (prefix, name),
                b'" s="%d"%b' % (styles[part], inline(texts[part], prefix)),
            )
            for column, part, name in self._places
            if texts[part]
        ]
        befores, afters = [before for _, before, _ in cells], [after for *_, after in cells]
        pieces = map(add, [b"", *afters], [*befores, b""])
        height = b"" if note.row == self.header_row else self._height(message)
        return AnswerCells(cells, tuple(pieces), tuple(map(shown, texts)), height)

    def _height(self, message: str) -> bytes:
        """Return the height for a wrapped message, which not every program measures."""
        lines = sum(max(1, ceil(len(line) / LINE_LENGTH)) for line in message.splitlines())
        if not self.is_styled or lines <= 1:
            return b""
        return b' ht="%d%b"' % (min(ceil(lines * self._line), HIGHEST), OUR_FRACTION)
