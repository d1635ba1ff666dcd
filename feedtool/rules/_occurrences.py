"""Which keys occur more than once among millions of rows, in little memory and exactly.

A dict of a million keys takes 150 MB. Here each occurrence costs its text and 24 bytes: hashes
find the few candidates, and the texts themselves prove them.
"""

from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple


class Place(NamedTuple):
    """Where something occurs."""

    sheet: int
    """The number of the sheet within the command, 0-based."""
    row: int


class Occurrences:
    """Keys and where they occur, in the order in which they were added."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._places = array("Q")
        self._ends = array("Q")
        self._texts = bytearray()

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, key: str, sheet: int, row: int) -> None:
        """Notes one occurrence."""
        self._hashes.append(hash(key))
        self._places.append(sheet << 32 | row)
        self._texts += key.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._texts))

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` occurrences."""
        del self._hashes[length:], self._places[length:], self._ends[length:]
        del self._texts[self._ends[-1] if length else 0 :]

    def key(self, index: int) -> str:
        """The key of an occurrence."""
        start = self._ends[index - 1] if index else 0
        return self._texts[start : self._ends[index]].decode("utf-8", "surrogatepass")

    def place(self, index: int) -> Place:
        """The place of an occurrence."""
        packed = self._places[index]
        return Place(packed >> 32, packed & 0xFFFFFFFF)

    def repeated(self) -> Iterator[tuple[int, str, list[int]]]:
        """Each occurrence of a key that is not alone, in the order of adding.

        Yields:
            Its index, its key, and the ascending indexes of all occurrences of that key.
        """
        candidates = {one for one, other in pairwise(sorted(self._hashes)) if one == other}
        groups: dict[str, list[int]] = {}
        for index, number in enumerate(self._hashes):
            if number in candidates:
                groups.setdefault(self.key(index), []).append(index)
        for index, number in enumerate(self._hashes):
            if number in candidates and len(group := groups[self.key(index)]) > 1:
                yield index, self.key(index), group
