"""A field that the service no longer supports.

PackagingUnit and PackagingValue are no longer supported on offers (specification, "Versioning"
4). The column is kept in the sheet and not sent.

Example: the column `PackagingUnit` with `kg` in its cells.

Nothing needs to be done; remove the column to be rid of the warning.
"""

from collections.abc import Iterator

from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)

DEPRECATED = ("PackagingUnit", "PackagingValue")


def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
    """A warning for each such column."""
    for key in DEPRECATED:
        if key in sheet.columns.fields:
            yield Issue(CODE, f"{key} is no longer supported and is not sent", "", key)
