"""The reference occurs more than once for the channel.

The service refuses every request of a reference that occurs twice in a package (it says
`Duplicated`), so all of them are kept back here, over all files of one command. Each message
names up to five of the others and how many there are.

Example: `SKU-1` in row 5 and `SKU-1 ` in row 9: blanks at the ends do not count.

To mend it, keep one row of each reference, or give the rows different channels.
"""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, Place
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)


class DuplicateReferences(Occurrences):
    """Remembers every reference of every channel until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row."""
        reference = row.values.get("sellerExternalReference")
        if reference is not None:
            self.add(f"{row.channel}\0{reference}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """An issue for each row whose reference is not alone; `names` are the sheets'."""
        for index, key, group in self.repeated():
            channel, _, reference = key.partition("\0")
            yield (
                self.place(index),
                Issue(
                    CODE,
                    f"“{reference}” occurs {len(group)} times for {channel}: "
                    f"also in {self.others(index, group, names)}",
                    "keep one row of each reference",
                    "sellerExternalReference",
                    reference,
                ),
            )


SURVEY = DuplicateReferences
