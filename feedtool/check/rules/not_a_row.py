"""A total, or the header once more: the row is skipped.

Nothing is sent of a row whose reference is Total, Sous-total, Subtotal, Suma, Summe or the like,
of one without a reference and a GTIN whose only filled cells are the sums of the cells above them,
and of one that repeats the header. Its status is `Skipped`.

Example: the last row of a price list, with `Total` in the column of the reference and `1 250` in
that of the stock.

To mend it, delete the row. If it is an offer or a product all the same, `--as-row` and the row's
number takes it.
"""

from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)


def fault(reason: str, value: str) -> Issue:
    """The fault of one such row.

    Args:
        reason: What makes it one.
        value: The text of the cell that shows it.
    """
    return Issue(
        CODE, reason, "delete it, or take it all the same with --as-row and its number", value=value
    )
