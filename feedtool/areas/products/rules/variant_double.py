"""Two members of a group have the same size and the same colour.

The members of a family differ by the properties that the catalogue calls variations; two that are
alike in all of them, over all files of one command, would be the same product.

Example: two rows of the group `SHIRT-7` with size `M` and colour `Blue`.

To mend it, correct the size or the colour, or give one of the rows another group.
"""

from collections.abc import Iterator

from feedtool.areas.products.columns.common import GROUP
from feedtool.areas.products.columns.properties import details_of
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, Place
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("products",)


class DoubleVariants(Occurrences):
    """Remembers every whole variant."""

    def see(self, sheet: int, row: Row) -> None:
        """Notes one row, if it is a whole variant."""
        known, values = details_of(row), row.values
        if known is None or not known.variation or values.get(GROUP) is None:
            return
        attributes = [values.get(reference) for reference in known.variation]
        if None not in attributes:
            self.add(f"{values[GROUP]}\0{attributes}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """A fault for each row that is like another one of its group."""
        for index, key, same in self.repeated():
            group = key.partition("\0")[0]
            where = self.others(index, same, names)
            yield (
                self.place(index),
                Issue(
                    CODE,
                    f"size and colour are those of {where} in the group “{group}”",
                    "correct the size or the colour",
                    GROUP,
                    group,
                ),
            )


SURVEY = DoubleVariants
