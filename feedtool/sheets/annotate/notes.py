"""The results to be written beside the rows, as cells and colours, and the summary beside them."""

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
"""Characters in a line of a message, at least, in a column of its usual width."""
HIGHEST = 408
"""Points: no program shows a higher row."""
OUR_FRACTION = b".01"
"""Marks a height by its last digits: programs round the heights that they save to pixels."""
_FORMAT = re.compile(rb"""\ss\s*=\s*["']([0-9]+)["']""")
MOST_COMMENTS = 1000
"""Notes in the cells of a sheet: of more, no one would look at each, and programs grow slow."""
Finish = Literal["full", "plain", "bare"]
"""How much of ours a copy has beside the texts and the colours of guilty cells: `plain` has neither
notes in cells nor a filter, `bare` (the user's own file) no formats of statuses and messages too.
"""


class Note(Struct, frozen=True):
    """The result beside a row. An empty text leaves its cell empty."""

    row: int
    """The sheet's own row number, 1-based; in a CSV the record's, as the reader counts them."""
    status: str
    message: str
    """A line for each problem; where no line of a cell is shown by itself they stand in one."""
    code: str
    guilty: tuple[tuple[int, Severity], ...] = ()
    """The cells to colour: 0-based column and how bad it is."""
    values: tuple[tuple[int, str | Decimal], ...] = ()
    """What cells of the row are to hold, by 0-based column, none beyond the last used one.
    An empty text is a blank.

    A cell with a formula keeps it, as does a field of a CSV that cannot hold its new text.
    """
    outcome: Outcome | None = None
    """The colour of the status; None leaves it without one."""
    comments: tuple[tuple[int, str], ...] = ()
    """The texts of notes in its cells, by 0-based column; a CSV has none."""

    @property
    def line(self) -> str:
        """The message in one line."""
        return self.message.replace("\n", "; ")


class SheetNotes(Struct, frozen=True):
    """The notes of a sheet."""

    sheet: str
    header_row: int
    """The row of the headings, 1-based: ours are written there, notes only below it."""
    headings: tuple[str, str, str]
    """Of status, message and code. By these an earlier annotation is recognised."""
    notes: Iterable[Note]
    """By ascending row; gone through once. Every row must be in the sheet."""
    last_header_row: int = 0
    """The last row before the data, where keys stand below the headings; 0 is the headings'."""

    @property
    def header_rows(self) -> range:
        """The rows among which an earlier annotation may have its headings."""
        return range(self.header_row, max(self.header_row, self.last_header_row) + 1)


class Link(NamedTuple):
    """A cell of the summary that leads to a cell of another sheet."""

    text: str
    sheet: str
    ref: str
    """`B5`; `5` is the status of that row."""
    style: Style = "link"

    def __str__(self) -> str:
        return self.text


class Styled(NamedTuple):
    """A cell of the summary with a look of its own."""

    value: str | int
    style: Style


class DataBar(NamedTuple):
    """A cell of the summary that shows a number as a bar, `most` filling the cell."""

    number: int
    most: int
    outcome: Outcome


SummaryCell = str | int | Link | Styled | DataBar
Table = Sequence[Sequence[SummaryCell]]


class Summary(Struct, frozen=True):
    """A sheet that is put last in the workbook, or takes the place of the one of its name."""

    name: str
    table: Table
    """Rows of cells, from A1 on."""
    widths: Sequence[int] = ()
    """Of the columns, in characters."""


class NoteQueue:
    """The headings and the notes of a sheet, taken out in the order of rows."""

    def __init__(self, sheet: SheetNotes) -> None:
        self._notes = chain((Note(sheet.header_row, *sheet.headings),), sheet.notes)
        self._next: Note | None = None
        self._advance(0)

    @property
    def row(self) -> int | None:
        """The row of the next one."""
        return self._next.row if self._next else None

    def take(self, row: int) -> Note | None:
        """The note of a row. Notes come from reading this sheet: none may have been passed by."""
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
    """The cells to colour, as runs of rows by column: a million cells are a few bytes a run."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Severity, int], array[int]] = {}

    def add(self, row: int, column: int, severity: Severity) -> None:
        """Colour one cell; rows come in ascending order."""
        runs = self._runs.setdefault((severity, column), array("L"))
        if runs and runs[-1] >= row - 1:
            runs[-1] = row
        else:
            runs.extend((row, row))

    def areas(self, severity: Severity) -> Iterator[bytes]:
        """`B3:B7`, column by column."""
        for (kind, column), runs in sorted(self._runs.items()):
            if kind != severity:
                continue
            for first, last in zip(runs[::2], runs[1::2], strict=True):
                yield str(CellRange(first, column, last, column)).encode()


class AnswerCells(NamedTuple):
    """The cells of all rows that have the same answer: a number is all in which they differ."""

    cells: Sequence[tuple[int, bytes, bytes]] = ()
    """From left to right: the column, the markup before the row's number, and that after it."""
    pieces: Sequence[bytes] = ()
    """The markup of all of them between the numbers."""
    texts: tuple[str, ...] = ()
    """What our columns show."""
    height: bytes = b""
    """The attribute of a row whose message has several lines."""

    def row(self, number: int) -> list[tuple[int, bytes]]:
        """Column and cell, from left to right."""
        return [
            (column, b"%b%d%b" % (before, number, after)) for column, before, after in self.cells
        ]


