"""The GTIN or the reference of a product occurs more than once.

There is one product sheet for each GTIN, and a sellerProductReference is unique for the seller, so
all rows of either are kept back here, over all files of one command. Each message names up to five
of the others and how many there are.

Example: the same GTIN in row 5 and in row 9, with and without a blank.

To mend it, keep one row of each product.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, Place
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("products",)

FIELDS = ("gtin", "sellerProductReference")


class DuplicateProducts(Occurrences):
    """Remembers both of every product until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Notes one row; a GTIN is the same with and without zeros in front."""
        if row.kind not in KINDS:
            return
        for field in FIELDS:
            value = row.values.get(field)
            if value is not None:
                same = str(value).zfill(14) if field == "gtin" else str(value)
                self.add(f"{field}\0{same}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """A fault for each row whose GTIN or reference is not alone."""
        for index, key, group in self.repeated():
            field, _, value = key.partition("\0")
            shown = value.lstrip("0") if field == "gtin" else value
            yield (
                self.place(index),
                Issue(
                    CODE,
                    f"{field} {shown} occurs {len(group)} times: "
                    f"also in {self.others(index, group, names)}",
                    "keep one row of each product",
                    field,
                    shown,
                ),
            )


SURVEY = DuplicateProducts
