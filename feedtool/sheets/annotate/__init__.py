"""Writes a result beside every row of the user's own file, and leaves all else as it was.

To be read in this order: `notes` (what is to be written), `workbook` (the copy, step by step),
`plan` and `survey` (what is decided before writing), `canonical` (with `tags`) and `events` (the
two paths through a sheet's rows), `ink` and `rows` (a row with ours in it), `frame` and `colours`
(around the rows), `styles`, `bookparts` and `summarysheet` (the other parts that change), `repack`
(the zip), `check` (read again), `place` (then it takes its place), `csvcopy` (the same for CSV).
"""

from feedtool.sheets.annotate.notes import Link, Note, Severity, SheetNotes, Summary, Table
from feedtool.sheets.annotate.writing import annotate, is_package, refuse_place

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
]
