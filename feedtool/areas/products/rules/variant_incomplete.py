"""A variant without its size, its colour or its group.

The members of a family name their group and differ by size and colour: of variantGroupReference
and the properties that the catalogue calls variations all are filled, or none. The problem stands
on the cell that is missing.

Example: a shirt in the group `SHIRT-7` with a size and an empty colour.

To mend it, fill what is missing; a product that stands alone needs none of them.
"""

from collections.abc import Iterator

from feedtool.areas.products.columns.common import GROUP
from feedtool.areas.products.columns.properties import details_of
from feedtool.areas.products.feeds import name_of
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("products",)


def check(row: Row) -> Iterator[Issue]:
    """A fault for each that is missing; of mandatory properties `required-missing` tells."""
    known = details_of(row)
    if known is None or not known.category.is_variant:
        return
    fields = (GROUP, *known.variation)
    blank = row.blanks(fields)
    if len(blank) == len(fields):
        return
    for field in blank:
        if field not in known.mandatory:
            yield Issue(
                CODE,
                f"{name_of(row, field)} is missing beside the rest of a variant",
                "fill the cell, or empty the others",
                field,
            )