NO_ANSWER = AnswerCells()
"""Of a row without a note."""
_REMEMBERED = 1024
"""Answers that are kept ready: most rows share a few."""


class NoteCells(NoteQueue):
    """The cells to be written in each row, asked for by ascending row."""

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
        """What cells of the user's are to hold in the row that was asked for last."""
        self.changed: dict[int, dict[int, str]] = {}
        """The text that each of them was given, by row and column."""
        self.comments: dict[tuple[int, int], str] = {}
        """The first notes in cells, by row and column."""
        self.first_bad: int | None = None
        """The first row that is to be corrected."""
        self.heading_style = styles.cells["heading"]
        """That of the user's headings beside ours, once it is known."""
        self.is_styled = is_styled
        """True if statuses are coloured and messages are wrapped."""
        self._answers: dict[Hashable, AnswerCells] = {}
        self._styles, self._line, self._wrapped = styles.cells, styles.line, styles.wrapped
        self._places = sorted(
            (column, part, letters(column).encode()) for part, column in enumerate(columns)
        )
        """Column, which of the three texts it shows, its letters; by column."""

    def cells(self, row: int, prefix: bytes = b"") -> list[tuple[int, bytes]]:
        """Column and cell, from left to right; nothing for a row without a note."""
        return self.answer(row, prefix).row(row)

    def answer(self, row: int, prefix: bytes) -> AnswerCells:
        """The cells of a row, which is noted as having them."""
        note = self.take(row)
        self.values = note.values if note else ()
        if note is None:
            return NO_ANSWER
        for column, severity in note.guilty:
            self.guilty.add(row, column, severity)
        for column, said in note.comments:
            if len(self.comments) < MOST_COMMENTS:
                self.comments[row, column] = said
        if note.outcome == "bad" and self.first_bad is None:
            self.first_bad = row
        # Making the cells takes seven times as long as to look them up.
        key = note.status, note.message, note.code, note.outcome, prefix
        answer = self._answers.get(key)
        if answer is None:
            answer = self._made(note, prefix)
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            if row != self.header_row:
                self._answers[key] = answer
        if answer.cells:
            self.digest.add_row(row, answer.texts)
        return answer

    def height(self, answer: AnswerCells, cells: bytes) -> bytes:
        """The height for a row with these cells; nothing where one of them is wrapped, too."""
        if answer.height and self._wrapped:
            formats = map(int, _FORMAT.findall(cells))
            if any(self._wrapped[place : place + 1].strip(b"\0") for place in formats):
                return b""  # the program that shows it measures it
        return answer.height

    def _made(self, note: Note, prefix: bytes) -> AnswerCells:
        message = note.message if self.is_styled else note.line
        texts = note.status, message, note.code
        styles = self._styles_of(note)
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
        """The height that shows a wrapped message: not every program measures it by itself."""
        lines = sum(max(1, ceil(len(line) / LINE_LENGTH)) for line in message.splitlines())
        if not self.is_styled or lines <= 1:
            return b""
        return b' ht="%d%b"' % (min(ceil(lines * self._line), HIGHEST), OUR_FRACTION)

    def _styles_of(self, note: Note) -> tuple[int, int, int]:
        """The formats of status, message and code."""
        text = self._styles["text"]
        if note.row == self.header_row:
            return (self.heading_style,) * 3
        if not self.is_styled:
            return text, text, text
        status: Style = note.outcome or "text"
        return self._styles[status], self._styles["message"], self._styles["code"]
