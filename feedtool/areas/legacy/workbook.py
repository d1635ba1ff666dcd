"""A workbook of the columns of an Offers.xml, in which its answers are written.

Its rows are those of the file read as a sheet: the keys in row 1, offer n in row n + 1.
"""

from collections.abc import Sequence
from pathlib import Path

from feedtool.areas.legacy.offers_xml import ATTRIBUTES, KINDS, SHEET
from feedtool.areas.legacy.source import OffersSource
from feedtool.model.cells import letters
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import temporary_folder
from feedtool.sheets import HEADER, decode

WIDTH = 16
"""Characters of a column."""
LITERAL = "@"
"""The number format of a text, so that a GTIN that is corrected stays one."""
TEXTS = frozenset(
    item.key for item in ATTRIBUTES if item.name.startswith(("Seller", "Product", "Com"))
)
"""The keys of what is no number."""


def write_workbook(
    path: Path, target: Path, settings: AccountSettings, kinds: Sequence[str | None]
) -> None:
    """Write the offers of a file as a workbook.

    Args:
        path: An Offers.xml or its zip.
        target: The .xlsx to write; what stands there is overwritten.
        settings: The profile's: which modes and conditions there are.
        kinds: As what it was read, which says how delivery modes are called.

    Raises:
        FileProblem: the file cannot be read.
        TooManyRows: a sheet has no room for them.
    """
    from openpyxl import Workbook  # slow to import
    from openpyxl.packaging.custom import StringProperty
    from openpyxl.styles import Font

    from feedtool.sheets.fill import fill_workbook  # slow, too

    as_json = not all(kind in KINDS for kind in kinds)
    source = OffersSource(path, settings, as_json=as_json)
    rows = source.rows()
    _, keys = next(rows)
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = SHEET
    for index, key in enumerate(keys):
        sheet.cell(HEADER, index + 1, str(key)).font = Font("Calibri", 11, bold=True)
        column = sheet.column_dimensions[letters(index)]
        column.width = WIDTH
        if key in TEXTS:
            column.number_format = LITERAL
    sheet.freeze_panes = f"B{HEADER + 1}"
    for name, value in ({} if as_json else source.properties).items():
        book.custom_doc_props.append(StringProperty(name=name, value=value))  # type: ignore[attr-defined]  # the stubs lag
    with temporary_folder() as folder:
        empty = folder / "empty.xlsx"
        book.save(empty)
        cells = ([decode(key) for key in keys] for _, keys in rows)
        fill_workbook(empty, target, SHEET, cells, settings.reading)
