"""Pick rows of a sheet, with their ambiguous numbers settled by its other rows."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.number import NUMBER_AMBIGUOUS, Number
from feedtool.model.cells import Block, Cell, Cells, Kind, shown
from feedtool.model.header import Column, Header
from feedtool.model.settings import AccountSettings, Context
from feedtool.sheets import Sheet


class PickedRow(NamedTuple):
    """A row of the sheet."""

    row: int
    cells: Mapping[int, Cell]
    """Cells by 0-based column, without blank ones."""


def pick_rows(
    sheet: Sheet, header: Header, rows: Collection[int], formats: "NumberFormats"
) -> Iterator[PickedRow]:
    """Yield the rows of these numbers, in their order, without columns that feedtool added."""
    for block in sheet.blocks(header.after):
        formats.collect(block)
        places = [place for place, row in enumerate(block.rows) if row in rows]
        if not places:
            continue
        cells = Cells(block)
        used = [index for index in block.used(0) if index not in header.own]
        for place in places:
            row_cells = {index: cells.at(place, index) for index in used}
            filled = {
                index: cell for index, cell in row_cells.items() if cell.kind is not Kind.BLANK
            }
            yield PickedRow(block.rows[place], filled)


def text_if_misformatted(cell: Cell, column: Column | None, context: Context) -> Cell:
    """Return the cell, or its text if its column does not take the format of the cell.

    Otherwise a number typed over a date or percentage would become one: 12 would be 1900-01-12.
    """
    is_formatted = cell.kind is Kind.DATE or cell.percent
    if column is None or not is_formatted:
        return cell
    text = Cell(Kind.TEXT, shown(cell))
    reader = ColumnReader(column.type, context)
    read = (reader.cell_type.read(written, reader) for written in (cell, text))
    is_refused = all(isinstance(value, InvalidValue) and value.is_refused for value in read)
    return text if is_refused else cell  # else an uncorrected text would be sent


class NumberFormats:
    """The number format of each column, from all rows of a sheet, for numbers such as `1,234`.

    A few rows alone do not settle the format, so the number itself is written in their place.
    """

    def __init__(self, header: Header, dialect: AccountSettings) -> None:
        self._dialect = dialect
        self._readers = {
            index: ColumnReader(column.type, Context(dialect))
            for index, column in header.columns.items()
            if isinstance(column.type, Number)
        }

    def collect(self, block: Block) -> None:
        """Collect the formats in the columns of a block."""
        for index, reader in self._readers.items():
            if index < block.width:
                reader.read(block.column(index), block.decode)

    def cell(self, index: int, cell: Cell) -> Cell:
        """Return the cell, or the number that it means by the format of its column."""
        reader = self._readers.get(index)
        if reader is None or cell.kind is not Kind.TEXT or not reader.is_ambiguous:
            return cell
        alone = self._read(cell, reader, None)
        is_ambiguous = isinstance(alone, InvalidValue) and any(
            fault.code is NUMBER_AMBIGUOUS for fault in alone.faults
        )
        if not is_ambiguous or len(reader.evidence) != 1:
            return cell
        number = self._read(cell, reader, next(iter(reader.evidence)))
        return Cell(Kind.NUMBER, f"{number:f}") if isinstance(number, int | Decimal) else cell

    def _read(self, cell: Cell, reader: ColumnReader, decimal: str | None) -> object:
        again = ColumnReader(reader.cell_type, Context(self._dialect), decimal, reader.evidence)
        return reader.cell_type.read(cell, again)
