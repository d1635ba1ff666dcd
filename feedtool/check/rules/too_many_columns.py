"""A value beyond the last header.

In a CSV this usually is a separator inside a value that has no quotes around it, so that every
field behind it stands in a wrong column. In a workbook it is a note beside the table.

Example: `SKU-1;Lamp; large;19,99` under three headers.

To mend it, put the value in quotes, give the column a header, or delete the value.
"""

from feedtool.feeds.rule import code
from feedtool.model.nouns import Fault

CODE = code(__name__, __doc__)


def fault(value: str) -> Fault:
    """The fault of one such cell."""
    return Fault(
        CODE,
        f"“{value[:40]}” stands beyond the last header",
        "put values with separators in quotes, give the column a header, or delete the value",
        value=value,
    )
