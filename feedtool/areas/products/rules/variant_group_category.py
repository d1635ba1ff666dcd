"""The members of a group are of several categories.

A family of variants is one product in several sizes and colours, so all of its rows, over all
files of one command, are of one category.

Example: `SHIRT-7` is the group of a shirt in row 5 and of trousers in row 9.

To mend it, correct the category, or give the rows groups of their own.
"""

from collections.abc import Iterator

from feedtool.areas.products.columns.common import GROUP
from feedtool.areas.products.columns.properties import details_of
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Group, Occurrences, Place
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = ("products",)


class GroupCategories(Occurrences):
    """Remembers the category of every member."""

    def __init__(self) -> None:
        super().__init__()
        self._categories: list[str] = []

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` rows."""
        super().rewind(length)
        del self._categories[length:]

    def see(self, sheet: int, row: Row) -> None:
        """Notes one row, if it is of a family and its category is known."""
        known, group = details_of(row), row.values.get(GROUP)
        if known and group is not None:
            self.add(str(group), sheet, row.number)
            self._categories.append(known.category.reference)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """A fault for each member of a group whose members do not agree."""
        unlike: dict[int, int | None] = {}
        for index, group, members in self.repeated():
            if members.first not in unlike:
                unlike[members.first] = self._unlike_first(members)
            other = unlike[members.first]
            if other is not None:
                is_same = self._categories[other] == self._categories[index]
                yield self._fault(index, members.first if is_same else other, group, names)

    def _unlike_first(self, group: Group) -> int | None:
        """The first member that is not of the first one's category."""
        first = self._categories[group.first]
        return next((index for index in group if self._categories[index] != first), None)

    def _fault(self, index: int, other: int, group: str, names: list[str]) -> tuple[Place, Issue]:
        place, where = self.place(index), self.place(other)
        of = f" of {names[where.sheet]}" if where.sheet != place.sheet else ""
        message = (
            f"“{group}” is a group of {self._categories[index]} here and of "
            f"{self._categories[other]} in row {where.row}{of}"
        )
        hint = "correct the category, or give another group"
        return place, Issue(CODE, message, hint, GROUP, group)


SURVEY = GroupCategories
