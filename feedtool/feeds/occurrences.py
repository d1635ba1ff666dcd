"""Which keys occur more than once among millions of rows, in little memory and exactly.

A dict of a million keys takes 150 MB. Here each occurrence costs its text and 28 bytes; keys are
compared some ten thousand at a time, those that could be equal together.
"""

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

_TOGETHER = 1 << 16
"""Keys that are compared at a time, about."""

_LONGEST = 256
"""Bytes of a key that are kept; of a longer one its beginning, and what proves the rest."""
_CUT = b"\xff"
"""No text in UTF-8 has this byte."""


class Place(NamedTuple):
    """A row of a sheet."""

    sheet: int
    """The number of the sheet within the command, 0-based."""
    row: int


class Group:
    """The indexes of all occurrences of one key, ascending."""

    __slots__ = ("_following", "_length", "first")

    def __init__(self, first: int, length: int, following: "array[int]") -> None:
        self.first = first
        self._length = length
        self._following = following

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        index = self.first
        for _ in range(self._length):
            yield index
            index = self._following[index]


class Occurrences:
    """Keys and where they occur, in the order in which they were added."""

    def __init__(self) -> None:
        self._places = array("Q")
        self._ends = array("Q")
        self._texts = bytearray()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: str, sheet: int, row: int) -> None:
        """Notes one occurrence."""
        self._places.append(sheet << 32 | row)
        text = key.encode("utf-8", "surrogatepass")
        self._texts += text if len(text) <= _LONGEST else _shortened(text)
        self._ends.append(len(self._texts))

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` occurrences."""
        del self._places[length:], self._ends[length:]
        del self._texts[self._ends[-1] if length else 0 :]

    def key(self, index: int) -> str:
        """The key of an occurrence; a very long one ends in `…`."""
        text, cut, _ = self._raw(index).partition(_CUT)
        if not cut:
            return text.decode("utf-8", "surrogatepass")
        return text.decode("utf-8", "ignore") + "…"

    def place(self, index: int) -> Place:
        """The place of an occurrence."""
        packed = self._places[index]
        return Place(packed >> 32, packed & 0xFFFFFFFF)

    def others(self, index: int, group: Group, names: Sequence[str], named: int = 5) -> str:
        """The other places of a key: the first rows, and the number of the others.

        A row of another sheet is told with that sheet's name.
        """
        here = self.place(index)
        first = islice(group, named + 1)
        others = [self.place(other) for other in first if other != index][:named]
        shown = [
            f"row {other.row}" + (f" of {names[other.sheet]}" if other.sheet != here.sheet else "")
            for other in others
        ]
        left = len(group) - 1 - len(others)
        return ", ".join(shown) + (f" and {left} more" if left else "")

    def repeated(self) -> Iterator[tuple[int, str, Group]]:
        """Each occurrence of a key that is not alone, in the order of adding.

        Yields:
            Its index, its key, and all occurrences of that key.
        """
        first = array("I", range(len(self)))
        lengths = array("I", [1]) * len(self)
        following = array("I", [0]) * len(self)
        for indexes in self._alike():
            last: dict[bytes, int] = {}
            for index in indexes:
                key = self._raw(index)
                before = last.get(key)
                if before is not None:
                    start = first[index] = first[before]
                    following[before] = index
                    lengths[start] += 1
                last[key] = index
        for index, start in enumerate(first):
            if lengths[start] > 1:
                yield index, self.key(index), Group(start, lengths[start], following)

    def _alike(self) -> Iterator["array[int]"]:
        """All indexes in ascending parts; equal keys are in the same part."""
        parts = [array("I") for _ in range(len(self) // _TOGETHER + 1)]
        for index in range(len(self)):
            parts[hash(self._raw(index)) % len(parts)].append(index)
        while parts:
            yield parts.pop()

    def _raw(self, index: int) -> bytes:
        start = self._ends[index - 1] if index else 0
        return bytes(self._texts[start : self._ends[index]])


def _shortened(text: bytes) -> bytes:
    return text[:_LONGEST] + _CUT + hashlib.sha256(text).digest()
