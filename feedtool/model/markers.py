"""Marks that feedtool writes into workbooks, and so knows again when they are read."""

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
"""The three columns that an annotated copy has more than its input."""

ROW = "feedtool row"
"""The column that a workbook of rows to correct has more than its template: where each is from."""

SUMMARY = "feedtool summary"
"""The sheet that an annotated workbook has more than its input."""

OURS = "feedtool."
"""The beginning of the names of our own properties of a workbook."""
STAMP = "feedtool.template"
"""The property of a workbook that names the kind of the template it was made from."""
LISTED = "feedtool.list"
"""The property of a workbook that names the export which made it, where that is only to look at."""
