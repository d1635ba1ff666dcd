"""Rows that are hidden are read like all others.

A filter or a grouping hides rows without taking them out of the sheet; they are checked and sent.

Example: a filter on the column of the brand shows 20 of 500 rows; all 500 are sent.

To leave them out, delete them, or copy the visible rows to another sheet.
"""

from collections.abc import Iterator

from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)


def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
    """One warning with their number."""
    if sheet.hidden_rows:
        are = "row is" if sheet.hidden_rows == 1 else "rows are"
        yield Issue(
            CODE,
            f"{sheet.hidden_rows} hidden {are} read like all others",
            "delete the rows that shall not be sent",
        )
