"""Writes a result beside every row of the user's own file, and leaves all else as it was.

To be read in this order: `notes` (what is to be written), `workbook_copy` (the copy, step by step),
`sheet_plan` and `sheet_scan` (what is decided before writing), `pattern_patch` (with
`tag_patterns`) and `parser_patch` (the two paths through a sheet's rows), `note_cells` and
`row_edit` (a row with ours in it), `sheet_envelope` and `highlights` (around the rows),
`cell_formats`, `workbook_parts` and `summary_sheet` (the other parts that change), `zip_copy` (the
package), `verify` (read again), `csv_copy` (the same for CSV).
"""

from feedtool.sheets.annotate.annotated_copy import annotate, is_package, refuse_place
from feedtool.sheets.annotate.inline_strings import shown
from feedtool.sheets.annotate.notes import Link, Note, Severity, SheetNotes, Summary, Table

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
