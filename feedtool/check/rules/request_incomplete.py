"""Another row of the same request cannot be sent.

Some requests are made of several rows: the parcels of an order, say. Such a request is sent whole
or not at all, so none of its rows is sent where one of them is wrong.

Example: rows 4 and 7 are of the same order, and the quantity in row 7 is missing.

To mend it, correct the row that the message names.
"""

from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)


def fault(row: int) -> Issue:
    """The fault of a row whose request the row of this number keeps back."""
    return Issue(CODE, f"row {row} is of the same request, and cannot be sent", f"see row {row}")
