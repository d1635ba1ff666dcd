"""A value beyond the last header.

In a CSV this usually is a separator inside a value that has no quotes around it, so that every
field behind it stands in a wrong column. In a workbook it is a note beside the table.

Example: `SKU-1;Lamp; large;19,99` under three headers.

To mend it, put the value in quotes, give the column a header, or delete the value.
"""

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import plain
from feedtool.feeds.rule import code
from feedtool.model.cells import Cell, shown
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)


class Beyond:
    """The type of a column without a header: whatever stands there is a problem."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """None for a blank, else this."""
        del column
        return InvalidValue(None, (fault(shown(cell)),)) if plain(cell.text) else None


def fault(value: str) -> Issue:
    """The fault of one such cell."""
    return Issue(
        CODE,
        f"“{value[:40]}” stands beyond the last header",
        "put values with separators in quotes, give the column a header, or delete the value",
        value=value,
    )
