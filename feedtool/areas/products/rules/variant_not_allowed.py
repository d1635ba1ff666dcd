"""A group of variants in a category that has none.

Sizes and colours of one product are a family, which the column variantGroupReference names. Only
some categories have families (isVariant in the catalogue).

Example: `SHIRT-7` in the row of a kettle.

To mend it, empty the cell, or look whether the category is the right one.
"""

from collections.abc import Iterator

from feedtool.areas.products.columns.common import GROUP
from feedtool.areas.products.columns.properties import details_of
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("products",)


def check(row: Row) -> Iterator[Issue]:
    """A fault of the group."""
    known = details_of(row)
    if known and not known.category.is_variant and not row.is_blank(GROUP):
        name = f"{known.category.label} ({known.category.reference})"
        yield Issue(CODE, f"{name} has no variants", "empty the cell", GROUP)
