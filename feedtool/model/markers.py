"""Marks that feedtool writes into workbooks, and recognises when it reads them."""

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
"""The three columns that an annotated copy adds to its input."""

ROW = "feedtool row"
"""The column that a workbook of rows to correct adds to its template: the origin of each row."""

SUMMARY = "feedtool summary"
"""The sheet that an annotated workbook adds to its input."""

OURS = "feedtool."
"""The prefix of our own properties of a workbook."""
STAMP = "feedtool.template"
"""The property of a workbook with the kind of its template."""
LISTED = "feedtool.list"
"""The property of a workbook with the name of its export, if the workbook is only to look at."""
