"""The notes of a sheet become cells, in step with its rows."""

from collections.abc import Sequence

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.highlights import HighlightedCells
from feedtool.sheets.annotate.inline_strings import inline, shown
from feedtool.sheets.annotate.notes import NoteQueue, SheetNotes
from feedtool.sheets.read_back import Digest


class NoteCells:
    """Gives the cells to be written in each row, asked for by ascending row."""

    def __init__(self, sheet: SheetNotes, columns: Sequence[int], styles: FormatIndexes) -> None:
        self.header_row = sheet.header_row
        self.columns = columns
        self.guilty = HighlightedCells()
        self.digest = Digest()
        self._styles = styles
        self._notes = NoteQueue(sheet)
        self.finish = self._notes.finish
        """The sheet is at its end, and so must be the notes."""
        self._places = sorted(
            (column, part, letters(column).encode()) for part, column in enumerate(columns)
        )
        """Column, which of the three texts it shows, its letters; by column."""

    def cells(self, row: int, prefix: bytes = b"") -> list[tuple[int, bytes]]:
        """Column and cell, from left to right; nothing for a row without a note."""
        note = self._notes.take(row)
        if note is None:
            return []
        for column, severity in note.guilty:
            self.guilty.add(row, column, severity)
        texts = (note.status, note.message, note.code)
        style = self._styles.heading if row == self.header_row else self._styles.text
        cells, written = [], []
        for column, part, name in self._places:
            if text := texts[part]:
                rest = inline(text, prefix)
                cells.append((column, b'<%bc r="%b%d" s="%d"%b' % (prefix, name, row, style, rest)))
                written.append((row, column, shown(text)))
        self.digest.add(written)
        return cells
