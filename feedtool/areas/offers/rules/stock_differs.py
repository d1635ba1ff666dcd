"""Other quantities for the same product and condition.

Stock is shared across channels for the same product and condition (specification, "General
properties"), so of several quantities the one that is processed last stays.

Example: the same GTIN, new, with stock 5 for one channel and 8 for another.

To mend it, give the same stock in all rows of a product and condition.
"""

from array import array
from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Group, Occurrences, Place
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)

UNSEEN, ALIKE = -1, -2
"""Instead of an index: not looked at yet, and all quantities are the same."""


class DifferentStocks(Occurrences):
    """Remembers the quantity of every product and condition until all files are read."""

    def __init__(self) -> None:
        super().__init__()
        self._quantities = array("q")

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` rows."""
        super().rewind(length)
        del self._quantities[length:]

    def see(self, sheet: int, row: Row) -> None:
        """Note a row of an Upsert; the others do not name their product."""
        values = row.values
        product = values.get("product.gtin") or values.get("product.reference")
        quantity = values.get("quantity")
        if row.kind == "offers-upsert" and product is not None and isinstance(quantity, int):
            self.add(f"{product}\0{values.get('condition')}", sheet, row.number)
            self._quantities.append(quantity)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """A warning for each row of a product whose rows do not agree."""
        unlike = array("q", [UNSEEN]) * len(self)
        for index, key, group in self.repeated():
            if unlike[group.first] == UNSEEN:
                unlike[group.first] = self._unlike_first(group)
            other = unlike[group.first]
            if other == ALIKE:
                continue
            if self._quantities[index] == self._quantities[other]:
                other = group.first
            yield self.place(index), self._fault(index, other, key, names)

    def _unlike_first(self, group: Group) -> int:
        """The first occurrence whose quantity is not that of the group's first, or `ALIKE`."""
        first = self._quantities[group.first]
        return next((index for index in group if self._quantities[index] != first), ALIKE)

    def _fault(self, index: int, other: int, key: str, names: list[str]) -> Issue:
        product, _, condition = key.partition("\0")
        own, place = self._quantities[index], self.place(other)
        return Issue(
            CODE,
            f"stock {own} here and {self._quantities[other]} in row {place.row} of "
            f"{names[place.sheet]} for {product}, {condition}; stock is shared",
            "give the same stock in all rows of a product and condition",
            "quantity",
            str(own),
        )


SURVEY = DifferentStocks
