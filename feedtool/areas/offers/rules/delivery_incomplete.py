"""A delivery mode with one of its two amounts.

A delivery mode travels with the cost of the first piece and the additional cost of each further
one. The problem stands on the amount that is missing.

Example: `TrackedHomeDelivery.cost` is 4.90 and `TrackedHomeDelivery.additionalCost` is empty.

To mend it, fill the other amount (0 if it is free), or empty both.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Mode, Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-upsert", "offers-update", "legacy-offers")


def check(row: Row) -> Iterator[Issue]:
    """An issue for each half-filled mode; an Upsert's mandatory one is `required-missing`."""
    half = [_half(row, mode) for mode in row.sheet.modes]
    if not any(half):
        return
    required = row.feed.required(row)
    for mode, blank in zip(row.sheet.modes, half, strict=True):
        if blank and blank not in required:
            yield Issue(
                CODE,
                f"{mode.code} has only one of its two amounts",
                "fill the other one (0 if it is free), or empty both",
                blank,
            )


def _half(row: Row, mode: Mode) -> str | None:
    """The key of the one amount that is missing."""
    blanks = row.blanks((mode.cost, mode.additional))
    return blanks[0] if len(blanks) == 1 else None
