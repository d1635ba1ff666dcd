"""An Update with some of its taxes.

The tax list of an Update replaces the old one as a whole: what is not listed is gone. So a row
gives VAT, EcoPart and DEA, or none of them.

Example: VAT `20` and empty cells of EcoPart and DEA.

To mend it, fill all three (0 where there is none), or empty all three.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("offers-update",)

TAXES = ("taxes.VAT", "taxes.EcoPart", "taxes.DEA")


def check(row: Row) -> Iterator[Issue]:
    """An issue for each tax that is missing beside the others."""
    blank = [key for key in TAXES if row.is_blank(key)]
    if 0 < len(blank) < len(TAXES):
        for key in blank:
            yield Issue(
                CODE,
                f"{key.removeprefix('taxes.')} is missing beside the other taxes",
                "give all taxes (0 where there is none), or none",
                key,
            )
