"""Some rows of a sheet, as it was read, with what its other rows settle of their numbers."""

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
    """By 0-based column; blank ones are not there."""


def pick(
    sheet: Sheet, header: Header, rows: Collection[int], formats: "NumberFormats"
) -> Iterator[PickedRow]:
    """The rows of these numbers, in their order; what an annotation of ours added is left out."""
    for block in sheet.blocks(header.after):
        formats.see(block)
        wanted = [at for at, row in enumerate(block.rows) if row in rows]
        if not wanted:
            continue
        cells = Cells(block)
        used = [index for index in block.used(0) if index not in header.own]
        for at in wanted:
            found = {index: cells.at(at, index) for index in used}
            filled = {index: cell for index, cell in found.items() if cell.kind is not Kind.BLANK}
            yield PickedRow(block.rows[at], filled)


def in_format(cell: Cell, column: Column | None, context: Context) -> Cell:
    """The cell, or its text where it has a format that its column does not take.

    A number that is typed over a date, or over a percentage, would become one: 12 the 1900-01-12.
    """
    is_formatted = cell.kind is Kind.DATE or cell.percent
    if column is None or not is_formatted:
        return cell
    text = Cell(Kind.TEXT, shown(cell))
    reader = ColumnReader(column.type, context)
    read = (reader.cell_type.read(written, reader) for written in (cell, text))
    is_refused = all(isinstance(value, InvalidValue) and value.is_refused for value in read)
    return text if is_refused else cell  # else a text would be sent that no one has corrected


class NumberFormats:
    """What a sheet's other rows settle of a number that could mean two things, such as `1,234`.

    Among a few rows alone nothing settles it, so the number itself is written in its place.
    """

    def __init__(self, header: Header, dialect: AccountSettings) -> None:
        self._dialect = dialect
        self._readers = {
            index: ColumnReader(column.type, Context(dialect))
            for index, column in header.columns.items()
            if isinstance(column.type, Number)
        }

    def see(self, block: Block) -> None:
        """Collect what the columns of a block show."""
        for index, reader in self._readers.items():
            if index < block.width:
                reader.read(block.column(index), block.decode)

    def cell(self, index: int, cell: Cell) -> Cell:
        """The cell, or the number that it is among all the others."""
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
