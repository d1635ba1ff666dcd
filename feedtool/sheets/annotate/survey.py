"""What has to be known of a sheet before its first row can be written."""

from dataclasses import dataclass

from feedtool.model.cells import letters
from feedtool.sheets.annotate.rows import RawRow
from feedtool.sheets.events import LAST_COLUMN, LAST_ROW
from feedtool.sheets.markup import corrupt
from feedtool.sheets.unreadable import GridOutOfRange


@dataclass(slots=True)
class Survey:
    """A sheet looked through once."""

    part: str
    header_row: int
    head: bytes = b""
    tail: bytes = b""
    used: int = -1
    """The rightmost column (0-based) with a cell that holds something; -1 if there is none."""
    widest: int = -1
    """The rightmost column with any cell at all, formatted-but-empty ones included."""
    last_row: int = 0
    header: RawRow | None = None
    is_canonical: bool = True
    """Whether the sheet may be patched by patterns, or only by a parser."""

    def see_row(self, number: int) -> None:
        """Rows ascend. Raises CorruptXml, GridOutOfRange."""
        if number <= self.last_row:
            raise corrupt(self.part, f"row {number} comes after row {self.last_row}")
        if number > LAST_ROW:
            raise GridOutOfRange(f"The sheet has a row {number}.", "Delete what lies beyond.")
        self.last_row = number

    def see_columns(self, columns: set[int], used: set[int]) -> None:
        """Columns with cells, and those of them whose cells hold something."""
        self.widest = max(self.widest, *columns, -1)
        self.used = max(self.used, *used, -1)
        if self.widest > LAST_COLUMN:
            raise GridOutOfRange(
                f"The sheet has a column {letters(self.widest)}.", "Delete what lies beyond XFD."
            )
