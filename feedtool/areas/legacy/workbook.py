"""An Offers.xml becomes a workbook of the offers' columns: where its answers are written.

Its rows are the ones that the file shows when it is read: the keys in row 1, offer n in row n + 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from feedtool.areas.legacy.offers_xml import ATTRIBUTES, KINDS, SHEET
from feedtool.areas.legacy.source import HEADER, OffersSheet, OffersSource
from feedtool.model.cells import Cell, Kind, letters
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import temporary_folder
from feedtool.sheets.fill import Value, fill_workbook

WIDTH = 16
"""Characters of a column."""
LITERAL = "@"
"""The number format of a text, so that a GTIN that is corrected stays one."""
TEXTS = frozenset(
    one.key for one in ATTRIBUTES if one.name.startswith(("Seller", "Product", "Com"))
)
"""The keys of what is no number."""


def write_book(
    path: Path, target: Path, dialect: AccountSettings, kinds: Sequence[str | None]
) -> None:
    """Write the offers of a file as a workbook.

    Args:
        path: An Offers.xml or its zip.
        target: The .xlsx to write; what stands there is overwritten.
        dialect: The profile's: which modes and conditions there are.
        kinds: As what it was read, which says how delivery modes are called.

    Raises:
        FileProblem: the file cannot be read.
        TooManyRows: a sheet has no room for them.
    """
    as_json = not all(kind in KINDS for kind in kinds)
    source = OffersSource(path, dialect, as_json=as_json)
    sheet = source.sheet()
    [header] = sheet.head(HEADER)
    keys = [cell.text for cell in header.cells]
    stamp = {} if as_json else source.properties
    with temporary_folder() as folder:
        empty = folder / "empty.xlsx"
        _write_empty(empty, keys, stamp)
        fill_workbook(empty, target, sheet.name, _values(sheet), dialect.reading)


def _write_empty(path: Path, keys: list[str], stamp: Mapping[str, str]) -> None:
    """A workbook with the header alone."""
    from openpyxl import Workbook  # slow to import
    from openpyxl.packaging.custom import StringProperty
    from openpyxl.styles import Font

    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = SHEET
    for index, key in enumerate(keys):
        cell = sheet.cell(HEADER, index + 1, key)
        cell.font = Font("Calibri", 11, bold=True)
        column = sheet.column_dimensions[letters(index)]
        column.width = WIDTH
        if key in TEXTS:
            column.number_format = LITERAL
    sheet.freeze_panes = f"B{HEADER + 1}"
    for name, value in stamp.items():
        workbook.custom_doc_props.append(StringProperty(name=name, value=value))  # type: ignore[attr-defined]  # the stubs lag
    workbook.save(path)


def _values(sheet: OffersSheet) -> Iterator[list[Value]]:
    """The rows behind the header; a value that is no number stays the text that it is."""
    for block in sheet.blocks(HEADER):
        columns = [[block.decode(key) for key in block.column(at)] for at in range(block.width)]
        yield from ([_value(cell) for cell in row] for row in zip(*columns, strict=True))


def _value(cell: Cell) -> Value:
    return Decimal(cell.text) if cell.kind is Kind.NUMBER else cell.text
