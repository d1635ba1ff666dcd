"""Writes a result beside every row of the user's own file, and leaves all else as it was.

To be read in this order: `notes` (what is written), `workbook_copy` (the copy, step by step),
`sheet_patch` (the rows, by patterns or by `row_parser`), `sheet_envelope` (around the rows),
`cell_formats` and `workbook_parts` (the other parts that change), `zip_copy` (the package),
`csv_copy` (the same for CSV).
"""

from feedtool.sheets.annotate.annotated_copy import annotate, is_package, refuse_place
from feedtool.sheets.annotate.notes import Link, Note, Severity, SheetNotes, Summary, Table
from feedtool.sheets.cell_text import shown

__all__ = [
    "Link",
    "Note",
    "Severity",
    "SheetNotes",
    "Summary",
    "Table",
    "annotate",
    "is_package",
    "refuse_place",
    "shown",
]
