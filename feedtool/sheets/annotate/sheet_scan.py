"""Facts of a sheet that are needed before its first row can be written."""

from dataclasses import dataclass

from feedtool.model.cells import letters
from feedtool.model.limits import ReadingLimits
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.source import LAST_COLUMN, LAST_ROW
from feedtool.sheets.read.xml_parser import corrupt


@dataclass(slots=True)
class SheetScan:
    """A sheet looked through once."""

    part: str
    header_row: int
    limits: ReadingLimits
    head: bytes = b""
    tail: bytes = b""
    used: int = -1
    """The rightmost column (0-based) with a cell that holds something; -1 if there is none."""
    widest: int = -1
    """The rightmost column with any cell at all, formatted-but-empty ones included."""
    last_row: int = 0
    has_header: bool = False
    """The row of the headings is there."""
    is_canonical: bool = True
    """Whether the sheet may be patched by patterns, or only by a parser."""

    def see_row(self, number: int) -> None:
        """Rows ascend. Raises CorruptXml, GridOutOfRange."""
        if number <= self.last_row:
            raise corrupt(self.part, f"row {number} comes after row {self.last_row}")
        if number > LAST_ROW:
            raise GridOutOfRange(f"The sheet has a row {number}.", "Delete what lies beyond.")
        self.last_row = number
        self.has_header = self.has_header or number == self.header_row

    def see_columns(self, columns: set[int], used: set[int]) -> None:
        """Columns with cells, and those of them whose cells hold something."""
        self.widest = max(self.widest, *columns, -1)
        self.used = max(self.used, *used, -1)
        if self.widest > LAST_COLUMN:
            raise GridOutOfRange(
                f"The sheet has a column {letters(self.widest)}.", "Delete what lies beyond XFD."
            )
