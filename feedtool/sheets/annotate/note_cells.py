"""The notes of a sheet become cells, in step with its rows."""

from collections.abc import Sequence

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.highlights import HighlightedCells
from feedtool.sheets.annotate.inline_strings import inline, shown
from feedtool.sheets.annotate.notes import Note, SheetNotes
from feedtool.sheets.read_back import Digest


class NoteCells:
    """Gives the cells to be written in each row, asked for by ascending row."""

    def __init__(self, sheet: SheetNotes, columns: Sequence[int], styles: FormatIndexes) -> None:
        self.header_row = sheet.header_row
        self.columns = columns
        self.guilty = HighlightedCells()
        self.digest = Digest()
        self._headings = sheet.headings
        self._styles = styles
        self._notes = iter(sheet.notes)
        self._next: Note | None = None
        self._row = sheet.header_row
        self._places = sorted(
            (column, part, letters(column).encode()) for part, column in enumerate(columns)
        )
        """Column, which of the three texts it shows, its letters; by column."""
        self._advance()

    def cells(self, row: int, prefix: bytes = b"") -> list[tuple[int, bytes]]:
        """Column and cell, from left to right; nothing for a row without a note."""
        if row == self.header_row:
            return self._cells(row, self._headings, self._styles.heading, prefix)
        note = self._next
        if note is None or note.row != row:
            self._refuse_left_behind(row)
            return []
        for column, severity in note.guilty:
            self.guilty.add(row, column, severity)
        texts = (note.status, note.message, note.code)
        cells = self._cells(row, texts, self._styles.text, prefix)
        self._advance()
        return cells

    def finish(self) -> None:
        """The sheet is at its end, and so must be the notes."""
        self._refuse_left_behind(None)

    def _cells(
        self, row: int, texts: tuple[str, str, str], style: int, prefix: bytes
    ) -> list[tuple[int, bytes]]:
        present = [
            (column, name, text) for column, part, name in self._places if (text := texts[part])
        ]
        self.digest.add((row, column, shown(text)) for column, _, text in present)
        return [
            (column, b'<%bc r="%b%d" s="%d"%b' % (prefix, name, row, style, inline(text, prefix)))
            for column, name, text in present
        ]

    def _advance(self) -> None:
        note = self._next = next(self._notes, None)
        if note is not None:
            if note.row <= self._row:
                raise ValueError(f"the note of row {note.row} comes after that of row {self._row}")
            self._row = note.row

    def _refuse_left_behind(self, row: int | None) -> None:
        """Notes come from reading this sheet; one whose row is not there is the caller's bug."""
        note = self._next
        if note is not None and (row is None or note.row < row):
            raise ValueError(f"there is a note for row {note.row}, which is not in the sheet")
