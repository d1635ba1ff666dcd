"""Convert a spreadsheet of another format to a workbook, in which results can be written."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from feedtool.model.cells import Block, Cell
from feedtool.model.limits import ReadingLimits
from feedtool.model.spool import temporary_folder
from feedtool.sheets.read.file_format import open_source
from feedtool.sheets.read.package import DEFAULT_LIMITS

DATE, PERCENT = "yyyy-mm-dd", "0.00%"


def write_as_workbook(
    path: Path,
    target: Path,
    limits: ReadingLimits = DEFAULT_LIMITS,
    csv_fallback: str = "",
) -> None:
    """Write all rows of a spreadsheet into an .xlsx; every cell keeps its kind.

    Raises:
        FileProblem: the file cannot be read.
    """
    from openpyxl import Workbook  # slow to import

    from feedtool.sheets.fill import Formats, fill_workbook  # slow, too

    with (
        open_source(path, limits=limits, csv_fallback=csv_fallback) as source,
        temporary_folder() as folder,
    ):
        book = Workbook()
        book.remove(book.worksheets[0])
        for entry in source.sheets:
            sheet = book.create_sheet(entry.name)
            sheet.sheet_state = "hidden" if entry.hidden else "visible"
        styles = []
        for letters, code in (("XFC", DATE), ("XFD", PERCENT)):
            # openpyxl writes only formats that are used: an unused column uses this one.
            column = book.worksheets[0].column_dimensions[letters]
            column.number_format = code
            styles.append(column.style_id)
        # Each sheet is filled in a copy of the workbook with the sheets before it.
        steps = [folder / f"{number}.xlsx" for number, _ in enumerate(source.sheets)]
        book.save(steps[0])
        for entry, before, after in zip(source.sheets, steps, [*steps[1:], target], strict=True):
            rows = _rows(source.sheet(entry.name).blocks())
            fill_workbook(before, after, entry.name, rows, limits, Formats(*styles))


def _rows(blocks: Iterator[Block]) -> Iterator[Sequence[Cell]]:
    """Yield the rows from 1 on; rows that the file does not have are blank."""
    expected = 1
    for block in blocks:
        columns = [list(map(block.decode, block.column(index))) for index in range(block.width)]
        for position, number in enumerate(block.rows):
            yield from ((),) * (number - expected)
            yield [column[position] for column in columns]
            expected = number + 1
